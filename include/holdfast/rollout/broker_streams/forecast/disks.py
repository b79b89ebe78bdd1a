"""What the disk of each process has of the stateful tasks, target by target."""

from collections.abc import Mapping
from typing import NamedTuple

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
    found = tuple([one for one in tasks if one[0] in stateful])
    return tuple(each_task(found)) if found else ()


class _Copy(NamedTuple):
    """A copy of which an offset is known: that of its checkpoint, or what a member reported. `whole`: it is up to date."""

    checkpoint: Checkpoint | None = None
    reported: int | None = None
    whole: bool = False


_WHOLE = _Copy(whole=True)


class Disks:
    """By the Snapshot's members, the state directories that were read, and the targets since: who ran a task keeps a copy that is
    up to date, and so does who had a standby copy of which no offset is known. A disk that is copied, or kept under another
    process ID, has what it had; one that is lost has nothing."""

    def __init__(self, snapshot: StreamsGroupSnapshot, change: BrokerChange, stateful: frozenset[str]) -> None:
        self._stateful = stateful
        self._had: dict[str, set[Task]] = {}
        self._behind: dict[str, set[Task]] = {}
        self._members: dict[str, set[str]] = {}
        self._kept: dict[str, tuple[str, Tasks, Tasks]] = {}
        self._found = found_in(snapshot)
        self._said = reported_in(snapshot)
        for one in snapshot.members:
            self._add(one)
        for process, tasks in self._behind.items():
            tasks -= self._had[process]
        events = change.statements()
        self._copied = {new: old for event in events for new, old in event.copied_disks() if new != old}
        self._lost = {new for event in events for new in event.lost_disks()}

    def _add(self, one: StreamThread) -> None:
        process = one.process_id or ""
        there, behind = self._had.setdefault(process, set()), self._behind.setdefault(process, set())
        self._members.setdefault(process, set()).add(one.member_id)
        others = {task for task, _ in one.task_offsets}
        for owned in (one.assignment, one.target):
            if owned is not None:
                runs = stateful_tasks(owned.active, self._stateful)
                (there if owned is one.assignment else others).update(runs)
                others.update(stateful_tasks(owned.standby, self._stateful))
        for task in others:
            (there if self._measured(process, task) is None else behind).add(task)

    def _measured(self, process: str, task: Task) -> _Copy | None:
        found, said = self._found.get(process, {}).get(task), self._said.get(process, {}).get(task)
        return None if found is None and said is None else _Copy(found, said)

    def begin(self, target: ComputedTarget) -> frozenset[str]:
        """The disks as that target finds them. Return the processes that have started anew."""
        members: dict[str, set[str]] = {}
        for member, process in target.processes:
            if member not in target.ended:
                members.setdefault(process, set()).add(member)
        anew = frozenset(one for one, now in members.items() if not now & self._members.get(one, set()))
        for process in self._lost & anew:
            for each in (self._had, self._found, self._said, self._behind):
                each.pop(process, None)
        self._members = members
        return anew

    def has(self, process: str, task: Task) -> bool:
        """Whether it has, or has had, anything of the task."""
        return self._copy(process, task) is not None

    def lacking(self, process: str, task: Task, changelogs: TaskChangelogs) -> int:
        """The records that it has to restore to run the task; at most."""
        found = self._copy(process, task) or _Copy({})
        if found.whole:
            return 0
        known = [] if found.checkpoint is None else [changelogs.lacking(found.checkpoint)]
        return min([*known, *([] if found.reported is None else [changelogs.lacking_of(found.reported)])])

    def behind(self, changelogs: Mapping[Task, TaskChangelogs]) -> dict[str, dict[Task, int]]:
        """By process: what the copies lack, at most, that its members have without running their tasks."""
        return {
            process: {
                task: found for task in tasks if task in changelogs and (found := self.lacking(process, task, changelogs[task]))
            }
            for process, tasks in self._behind.items()
        }

    def _copy(self, process: str, task: Task) -> _Copy | None:
        seen: set[str] = set()
        while process not in seen:
            seen.add(process)
            if task in self._had.get(process, ()):
                return _WHOLE
            found = self._measured(process, task)
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


def found_in(snapshot: StreamsGroupSnapshot) -> dict[str, dict[Task, Checkpoint]]:
    """The copies in state directories of which an offset is known; the others are restored in full."""
    return {
        str(directory.process_id): {
            Task(str(one.task_id.subtopology), one.task_id.partition): dict(one.checkpoint or ())
            for one in directory.tasks
            if one.non_empty and any(offset >= 0 for _, offset in one.checkpoint or ())
        }
        for directory in (*(() if snapshot.classic is None else snapshot.classic.reported), *snapshot.state_directories)
        if directory.process_id is not None
    }


def reported_in(snapshot: StreamsGroupSnapshot) -> dict[str, dict[Task, int]]:
    """What members report of their disks (from 4.4 on): by process and task, the sum of the offsets after the last records."""
    found: dict[str, dict[Task, int]] = {}
    for one in snapshot.members:
        there = found.setdefault(one.process_id or "", {})
        for task, offset in one.task_offsets:
            if offset >= 0:
                there[task] = max(offset, there.get(task, 0))
    return found
