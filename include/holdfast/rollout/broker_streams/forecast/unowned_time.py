"""How long a task has no owner that a target gives to another member, before it restores anything (`coordinated.unowned_time`)."""

from holdfast.kafka.coordinator.streams.group import Task, each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.coordinated import unowned_time
from holdfast.rollout.coordinated.clock import Times
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.coordinated.targets import Return
from holdfast.rollout.coordinated.unowned_time import Given

Unowned = tuple[tuple[Task, Seconds | None], ...]


def unowned(
    ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...], times: Times[Task], returns: tuple[Return, ...] = ()
) -> Unowned:
    """For each task that is handed over, all its hand-overs together. None: unknown, because it waits for a client to start."""
    runs = {
        task: one.member_id
        for one in ground.snapshot.members
        if (there := one.assignment or one.target) is not None
        for task in each_task(there.active)
    }
    found = unowned_time.unowned(
        runs,
        [one.member_id for one in ground.snapshot.members],
        [batch.wait for batch in change.numbered_batches()],
        [_given(one) for one in targets],
        times,
        returns,
    )
    return tuple(sorted(found.items(), key=lambda each: each[0].rank))


def _given(target: ComputedTarget) -> Given[Task]:
    return Given(target, tuple((one.member_id, tuple(each_task(one.active))) for one in target.assignment.members))
