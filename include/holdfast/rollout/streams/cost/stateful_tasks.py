"""The tasks with state, and which of those that clients are given are among them: asked of every share of a forecast."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.kafka.streams.group import ClientAssignment
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class StatefulTasks:
    """`ends`: with the sum of their end offsets; `are_all`: the group has no other task at any time, so that none is looked up."""

    ends: Mapping[TaskId, int]
    are_all: bool

    @classmethod
    def of(cls, snapshot: Snapshot, change: Change) -> "StatefulTasks":
        ends = {task.id: task.end_offset_sum or 0 for task in snapshot.tasks if task.stateful}
        as_they_are = not any(one.partitions_made() for one in change.statements())
        return cls(ends, as_they_are and len(ends) == len(snapshot.tasks))

    def among(self, tasks: Sequence[TaskId]) -> Sequence[TaskId]:
        return tasks if self.are_all else [task for task in tasks if task in self.ends]

    def copies(self, share: ClientAssignment) -> int:
        """How many a client has of them, active and as standbys."""
        return len(self.among(share.active)) + len(self.among(share.standby))
