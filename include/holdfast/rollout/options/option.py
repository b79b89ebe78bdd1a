"""An option, from its proposal to what the policy says of it: Option → EvaluatedOption → RankedOption, for every kind of group."""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from holdfast.rollout.contract.assessment import BASELINE_NAME, Rule, RuleStatus
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.facts.conditions import Assumption, Invalidation
from holdfast.rollout.facts.reasons import NotRecommended
from holdfast.rollout.facts.refusals import Refusal
from holdfast.rollout.options.impact import Impact
from holdfast.rollout.policy.policy import Policy


class Option(Protocol):
    """An option for a change. The options of each kind of group also have its change, and more."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """The option as an imperative, for headlines."""

    @property
    def settings(self) -> tuple[SettingChange, ...]:
        """Temporary settings during the rollout."""

    @property
    def assumptions(self) -> tuple[Assumption, ...]: ...

    @property
    def invalid_if(self) -> tuple[Invalidation, ...]:
        """What invalidates its forecast, the likeliest first."""

    @property
    def drawback(self) -> str:
        """Why it is shown for reference only. Empty: it can be recommended."""

    @property
    def if_allowed(self) -> bool:
        """Recommended only if the policy's `allow` names it."""


O_co = TypeVar("O_co", bound=Option, covariant=True)
E = TypeVar("E", bound="EvaluatedOption[Option]")


class EvaluatedOption(Protocol[O_co]):
    """An option with its forecast. `refused`: why it cannot be predicted; None: it can."""

    @property
    def option(self) -> O_co: ...

    @property
    def refused(self) -> Refusal | None: ...


@dataclass(frozen=True)
class RankedOption(Generic[E]):
    """An evaluated option checked against the policy. `place`: its position in the list; `impact` None: it cannot be predicted;
    `barred`: why it is never recommended here. None: it can be."""

    place: int
    evaluated: E
    rules: tuple[Rule, ...]
    barred: NotRecommended | None
    policy: Policy
    impact: Impact | None

    @property
    def name(self) -> str:
        return self.evaluated.option.name

    @property
    def possible(self) -> bool:
        return self.barred is None and self.impact is not None

    @property
    def known(self) -> Impact:
        assert self.impact is not None, "only what can be predicted is compared"
        return self.impact

    @property
    def failed(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.status is RuleStatus.FAIL)

    @cached_property
    def exceeded(self) -> tuple[Rule, ...]:
        """The limits that it exceeds. Default limits of rebalances and time are left out: both are criteria themselves, and a limit
        that the team has not stated requires a review, not an option that restarts every member twice."""
        unstated = {"rebalances": self.policy.rebalances_most, "time-to-stable": self.policy.time_to_stable_s_most}
        return tuple(rule for rule in self.failed if rule.blocking or unstated.get(rule.name, 0) is not None)


class Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


class WithOptions(Generic[N]):
    """A plan: its options, and the name of the recommended one."""

    __slots__ = ()

    candidates: tuple[N, ...]
    chosen: str | None

    @property
    def recommended_option(self) -> N | None:
        return next((one for one in self.candidates if one.name == self.chosen), None)

    @property
    def baseline_option(self) -> N | None:
        return next((one for one in self.candidates if one.name == BASELINE_NAME), None)
