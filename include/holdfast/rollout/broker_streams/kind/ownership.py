"""What the members of a group own, and its tasks."""

from collections.abc import Iterator

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.streams.group import Subtopology, Task, each_task
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot, StreamThread
from holdfast.rollout.broker_streams.target.group import topology_of


def active(member: StreamThread) -> Iterator[Task]:
    """The active tasks that it runs now."""
    return iter(()) if member.assignment is None else each_task(member.assignment.active)


def owners(snapshot: StreamsGroupSnapshot) -> dict[Task, StreamThread]:
    """Who runs each active task now."""
    return {task: member for member in snapshot.members for task in active(member)}


def subtopologies(snapshot: StreamsGroupSnapshot) -> tuple[Subtopology, ...] | None:
    """Those with tasks. None: the topology is not ready, or unknown."""
    try:
        return topology_of(snapshot)
    except CannotPredict:
        return None


def tasks(found: tuple[Subtopology, ...]) -> Iterator[tuple[Task, bool]]:
    """Each task, and whether it is stateful."""
    for one in found:
        for partition in range(one.tasks):
            yield Task(one.id, partition), one.stateful
