"""Which option is recommended by a team's policy, and why each of the others is not. Once, for every kind of group.

Options are compared criterion by criterion, in the order of `CRITERIA`; the first difference decides. Why in that order:
docs/decisions/0005.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from holdfast.rollout.contract.verdicts import PLAINLY
from holdfast.rollout.options.criteria import CRITERIA, Counted
from holdfast.rollout.options.criterion import first_lost
from holdfast.rollout.options.option import EvaluatedOption, Option, RankedOption
from holdfast.rollout.policy.policy import Policy

E = TypeVar("E", bound=EvaluatedOption[Option])
Ranked = RankedOption[Any]


def barred(option: Option, policy: Policy) -> str:
    """Why an option is not recommended whatever it costs; empty: it may be. A combination goes by the names of the options that it
    is made of too."""
    if not set(policy.exclude).isdisjoint((option.name, *option.name.split("+"))):
        return "Excluded by your policy."
    if not option.if_allowed:
        return option.drawback
    if option.name in policy.allow:
        return ""
    return f"{option.drawback} Your policy does not list {option.name} under allow.".lstrip()


def best(options: Iterable[RankedOption[E]]) -> RankedOption[E] | None:
    """None where no option can be predicted or all are barred."""
    return min((one for one in options if one.possible), key=rank, default=None)


def rank(one: Ranked) -> tuple[float, ...]:
    """All criteria, and last the order of the list."""
    return (*(criterion.key(one) for criterion in CRITERIA), one.place)


def baseline_of(options: Iterable[RankedOption[E]]) -> RankedOption[E] | None:
    """None: it cannot be predicted."""
    return next((one for one in options if one.name == PLAINLY and one.impact is not None), None)


def why_not(loser: Ranked, chosen: Ranked | None, counted: Counted) -> str:
    """The first criterion by which it lost, in words. `counted`: what is counted of this kind of group."""
    if loser.barred:
        return loser.barred
    if loser.evaluated.refused is not None or chosen is None:
        return loser.evaluated.refused or "No option is recommended."
    lost = first_lost(CRITERIA, loser, chosen)
    if lost is None:
        return "Equal to the recommended option, which comes first in the list."
    return lost.explain(loser, chosen, counted)


def why(chosen: RankedOption[E], options: Sequence[RankedOption[E]], counted: Counted) -> str:
    """The recommended option against the baseline, and against the best of the rest."""
    others = tuple(one for one in options if one.name != chosen.name and one.possible)
    if not others:
        return "There is no other option."
    second = best(others)
    plain = next((one for one in others if one.name == PLAINLY), None)
    parts = []
    if plain is not None:
        parts.append(_against_baseline(plain, chosen, counted))
    if second is not None and second is not plain:
        parts.append(f"Next best: {second.name}. {why_not(second, chosen, counted)}")
    return " ".join(parts)


def _against_baseline(plain: Ranked, chosen: Ranked, counted: Counted) -> str:
    """In the reviewer's terms where an order of IDs is what makes the difference: it nearly always is."""
    if counted.order and plain.known.collateral > chosen.known.collateral:
        return f"{counted.order} {counted.many(plain.known.collateral)} of {counted.member}s outside the change would migrate too."
    return f"Baseline: {why_not(plain, chosen, counted)}"
