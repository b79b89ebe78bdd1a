"""What the disk of each process has of the stateful tasks, target by target."""

from collections.abc import Mapping

from holdfast.kafka.coordinator.streams.group import Task, Tasks, each_task
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.snapshot.changelogs import TaskChangelogs
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot, StreamThread

Checkpoint = Mapping[TopicPartition, int]
"""The offset of the last record that a store has of each changelog."""


def stateful_tasks(tasks: Tasks, stateful: frozenset[str]) -> tuple[Task, ...]:
    """Those of stateful subtopologies."""
    return tuple(each_task(tuple(one for one in tasks if one[0] in stateful)))


class Disks:
    """By the Snapshot's members, the state directories that were read, and the targets since: who had a task keeps a copy that is
    up to date. A disk that is copied, or kept under another process ID, has what it had; one that is lost has nothing."""

    def __init__(self, snapshot: StreamsGroupSnapshot, change: BrokerChange, stateful: frozenset[str]) -> None:
        self._stateful = stateful
        self._had: dict[str, set[Task]] = {}
        self._members: dict[str, set[str]] = {}
        self._kept: dict[str, tuple[str, Tasks, Tasks]] = {}
        for one in snapshot.members:
            self._add(one)
        self._found = found_in(snapshot)
        events = change.statements()
        self._copied = {new: old for event in events for new, old in event.copied_disks() if new != old}
        self._lost = {new for event in events for new in event.lost_disks()}

    def _add(self, one: StreamThread) -> None:
        there = self._had.setdefault(one.process_id or "", set())
        self._members.setdefault(one.process_id or "", set()).add(one.member_id)
        for owned in (one.assignment, one.target):
            if owned is not None:
                there.update(stateful_tasks(owned.active, self._stateful), stateful_tasks(owned.standby, self._stateful))
        there.update(task for task, _ in one.task_offsets)

    def begin(self, target: ComputedTarget) -> frozenset[str]:
        """The disks as that target finds them. Return the processes that have started anew."""
        members: dict[str, set[str]] = {}
        for member, process in target.processes:
            if member not in target.ended:
                members.setdefault(process, set()).add(member)
        anew = frozenset(one for one, now in members.items() if not now & self._members.get(one, set()))
        for process in self._lost & anew:
            self._had.pop(process, None)
            self._found.pop(process, None)
        self._members = members
        return anew

    def has(self, process: str, task: Task) -> bool:
        """Whether it has, or has had, anything of the task."""
        return self._copy(process, task) is not None

    def lacking(self, process: str, task: Task, changelogs: TaskChangelogs) -> int:
        """The records that it has to restore to run the task; at most."""
        found = self._copy(process, task)
        return changelogs.lacking({} if found is None else found) if found is not _WHOLE else 0

    def _copy(self, process: str, task: Task) -> Checkpoint | None:
        seen: set[str] = set()
        while process not in seen:
            seen.add(process)
            if task in self._had.get(process, ()):
                return _WHOLE
            found = self._found.get(process, {}).get(task)
            if found is not None:
                return found
            process = self._copied.get(process, process)
        return None

    def keep(self, target: ComputedTarget) -> None:
        """What it gives is on the disks from then on."""
        processes = dict(target.processes)
        for given in target.assignment.members:
            share = processes[given.member_id], given.active, given.standby
            if self._kept.get(given.member_id) != share:
                self._kept[given.member_id] = share
                there = self._had.setdefault(processes[given.member_id], set())
                there.update(stateful_tasks(given.active, self._stateful), stateful_tasks(given.standby, self._stateful))


_WHOLE: Checkpoint = {}
"""A copy that is up to date (this object)."""


def found_in(snapshot: StreamsGroupSnapshot) -> dict[str, dict[Task, Checkpoint]]:
    """The copies in state directories of which an offset is known; the others are restored in full."""
    return {
        str(directory.process_id): {
            Task(str(one.task_id.subtopology), one.task_id.partition): dict(one.checkpoint or ())
            for one in directory.tasks
            if one.non_empty and any(offset >= 0 for _, offset in one.checkpoint or ())
        }
        for directory in snapshot.state_directories
        if directory.process_id is not None
    }
