"""What the targets of a change move, in figures."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdfast.kafka.coordinator.streams.group import Task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.disks import Disks, stateful_tasks
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerSummary, ComputedTarget, HandOvers
from holdfast.rollout.broker_streams.forecast.restores import Amounts
from holdfast.rollout.coordinated.clock import Times
from holdfast.rollout.coordinated.spans import rounded

Owners = dict[Task, str]
"""The process that runs each stateful task."""


class TaskMove(NamedTuple):
    """A stateful task that a target gives to another process than the one before. `cold`: whose disk has never had it."""

    task: Task
    before: str
    after: str
    cold: bool


def summary(
    ground: Ground,
    change: BrokerChange,
    targets: tuple[ComputedTarget, ...],
    counts: tuple[HandOvers, ...],
    times: Times[Task] | None = None,
    restored: Amounts | None = None,
) -> BrokerSummary:
    """`change`: with every ID given. `counts`: of each target (`hand_overs`). `times` None: how long it takes is left out;
    `restored` None: what is restored."""
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    first, classic = owners_now(ground, stateful), were_classic(change)
    last = owners(targets[-1], stateful) if targets else first
    return BrokerSummary(
        stateful_tasks=sum(one.tasks for one in ground.group.subtopologies if one.stateful),
        active_moved=sum(classic.get(now := last.get(task), now) != process for task, process in first.items()),
        moves=sum(one.moves for one in counts),
        cold_moves=sum(one.cold for one in counts),
        targets=len(targets),
        seconds_to_stable=None if times is None else rounded(times.stable),
        start_ups=0 if times is None else times.start_ups,
        restored_records=None if restored is None else restored.records,
        restored_bytes=None if restored is None else restored.size,
    )


def hand_overs(ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...]) -> tuple[HandOvers, ...]:
    """Of each target. `change`: with every ID given."""
    moves = moves_by_target(ground, change, targets)
    return tuple(HandOvers(len(one), sum(move.cold for move in one)) for one in moves)


def moves_by_target(ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...]) -> Iterator[tuple[TaskMove, ...]]:
    """What each target moves."""
    stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
    disks = Disks(ground.snapshot, change, stateful)
    before, classic = owners_now(ground, stateful), were_classic(change)
    for target in targets:
        disks.begin(target)
        after = owners(target, stateful)
        yield tuple(
            TaskMove(task, before[task], process, not disks.has(process, task))
            for task, process in after.items()
            if before.get(task, process) not in (process, classic.get(process))
        )
        disks.keep(target)
        before = after


def were_classic(change: BrokerChange) -> Mapping[str | None, str]:
    """The process IDs in their classic group of clients that come from one, by those that they have then."""
    events = [(one.comes(), one.was_classic()) for one in change.statements()]
    return {comes[0].process_id: old for comes, old in events if comes is not None and old is not None}


def owners_now(ground: Ground, stateful: frozenset[str]) -> Owners:
    """Who runs what in the Snapshot; who is to, where that is unknown."""
    found: Owners = {}
    for one in ground.snapshot.members:
        there = one.assignment or one.target
        if there is not None and one.process_id is not None:
            found |= dict.fromkeys(stateful_tasks(there.active, stateful), one.process_id)
    return found


def owners(target: ComputedTarget, stateful: frozenset[str]) -> Owners:
    processes = dict(target.processes)
    return {
        task: processes[given.member_id] for given in target.assignment.members for task in stateful_tasks(given.active, stateful)
    }
