"""The processes of a group (its clients): the members that share a process ID, and what they own together."""

from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.streams.group import Subtopology, Task, each_task
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot, StreamThread
from holdfast.rollout.broker_streams.target.group import topology_of


@dataclass(frozen=True, slots=True)
class Process:
    """`members`: one for each stream thread, in the order of the Snapshot. A member without a process ID is alone."""

    process_id: str | None
    members: tuple[StreamThread, ...]

    @property
    def host(self) -> str | None:
        return self.members[0].host

    @property
    def name(self) -> str:
        return self.process_id or self.members[0].member_id


def processes(snapshot: StreamsGroupSnapshot) -> tuple[Process, ...]:
    """In the order in which the Snapshot first names them."""
    found: dict[str, list[StreamThread]] = {}
    for member in snapshot.members:
        found.setdefault(member.process_id or f"\0{member.member_id}", []).append(member)
    return tuple(Process(members[0].process_id, tuple(members)) for members in found.values())


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
