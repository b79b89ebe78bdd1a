"""What members report of their disks, target by target: from 4.4 on the assignor goes by it (KAFKA-20719).

Clients of 4.4 report with their first heartbeat, and again when their tasks change: each thread all that the disk of its client
has, without the active tasks that it runs itself (`TaskManager.maybeUpdateTaskOffsetSumSnapshot`). A coordinator keeps what a
member reported last (`StreamsGroup.updateTaskOffsets`).
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from holdfast.kafka import java
from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams.group import Group, Member, MemberTarget, Task, each_task
from holdfast.rollout.broker_streams.change.assumptions import Offsets
from holdfast.rollout.broker_streams.forecast.disks import found_in, stateful_tasks
from holdfast.rollout.broker_streams.forecast.silent_members import Had
from holdfast.rollout.broker_streams.snapshot.changelogs import of_tasks
from holdfast.rollout.broker_streams.snapshot.snapshot import GroupTopology, StreamsGroupSnapshot

Said = tuple[tuple[Task, int], ...]
"""What a member reports: the sum of the offsets after the last record of each changelog, by task."""
_NOTHING = frozenset[Task]()


class OnDisks(NamedTuple):
    """By process ID: `had`: the tasks of which the disk has a copy that is up to date; `older`: what other copies hold, by task.

    `known`: the clients whose state directory the Snapshot has; `said`: by member, what it reported last; `silent`: of them those
    that say nothing more.
    """

    had: Mapping[str, frozenset[Task]]
    older: Mapping[str, Mapping[Task, int]]
    known: frozenset[str]
    said: Mapping[str, Said]
    silent: AbstractSet[str] = frozenset()


Arriving = Mapping[str, str | None]
"""Clients that start on a disk that is not their own, by process ID: whose copy it is; None: it is empty."""


class Reports:
    """`follow` False: no member reports anything that the Snapshot does not show."""

    def __init__(self, snapshot: StreamsGroupSnapshot, group: Group, topology: GroupTopology, assume: Offsets) -> None:
        self._all = assume is Offsets.DISKS
        known = frozenset(str(one.process_id) for one in snapshot.state_directories if one.process_id is not None)
        self.follow = behaviour(group.release).offsets_count and (self._all or (bool(known) and assume is Offsets.DIRECTORIES))
        self.start = OnDisks({}, {}, known, {})
        if not self.follow:
            return
        self._stateful = frozenset(one.id for one in group.subtopologies if one.stateful)
        logs = of_tasks(topology, group.subtopologies, snapshot.topics)
        self._ends = {task: sum(end for _, _, end in of.logs) for task, of in logs.items()}
        self._shown = {one.member_id: one.task_offsets for one in group.members}
        older = {
            process: {task: sum(offset + 1 for offset in copy.values() if offset >= 0) for task, copy in copies.items()}
            for process, copies in found_in(snapshot).items()
        }
        for one in group.members:
            there = older.setdefault(one.process_id, {})
            for task, offset in one.task_offsets:
                there[task] = max(offset, there.get(task, 0))
        had = ((one.process_id, MemberTarget(one.member_id, one.active, one.standby)) for one in group.members)
        self.start = self.start._replace(had=self._with({}, had), older=older)

    def heard(
        self, disks: OnDisks, members: Mapping[str, Member], had: Had, silent: AbstractSet[str], arriving: Arriving
    ) -> OnDisks:
        """Once the members have sent heartbeats, those that are `silent` excepted. `had`: what each has."""
        if not self.follow:
            return disks
        running = {one.process_id for name, one in members.items() if name not in silent}
        after = disks
        come = {process: source for process, source in arriving.items() if process in running}
        if come:
            after = self._arrived(disks, come)
            there = [name for name, one in members.items() if one.process_id in come and name in had and name not in silent]
            after = after._replace(had=self._with(after.had, ((members[name].process_id, had[name]) for name in there)))
        holds = {process: self._holds(after, process) for process in running}
        said: dict[str, Said] = {}
        for name, one in members.items():
            if name in disks.silent:
                said[name] = disks.said[name]
            elif name in self._shown and not self._all:
                said[name] = self._shown[name]
            else:  # who is silent now has reported what it had before
                found = self._holds(disks, one.process_id) if name in silent else holds[one.process_id]
                said[name] = _without(found, had.get(name))
        return after._replace(said=said, silent=silent & members.keys())

    def given(self, disks: OnDisks, members: Mapping[str, Member], kept: Iterable[MemberTarget]) -> OnDisks:
        """Once the members have what a target gives them: it stays on their disks."""
        if not self.follow:
            return disks
        running = members.keys() - disks.silent
        there = ((members[one.member_id].process_id, one) for one in kept if one.member_id in running)
        return disks._replace(had=self._with(disks.had, there))

    def _arrived(self, disks: OnDisks, arriving: Arriving) -> OnDisks:
        had, older, known = dict(disks.had), dict(disks.older), set(disks.known)
        for process, source in arriving.items():
            if source is None:
                had.pop(process, None)
                older.pop(process, None)
                continue
            had[process] = had.get(process, _NOTHING) | had.get(source, _NOTHING)
            older[process] = {**older.get(source, {}), **older.get(process, {})}
            if source in known:
                known.add(process)
        return OnDisks(had, older, frozenset(known), disks.said)

    def _with(self, had: Mapping[str, frozenset[Task]], given: Iterable[tuple[str, MemberTarget]]) -> dict[str, frozenset[Task]]:
        found = dict(had)
        for process, one in given:
            tasks = (*stateful_tasks(one.active, self._stateful), *stateful_tasks(one.standby, self._stateful))
            found[process] = found.get(process, _NOTHING).union(tasks)
        return found

    def _holds(self, disks: OnDisks, process: str) -> dict[Task, int]:
        """What a thread of that client reports that runs nothing."""
        if not self._all and process not in disks.known:
            return {}
        older = disks.older.get(process, {})
        return {**older, **{task: self._ends.get(task, older.get(task, java.LONG_MAX)) for task in disks.had.get(process, ())}}


def _without(holds: Mapping[Task, int], has: MemberTarget | None) -> Said:
    runs = _NOTHING if has is None else frozenset(each_task(has.active))
    return tuple((task, offset) for task, offset in holds.items() if task not in runs)
