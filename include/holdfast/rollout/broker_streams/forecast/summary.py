"""What the targets of a change move, in figures."""

from collections.abc import Iterator
from typing import NamedTuple

from holdfast.kafka.coordinator.streams.group import Task, Tasks, each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.clock import Times, rounded
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerSummary, ComputedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamThread

Owners = dict[Task, str]
"""The process that runs each stateful task."""


class Move(NamedTuple):
    """A stateful task that a target gives to another process than the one before. `cold`: whose disk has never had it."""

    task: Task
    before: str
    after: str
    cold: bool


def summary(ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...], times: Times | None = None) -> BrokerSummary:
    """`times` None: how long it takes is left out."""
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    first = owners_now(ground, stateful)
    last = owners(targets[-1], stateful) if targets else first
    counts = tuple(hand_overs(ground, change, targets))
    return BrokerSummary(
        stateful_tasks=sum(one.tasks for one in ground.group.subtopologies if one.stateful),
        active_moved=sum(last.get(task) != process for task, process in first.items()),
        moves=sum(moves for moves, _ in counts),
        cold_moves=sum(cold for _, cold in counts),
        targets=len(targets),
        seconds_to_stable=None if times is None else rounded(times.stable),
        start_ups=0 if times is None else times.start_ups,
    )


def hand_overs(ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...]) -> Iterator[tuple[int, int]]:
    """For each target, the stateful tasks that it hands over, and how many of them go to a disk that has never had them."""
    for moves in moves_by_target(ground, change, targets):
        yield len(moves), sum(move.cold for move in moves)


def moves_by_target(ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...]) -> Iterator[tuple[Move, ...]]:
    """What each target moves."""
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    disks = _Disks(ground, change, stateful)
    before = owners_now(ground, stateful)
    for target in targets:
        after = owners(target, stateful)
        yield tuple(
            Move(task, before[task], process, not disks.has(process, task))
            for task, process in after.items()
            if before.get(task, process) != process
        )
        disks.keep(target)
        before = after


def owners_now(ground: Ground, stateful: frozenset[str]) -> Owners:
    """Who runs what in the Snapshot; who is to, where that is unknown."""
    found: Owners = {}
    for one in ground.snapshot.members:
        there = one.assignment or one.target
        if there is not None and one.process_id is not None:
            found |= dict.fromkeys(_stateful(there.active, stateful), one.process_id)
    return found


def owners(target: ComputedTarget, stateful: frozenset[str]) -> Owners:
    processes = dict(target.processes)
    return {task: processes[given.member_id] for given in target.assignment.members for task in _stateful(given.active, stateful)}


def _stateful(tasks: Tasks, stateful: frozenset[str]) -> tuple[Task, ...]:
    return tuple(task for task in each_task(tasks) if task.subtopology in stateful)


class _Disks:
    """What each process has had on its disk, by the Snapshot and the targets. A disk that is copied, or kept under
    another process ID, has what it had; one that is lost has nothing."""

    def __init__(self, ground: Ground, change: BrokerChange, stateful: frozenset[str]) -> None:
        self._stateful = stateful
        self._had: dict[str, set[Task]] = {}
        for one in ground.snapshot.members:
            self._add(one)
        events = change.statements()
        self._copied = {new: old for event in events for new, old in event.copied_disks() if new != old}
        self._lost = {new for event in events for new in event.lost_disks()}

    def _add(self, one: StreamThread) -> None:
        there = self._had.setdefault(one.process_id or "", set())
        for owned in (one.assignment, one.target):
            if owned is not None:
                there.update(_stateful(owned.active, self._stateful), _stateful(owned.standby, self._stateful))
        there.update(task for task, _ in one.task_offsets)

    def has(self, process: str, task: Task) -> bool:
        seen: set[str] = set()
        while process not in seen:
            seen.add(process)
            if task in self._had.get(process, ()):
                return True
            process = self._copied.get(process, process)
        return False

    def keep(self, target: ComputedTarget) -> None:
        processes = dict(target.processes)
        present = set(processes.values())
        for process in self._lost - present:
            self._had.pop(process, None)
        for given in target.assignment.members:
            there = self._had.setdefault(processes[given.member_id], set())
            there.update(_stateful(given.active, self._stateful), _stateful(given.standby, self._stateful))
