"""Whether a plan is still valid for the group, and if not, why. No clock: the time is the new snapshot's.

What moves every second is not looked at: end offsets, lags, who leads. The forecast's ranges say what they do to it.
"""

from dataclasses import replace

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.execution.drift import Drift, DriftKind, Staleness
from holdfast.rollout.group.staleness import staleness
from holdfast.rollout.streams.execution.drift import drifts
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import touched


def is_stale(plan: Plan, fresh: Snapshot) -> Staleness:
    """Before the first step; a plan in progress explains some differences; `apply.next_action` handles that."""
    steps: dict[ProcessId, None] = {process_id: None for step in plan.steps for process_id in touched(step.action)}
    found = [
        replace(one, matters=True, why="A step of the plan goes to the old host.") if _moved_under_a_step(one, steps) else one
        for one in drifts(plan.basis, fresh)
    ]
    return staleness(plan, fresh, found)


def _moved_under_a_step(one: Drift, steps: dict[ProcessId, None]) -> bool:
    return one.kind is DriftKind.HOST and one.process_id in steps
