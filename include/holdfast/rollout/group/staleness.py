"""Does a plan still hold, by its group's drifts, by the time, and by the group's state? Once, for every kind of group."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.execution.drift import Drift, DriftKind, Staleness
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.text.format import printable


def staleness(plan: AnyPlan, fresh: AnySnapshot, drifts: Iterable[Drift]) -> Staleness:
    """`drifts`: how the group differs from the one that the plan was made for."""
    found = [*drifts]
    if not any(one.kind is DriftKind.GROUP for one in found):
        found += _time_and_state(plan, fresh)
    return Staleness(plan.plan_id, tuple(sorted(found, key=lambda one: not one.matters)))


def _time_and_state(plan: AnyPlan, fresh: AnySnapshot) -> Iterator[Drift]:
    if fresh.captured_at is not None and datetime.fromisoformat(fresh.captured_at) > datetime.fromisoformat(plan.expires_at):
        sentence = f"The plan was valid until {plan.expires_at}; the snapshot was taken at {fresh.captured_at}."
        yield Drift(DriftKind.TIME, sentence, True, "The policy was checked for an earlier time.")
    if fresh.group_state not in (None, STABLE):
        sentence = f"The group is {printable(str(fresh.group_state))}, not {STABLE}."
        yield Drift(
            DriftKind.IN_PROGRESS, sentence, True, "The assignment is not visible until it is stable: take a snapshot then."
        )
