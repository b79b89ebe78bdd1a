"""Which option is recommended by a team's policy, and why each of the others is not. Once, for every kind of group.

Options are compared criterion by criterion, in the order of `CRITERIA`; the first difference decides. Why in that order:
docs/decisions/0005.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, assert_never

from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.facts import refusals
from holdfast.rollout.facts.reasons import EXCEEDING, NotRecommended, Reason
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.options.criteria import CRITERIA, Counted
from holdfast.rollout.options.criterion import first_lost
from holdfast.rollout.options.option import EvaluatedOption, Option, RankedOption
from holdfast.rollout.policy.policy import Policy

E = TypeVar("E", bound=EvaluatedOption[Option])
Ranked = RankedOption[Any]


def barred(option: Option, policy: Policy) -> NotRecommended | None:
    """Why an option is not recommended whatever it costs; None: it may be. A combination goes by the names of the options that it
    is made of too."""
    if not set(policy.exclude).isdisjoint((option.name, *option.name.split("+"))):
        return NotRecommended.EXCLUDED
    if option.if_allowed:
        return None if option.name in policy.allow else NotRecommended.NOT_ALLOWED
    return NotRecommended.DRAWBACK if option.drawback else None


def best(options: Iterable[RankedOption[E]]) -> RankedOption[E] | None:
    """None where no option can be predicted or all are barred."""
    return min((one for one in options if one.possible), key=rank, default=None)


def rank(one: Ranked) -> tuple[float, ...]:
    """All criteria, and last the order of the list."""
    return (*(criterion.key(one) for criterion in CRITERIA), one.place)


def baseline_of(options: Iterable[RankedOption[E]]) -> RankedOption[E] | None:
    """None: it cannot be predicted."""
    return next((one for one in options if one.name == BASELINE_NAME and one.impact is not None), None)


def reason(loser: Ranked, chosen: Ranked | None) -> Reason:
    """What bars it, or the first criterion by which it lost, with both figures."""
    if loser.barred is not None:
        return Reason(loser.barred)
    if loser.evaluated.refused is not None:
        return Reason(NotRecommended.NOT_PREDICTED)
    if chosen is None:
        return Reason(NotRecommended.NONE_RECOMMENDED)
    lost = first_lost(CRITERIA, loser, chosen)
    if lost is None:
        return Reason(NotRecommended.EQUAL)
    met = [rule.name for rule in chosen.exceeded]
    limits = tuple(rule.name for rule in loser.exceeded if rule.name not in met) if lost.name in EXCEEDING else ()
    return Reason(NotRecommended.CRITERION, lost.name, _figure(lost.key(loser)), _figure(lost.key(chosen)), limits)


def _figure(count: float) -> float | None:
    return None if math.isinf(count) else count


def why_not(loser: Ranked, chosen: Ranked | None, counted: Counted) -> Said[Reason]:
    """Why an option is not recommended. `counted`: what is counted of this kind of group."""
    fact = reason(loser, chosen)
    return Said(_words(fact, loser, chosen, counted), fact)


def _words(fact: Reason, loser: Ranked, chosen: Ranked | None, counted: Counted) -> str:
    option = loser.evaluated.option
    match fact.kind:
        case NotRecommended.EXCLUDED:
            return "Your policy lists it under exclude."
        case NotRecommended.NOT_ALLOWED:
            return f"{option.drawback} Your policy does not list {option.name} under allow.".lstrip()
        case NotRecommended.DRAWBACK:
            return str(option.drawback)
        case NotRecommended.NOT_PREDICTED:
            return refusals.sentence(loser.evaluated.refused)
        case NotRecommended.NONE_RECOMMENDED:
            return "No option is recommended."
        case NotRecommended.EQUAL:
            return "Equal to the best option, which comes first in the list."
        case NotRecommended.CRITERION:
            assert chosen is not None, "it lost against one"
            return next(one for one in CRITERIA if one.name == fact.criterion).explain(loser, chosen, counted)
        case _:
            assert_never(fact.kind)


def why(chosen: RankedOption[E], options: Sequence[RankedOption[E]], counted: Counted) -> str:
    """The recommended option against the baseline, and against the best of the rest."""
    others = tuple(one for one in options if one.name != chosen.name and one.possible)
    if not others:
        return "There is no other option."
    second = best(others)
    baseline = next((one for one in others if one.name == BASELINE_NAME), None)
    parts = []
    if baseline is not None:
        parts.append(_against_baseline(baseline, chosen, counted))
    if second is not None and second is not baseline:
        parts.append(f"Next best: {second.name}. {why_not(second, chosen, counted).text}")
    return " ".join(parts)


def _against_baseline(baseline: Ranked, chosen: Ranked, counted: Counted) -> str:
    """In the reviewer's terms where an order of IDs is what makes the difference: it nearly always is."""
    if counted.order and baseline.known.collateral > chosen.known.collateral:
        return (
            f"{counted.order} {counted.many(baseline.known.collateral)} of {counted.member}s outside the change would migrate too."
        )
    return f"Baseline: {why_not(baseline, chosen, counted).text}"
