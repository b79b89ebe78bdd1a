"""The arrays that a walk works on. A search walks hundreds of times, and new arrays of a large group are slow the first time that
they are written to: so those of a walk that is over are used again."""

from typing import NamedTuple

import numpy as np

from holdfast.kafka.streams.compiled import arrays
from holdfast.kafka.streams.compiled.arrays import ABSENT, NONE, Board, Facts, Ints, Queue, Reported, Rooms, Shares, room, zeros
from holdfast.rollout.streams.forecast.compiled import reports
from holdfast.rollout.streams.forecast.compiled.jit import compiled
from holdfast.rollout.streams.forecast.compiled.rebalances import Kept, Small
from holdfast.rollout.streams.forecast.compiled.reports import Noted

AT_ONCE = 64
"""The most rebalances of one call."""
_TIMES_THE_GROUP = 4
"""There is room for this many times what the first rebalance may have to note. When it is full, a call ends."""
_MOST_SPARE = 3
"""Sizes of which arrays are kept: some 60 bytes for each client and task."""


class Workspace(NamedTuple):
    """For walks through groups of one size, but for what is reported. `kept`: room for the decisions of one call."""

    board: Board
    queue: Queue
    rooms: Rooms
    shares: Shares
    noted: Noted
    kept: Kept

    @classmethod
    def of(cls, facts: Facts) -> "Workspace":
        clients, tasks, members, standbys = _size_of(facts)
        rows = _TIMES_THE_GROUP * (tasks + standbys)
        return cls(
            board=arrays.board(clients, tasks),
            queue=arrays.queue(clients),
            rooms=arrays.rooms(clients, tasks, members, standbys),
            shares=arrays.shares(clients, tasks, standbys),
            noted=reports.noted(clients, tasks, AT_ONCE, rows),
            kept=kept(AT_ONCE, tasks, rows),
        )


def kept(rebalances: int, tasks: int, rows: int) -> Kept:
    """Room for the decisions of this many rebalances, 0: none are kept. `rows`: the most tasks that wait, and the most standbys."""
    return Kept(
        members=np.empty((rebalances, tasks), np.int32),
        withheld=np.empty(rows, np.int32),
        withheld_end=room(rebalances),
        standbys=np.empty((rows, 2), np.int32),
        standbys_end=room(rebalances),
        before=room(0),
        known=room(0),
        looked_at=0,
    )


def most_standbys(facts: Facts) -> int:
    """The most copies that can be handed out at a time.

    Of each task: those of the target, those that replace them meanwhile, a warm-up, and that of a withheld task.
    """
    return len(facts.ends) * (2 * int(facts.target_standbys.shape[1]) + 2)


def _size_of(facts: Facts) -> tuple[int, int, int, int]:
    return len(facts.members), len(facts.ends), int(facts.first_member[-1]), most_standbys(facts)


class Workspaces:
    """Those of one search that no walk works on."""

    def __init__(self) -> None:
        self._spare: dict[tuple[int, int, int, int], Workspace] = {}
        self._reported: dict[tuple[int, int], Reported] = {}

    def reported(self, facts: Facts) -> Reported:
        """To be filled (`fill`)."""
        return self._reported.pop(_size_of(facts)[:2], None) or blank(*_size_of(facts)[:2])

    def take(self, facts: Facts) -> Workspace:
        """Nothing has run or been noted in it yet."""
        return self._spare.pop(_size_of(facts), None) or Workspace.of(facts)

    def give_back(self, facts: Facts, reported: Reported, one: Workspace) -> None:
        """Of a walk that is over, and was not refused in the middle of a decision."""
        for noted in (one.noted.running, one.noted.ran_counts, one.noted.open_copies, one.noted.in_doubt, one.noted.counts):
            noted[:] = 0
        self._spare[_size_of(facts)] = one
        self._reported[_size_of(facts)[:2]] = reported
        if len(self._spare) > _MOST_SPARE:
            del self._spare[next(iter(self._spare))]
        if len(self._reported) > _MOST_SPARE:
            del self._reported[next(iter(self._reported))]


def blank(clients: int, tasks: int) -> Reported:
    """Nothing is reported."""
    return Reported(
        sums=np.full((clients, tasks), ABSENT, np.int64),
        by=zeros(clients, tasks),
        tasks=room(clients, tasks),
        counts=zeros(clients),
        owner=np.full(tasks, NONE, np.int64),
        reporters=room(tasks, clients),
        reporter_counts=zeros(tasks),
        changed=np.ones(tasks, np.uint8),
    )


@compiled
def fill(reported: Reported, sizes: Ints, copies: Ints, owned: Ints) -> bool:
    """Replace what is reported. `sizes`: how many copies each client reports; `copies`: their tasks, sums of offsets and members,
    client after client; `owned`: tasks, and the members that own them. False: two own the same task."""
    for client in range(len(reported.counts)):
        for at in range(reported.counts[client]):
            reported.sums[client, reported.tasks[client, at]] = ABSENT
    for task in range(len(reported.owner)):
        reported.reporter_counts[task] = 0
        reported.owner[task] = NONE
        reported.changed[task] = 1
    first = 0
    for client in range(len(reported.counts)):
        _fill_client(reported, client, copies, first, first + sizes[client])
        first += sizes[client]
    for at in range(owned.shape[1]):
        if reported.owner[owned[0, at]] != NONE:
            return False
        reported.owner[owned[0, at]] = owned[1, at]
    return True


@compiled
def _fill_client(reported: Reported, client: int, copies: Ints, first: int, end: int) -> None:
    for number in range(first, end):
        task = copies[0, number]
        reported.sums[client, task] = copies[1, number]
        reported.by[client, task] = copies[2, number]
        reported.reporters[task, reported.reporter_counts[task]] = client
        reported.reporter_counts[task] += 1
        at = number - first
        while at > 0 and reported.tasks[client, at - 1] > task:
            reported.tasks[client, at] = reported.tasks[client, at - 1]
            at -= 1
        reported.tasks[client, at] = task
    reported.counts[client] = end - first


class Listed(NamedTuple):
    """What is reported, client after client, without room: as `Reported`."""

    tasks: Small
    sums: Ints
    by: Small

    @classmethod
    def of(cls, reported: Reported) -> "Listed":
        copies = int(reported.counts.sum())
        found = cls(np.empty(copies, np.int32), room(copies), np.empty(copies, np.int32))
        _list(reported, *found)
        return found


@compiled
def _list(reported: Reported, tasks: Small, sums: Ints, by: Small) -> None:
    number = 0
    for client in range(len(reported.counts)):
        for at in range(reported.counts[client]):
            task = reported.tasks[client, at]
            tasks[number] = task
            sums[number] = reported.sums[client, task]
            by[number] = reported.by[client, task]
            number += 1
