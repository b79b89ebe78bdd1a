"""What clients restore after each target: what their disks lack of the copies that it gives to a client which did not have them.

End offsets do not grow meanwhile, and a client that had a copy keeps it: Kafka Streams deletes it later (`state.cleanup.delay.ms`).
A standby copy that is to run has to be restored first too: one that was behind in the Snapshot, or that an earlier target created.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdfast.kafka.coordinator.streams.group import Task, Tasks
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.disks import Disks, stateful_tasks
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.forecast.restores import ClientRestore, Promoted, Restores, TargetRestores
from holdfast.rollout.broker_streams.snapshot.changelogs import TaskChangelogs, of_tasks
from holdfast.rollout.coordinated.clock import Times
from holdfast.rollout.coordinated.spans import rounded
from holdfast.rollout.disks.logs import to_restore

Changelogs = Mapping[Task, TaskChangelogs]


def changelogs_of(ground: Ground) -> Changelogs:
    """Of each stateful task."""
    return of_tasks(ground.topology, ground.group.subtopologies, ground.snapshot.topics)


def restores(
    ground: Ground, changelogs: Changelogs, change: BrokerChange, targets: tuple[ComputedTarget, ...], times: Times[Task]
) -> Restores | None:
    """`change`: with every ID given. None: the end of a changelog is unknown that a client restores from."""
    if not changelogs and any(one.stateful for one in ground.group.subtopologies):
        return None
    found: list[TargetRestores] = []
    for number, (begun, moment) in enumerate(zip(_begun(ground, change, targets, changelogs), times.moments, strict=True)):
        if begun is None:
            return None
        clients = tuple(_client(process, one, changelogs) for process, one in begun.items() if any(one))
        if clients:
            found.append(TargetRestores(number, rounded(moment.stable), clients, targets[number].batch))
    return tuple(found)


class _Copies(NamedTuple):
    """Of one client after a target: the records that it begins to restore of tasks that it is to run, and of standby copies; and
    the copies that it is to run and restores since an earlier target: that one, and what they lacked then."""

    active: dict[Task, int]
    standby: dict[Task, int]
    promoted: dict[Task, tuple[int, int]]


def _begun(
    ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...], changelogs: Changelogs
) -> Iterator[dict[str, _Copies] | None]:
    """Target by target: by client, what it begins to restore; None: unknown."""
    books = _Books(ground, change, changelogs)
    before = _now(ground)
    running = {process: _runs(members, books.stateful) for process, members in before.items()}
    for number, target in enumerate(targets):
        anew = books.disks.begin(target)
        given = _given(target)
        found: dict[str, _Copies] = {}
        runs: dict[str, frozenset[Task]] = {}
        for process, members in given.items():
            had = frozenset[Task]() if process in anew else running.get(process, frozenset())
            if members == before.get(process) and process not in anew:
                runs[process] = had
                continue
            runs[process] = _runs(members, books.stateful)
            copies = books.copies(number, process, members, had)
            if copies is None:
                yield None
                return
            found[process] = copies
        yield found
        books.disks.keep(target)
        running, before = runs, given


class _Books:
    """What each client restores. `late`: of its standby copies of the Snapshot, those that are behind; `pending`: standby copies
    that it has begun since, with the number of the target and what they lacked."""

    def __init__(self, ground: Ground, change: BrokerChange, changelogs: Changelogs) -> None:
        self.stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
        self.disks = Disks(ground.snapshot, change, self.stateful)
        self._ground = ground
        self._changelogs = changelogs
        self._grown = {topic.name: topic.partitions for topic in ground.snapshot.topics}
        self._late = self.disks.behind(changelogs)
        self._pending: dict[str, dict[Task, tuple[int, int]]] = {}

    def copies(self, number: int, process: str, members: "_Shares", had: frozenset[Task]) -> _Copies | None:
        """After the target with that number, of a client that had these copies. None: unknown."""
        active, standby = ([task for share in role for task in stateful_tasks(share, self.stateful)] for role in members)
        late, pending = self._late.setdefault(process, {}), self._pending.setdefault(process, {})
        found = _Copies({}, {}, {})
        for task in (*active, *standby):
            if task in had or _is_new(self._ground, task, self._grown):
                continue
            if task not in self._changelogs:
                return None
            if records := self.disks.lacking(process, task, self._changelogs[task]):  # nothing of it is restored yet
                late[task] = records
                pending.pop(task, None)
        for task in active:
            if records := late.pop(task, 0):
                found.active[task] = records
            elif task in pending:
                found.promoted[task] = pending.pop(task)
        for task in standby:
            if task not in had and (records := late.pop(task, 0)):
                found.standby[task] = records
                pending[task] = number, records
        return found


def _is_new(ground: Ground, task: Task, partitions: Mapping[str, int]) -> bool:
    """Whether it came with partitions that a topic was given: its changelogs are empty."""
    topics = next(one.changelog_topics for one in ground.topology.subtopologies if one.subtopology == task.subtopology)
    return all(task.partition >= partitions.get(topic, task.partition + 1) for topic in topics)


_Shares = tuple[list[Tasks], list[Tasks]]
"""Of one process: the active tasks of each member, and the standby tasks."""


def _given(target: ComputedTarget) -> dict[str, _Shares]:
    processes = dict(target.processes)
    found: dict[str, _Shares] = {}
    for one in target.assignment.members:
        active, standby = found.setdefault(processes[one.member_id], ([], []))
        active.append(one.active)
        standby.append(one.standby)
    return found


def _now(ground: Ground) -> dict[str, _Shares]:
    found: dict[str, _Shares] = {}
    for one in ground.snapshot.members:
        there = one.assignment or one.target
        if there is not None and one.process_id is not None:
            active, standby = found.setdefault(one.process_id, ([], []))
            active.append(there.active)
            standby.append(there.standby)
    return found


def _runs(members: _Shares, stateful: frozenset[str]) -> frozenset[Task]:
    return frozenset(task for role in members for share in role for task in stateful_tasks(share, stateful))


def _client(process: str, copies: _Copies, changelogs: Changelogs) -> ClientRestore:
    active, both = copies.active, {**copies.active, **copies.standby}
    sizes = {task: sizes for task in both if (sizes := changelogs[task].sizes) is not None}
    records, of_active = sum(both.values()), sum(active.values())
    promoted = tuple(
        Promoted(since, len(each), sum(each))
        for since in sorted({number for number, _ in copies.promoted.values()})
        if (each := [records for number, records in copies.promoted.values() if number == since])
    )
    return ClientRestore(process, len(both), records, to_restore(sizes, both), len(active), of_active, promoted)
