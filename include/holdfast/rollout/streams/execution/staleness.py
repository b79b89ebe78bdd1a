"""Whether a plan is still valid for the group, and if not, why. No clock: the time is the new snapshot's.

What moves every second is not looked at: end offsets, lags, who leads. The forecast's ranges say what they do to it.
"""

from dataclasses import replace
from datetime import datetime

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.execution.drift import Drift, Kind, Staleness
from holdfast.rollout.streams.plan.basis import drifts
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import touched
from holdfast.rollout.text.wording import printable

STABLE = (None, "Stable")


def is_stale(plan: Plan, fresh: Snapshot) -> Staleness:
    """Before the first step; a plan under way explains some of what it finds, which `apply.next_action` knows."""
    steps: dict[ProcessId, None] = {process_id: None for step in plan.steps for process_id in touched(step.action)}
    found = [
        replace(one, matters=True, why="A step of the plan goes to the old host.") if _moved_under_a_step(one, steps) else one
        for one in drifts(plan.basis, fresh)
    ]
    if not any(one.kind is Kind.GROUP for one in found):
        found += _time_and_state(plan, fresh)
    return Staleness(plan.plan_id, tuple(sorted(found, key=lambda one: not one.matters)))


def _moved_under_a_step(one: Drift, steps: dict[ProcessId, None]) -> bool:
    return one.kind is Kind.HOST and one.process_id in steps


def _time_and_state(plan: Plan, fresh: Snapshot) -> tuple[Drift, ...]:
    late = fresh.captured_at is not None and datetime.fromisoformat(fresh.captured_at) > datetime.fromisoformat(plan.expires_at)
    moving = fresh.group_state not in STABLE
    found = []
    if late:
        sentence = f"The plan was valid until {plan.expires_at}; the snapshot was taken at {fresh.captured_at}."
        found.append(Drift(Kind.TIME, sentence, True, "The policy was checked for an earlier time."))
    if moving:
        sentence = f"The group is {printable(str(fresh.group_state))}, not Stable."
        found.append(
            Drift(Kind.UNDER_WAY, sentence, True, "The assignment is not visible until it is stable: take a snapshot then.")
        )
    return tuple(found)
