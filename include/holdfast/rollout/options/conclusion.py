"""From ranked options to what every plan says: what is recommended, the assessment, the headline, until when it holds. Once, for
every kind of group. No clock: `now` is an argument."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.assessment import Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.times import Times
from holdfast.rollout.facts import condition_words
from holdfast.rollout.facts.reasons import Blocked
from holdfast.rollout.facts.sourced_text import Said, facts_of, texts_of
from holdfast.rollout.json import instants
from holdfast.rollout.options import blocking, selection
from holdfast.rollout.options.impact import Impact
from holdfast.rollout.options.option import EvaluatedOption, Option, RankedOption
from holdfast.rollout.options.rules import Unstated
from holdfast.rollout.policy.policy import LEAST_SECONDS, Policy
from holdfast.rollout.timing import timeline
from holdfast.rollout.timing.time_rules import expires

E = TypeVar("E", bound=EvaluatedOption[Option])


def in_utc(now: datetime) -> datetime:
    """To the second. Raise InvalidInput without a time zone."""
    if now.tzinfo is None:
        raise InvalidInput("the time of a plan needs a time zone; give it in UTC")
    return now.astimezone(UTC).replace(microsecond=0)


def ranked(
    evaluated: tuple[E, ...],
    policy: Policy,
    judge: Callable[[E], tuple[Rule, ...]],
    impact_of: Callable[[E], Impact | None],
) -> tuple[RankedOption[E], ...]:
    """Every option with what the policy says about it."""
    return tuple(
        RankedOption(place, one, judge(one), selection.barred(one.option, policy), policy, impact_of(one))
        for place, one in enumerate(evaluated)
    )


def unstated(made: datetime, baseline: Times | None) -> Unstated:
    """The limits where the policy states none. `baseline`: how long the requested change takes by itself; None: unknown."""
    own = 0 if baseline is None else timeline.own_seconds(baseline)
    return Unstated(made, seconds_most=LEAST_SECONDS + own)


@dataclass(frozen=True)
class Conclusion(Generic[E]):
    """What follows from ranked options. `chosen` None: nothing is recommended."""

    options: tuple[RankedOption[E], ...]
    chosen: RankedOption[E] | None
    blocked: tuple[Said[Blocked], ...]
    nothing: bool
    policy: Policy
    made: datetime

    def fields(
        self, created_from: CreatedFrom, effect: Callable[[RankedOption[E]], str], times: Iterable[Times], warnings: str = ""
    ) -> dict[str, Any]:
        """The fields of a plan that are the same for every kind. `effect`: what an option does, in figures; `warnings`: what comes
        before it."""
        option = None if self.chosen is None else self.chosen.evaluated.option
        ends = expires(tuple(times), self.policy, self.made, created_from.valid_from(self.made))
        return {
            "created_at": instants.exact(self.made),
            "expires_at": instants.exact(ends),
            "created_from": created_from,
            "policy": self.policy,
            "assessment": blocking.assessment(nothing=self.nothing, chosen=self.chosen, blocked=self.blocked, policy=self.policy),
            "headline": warnings + blocking.headline(self.options, self.chosen, self.blocked, effect, nothing=self.nothing),
            "wrong_if": "" if option is None else condition_words.invalid_if(option.invalid_if),
            "blocked_by": texts_of(self.blocked),
            "blocked": facts_of(self.blocked),
            "chosen": None if option is None else option.name,
            "settings": () if option is None else option.settings,
            "rules": () if self.chosen is None else self.chosen.rules,
            "preconditions": () if option is None else condition_words.assumptions(option.assumptions),
            "invalidations": () if option is None else option.invalid_if,
            "assumptions": () if option is None else option.assumptions,
        }


def concluded(options: tuple[RankedOption[E], ...], policy: Policy, made: datetime, *, nothing: bool) -> Conclusion[E]:
    """`nothing`: there is nothing to do."""
    chosen = None if nothing else selection.best(options)
    blocked = () if nothing else blocking.blocked_by(options, chosen, policy)
    return Conclusion(options, chosen, blocked, nothing, policy, made)
