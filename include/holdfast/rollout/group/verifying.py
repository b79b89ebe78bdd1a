"""A plan's forecast against the group afterwards: once, for every kind of group. What is compared is the kind's."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.plan_words import ASSESSMENTS
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.group.values import AnyPlan, AnySnapshot, AnyVerdict

P = TypeVar("P", bound=AnyPlan)
S = TypeVar("S", bound=AnySnapshot)
V = TypeVar("V", bound=AnyVerdict)
W = TypeVar("W")
"""What was compared, by a kind's own values."""


@dataclass(frozen=True, slots=True)
class EndCompared(Generic[W]):
    """`differences`: those of `what` and the number of rebalances, worst first; `of_what`: those about `what` alone.
    `result`: of a plan whose every step has happened. `unknown`: what could not be compared, and why."""

    what: W | None
    result: Result
    differences: tuple[Difference, ...]
    of_what: tuple[Difference, ...] = ()
    unknown: tuple[Unknown, ...] = ()


@dataclass(frozen=True, slots=True)
class Members:
    """The members are not those of the forecast, so that nothing can be compared: not yet (in progress), or others (different)."""

    result: Result
    difference: Difference


class Verifying(ABC, Generic[P, S, V, W]):
    """What a kind of group compares."""

    @abstractmethod
    def steps_shown(self, plan: P, fresh: S) -> tuple[StepEvidence, ...]: ...

    @abstractmethod
    def waits(self, plan: P, step_id: str) -> bool:
        """Whether a step only waits."""

    def at_its_end(self, plan: P, fresh: S) -> bool:  # noqa: ARG002 - for those whose plans leave groups without members
        """Whether the group is in the state in which the plan leaves it."""
        return fresh.group_state in (None, STABLE)

    @abstractmethod
    def compare(self, plan: P, fresh: S) -> EndCompared[W] | Members:
        """The end of the recommended option with the group. Raise CannotPredict where the expected end is unknown."""

    @abstractmethod
    def verdict(
        self,
        plan: P,
        fresh: S,
        result: Result,
        what: W | None,
        differences: tuple[Difference, ...],
        shown: tuple[StepEvidence, ...],
        unknown: tuple[Unknown, ...] = (),
    ) -> V: ...


def verify(how: Verifying[P, S, V, W], plan: P, fresh: S) -> V:
    """Compare. Raise InvalidInput for a plan that recommends nothing, or a snapshot of another group; CannotPredict where it is
    unknown what the change does to the members that joined."""
    if plan.recommended_option is None:
        raise InvalidInput(f"Plan {plan.plan_id} does nothing ({ASSESSMENTS[plan.assessment]}): there is no forecast to verify")
    if (fresh.cluster, fresh.group_id) != (plan.basis.cluster, plan.basis.group_id):
        raise InvalidInput(
            f"The snapshot is of group {fresh.group_id!r} on cluster {fresh.cluster!r};"
            f" plan {plan.plan_id} is for {plan.basis.group_id!r} on {plan.basis.cluster!r}"
        )
    shown = how.steps_shown(plan, fresh)
    if not how.at_its_end(plan, fresh):
        state = Difference(Differs.STATE, fresh.group_state)
        return how.verdict(plan, fresh, Result.IN_PROGRESS, None, (state,), shown)
    late = _late(how, plan, shown)
    try:
        found = how.compare(plan, fresh)
    except CannotPredict:
        if not late:
            raise
        return how.verdict(plan, fresh, _of_late(late), None, _of_steps(late), shown)
    if isinstance(found, Members):
        result = Result.NOT_YET if late and found.result is not Result.DIFFERENT else found.result
        return how.verdict(plan, fresh, result, None, (found.difference, *_of_steps(late)), shown)
    if late:
        return how.verdict(plan, fresh, _of_late(late), found.what, (*_of_steps(late), *found.of_what), shown, found.unknown)
    return how.verdict(plan, fresh, found.result, found.what, found.differences, shown, found.unknown)


def _late(how: Verifying[P, S, V, W], plan: P, shown: tuple[StepEvidence, ...]) -> tuple[StepEvidence, ...]:
    """The steps that contradict the plan or are not shown to have happened. That the waits between them are not over follows from
    those."""
    found = tuple(one for one in shown if one.evidence.shown in (Shown.CONTRADICTED, Shown.NOT_YET))
    return tuple(one for one in found if not how.waits(plan, one.step)) or found


def _of_steps(late: tuple[StepEvidence, ...]) -> tuple[Difference, ...]:
    return tuple(_of_step(one.step, one.evidence) for one in late)


def _of_step(step: str, found: Evidence) -> Difference:
    text = found.text if found.seen is None else None
    return Difference(Differs.STEP, step, status=found.shown.value, evidence=text, seen=found.seen)


def _of_late(late: tuple[StepEvidence, ...]) -> Result:
    contradicted = any(one.evidence.shown is Shown.CONTRADICTED for one in late)
    return Result.DIFFERENT if contradicted else Result.NOT_YET
