"""Rebalances one after the other, until nothing is pending."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.kafka.streams.compiled import movement, wire
from holdfast.kafka.streams.compiled.arrays import IMMEDIATE, NONE, Board, Facts, Flags, Ints, Queue, Reported, Rooms, Shares
from holdfast.rollout.streams.forecast.compiled import noting, reports
from holdfast.rollout.streams.forecast.compiled.jit import compiled
from holdfast.rollout.streams.forecast.compiled.reports import AFTER_AN_INTERVAL, AT_ONCE, SETTLED, Noted, Rules

Small = NDArray[np.int32]
STABLE, GOES_ON, COMES_BACK, REFUSED, MEETS = 0, 1, 2, 3, 4
"""How a call ends. COMES_BACK: the group is where it was before; REFUSED: see `wire.assign`; MEETS: a digest is a known one."""


class Kept(NamedTuple):
    """Decisions, one a rebalance, if they are kept (`members` has rows then). `members`: of each task, who runs it or waits for it;
    `withheld`: the tasks that wait, ascending; `standbys`: member, task; `…_end`: where those of a rebalance end.

    `before`: a digest of what was reported at the beginning of each rebalance so far; `known`: digests before which a call ends,
    ascending, after as many rebalances as are `looked_at`.
    """

    members: Small
    withheld: Small
    withheld_end: Ints
    standbys: Small
    standbys_end: Ints
    before: Ints
    known: Ints
    looked_at: int


@compiled
def go_on(
    facts: Facts,
    rules: Rules,
    reported: Reported,
    board: Board,
    queue: Queue,
    rooms: Rooms,
    shares: Shares,
    noted: Noted,
    kept: Kept,
    passed: int,
    most: int,
    begins: bool,
) -> tuple[int, int]:
    """At most `most` rebalances more, after `passed`, while there is room to note them: how it ends, and how many there were.

    `begins`: these arrays have not been decided with yet. Else they are as the call before has left them, but for restarts since.
    """
    noted.counts[reports.RESTORING] = 0
    noted.counts[reports.WAITING] = 0
    withheld, standbys = 0, 0
    again = False
    if begins:
        movement.begin(facts, reported, board, rooms)
        for client in range(len(facts.members)):
            shares.settled[client] = 0
            noted.stale[client] = 1
            noted.touched[client] = 1
    widest = len(reported.owner) + len(shares.standby_tasks)
    for number in range(most):
        full = noted.counts[reports.RESTORING] + widest > len(noted.restoring)
        if full or (len(kept.members) and max(withheld, standbys) + widest > len(kept.standbys)):
            return GOES_ON, number
        kept.before[passed + number] = _digest(facts, reported, noted)
        for earlier in range(passed + number):
            if kept.before[earlier] == kept.before[passed + number]:
                return COMES_BACK, number
        if passed + number > kept.looked_at and _is_among(kept.known, kept.before[passed + number]):
            return MEETS, number
        if not wire.assign(facts, reported, board, queue, rooms, shares, again):
            return REFUSED, number
        noted.asked[number] = shares.said[1]
        noted.probing[number] = shares.said[0]
        noted.probers[number] = shares.said[2]
        noting.note_restores(facts, rules, reported, shares, noted)
        noted.restoring_end[number] = noted.counts[reports.RESTORING]
        noted.waiting_end[number] = noted.counts[reports.WAITING]
        if len(kept.members):
            withheld, standbys = _keep(facts, shares, kept, number, withheld, standbys)
        pause = SETTLED if shares.said[1] == 0 else AFTER_AN_INTERVAL
        if shares.said[1] == IMMEDIATE:
            pause = AT_ONCE
            noting.note_open_copies(facts, rules, reported, shares, noted)
        again = reports.after(facts, rules, reported, shares, noted, pause)
        if pause == SETTLED:
            return STABLE, number + 1
    return GOES_ON, most


@compiled
def _keep(facts: Facts, shares: Shares, kept: Kept, number: int, withheld: int, standbys: int) -> tuple[int, int]:
    for task in range(len(shares.planned)):
        kept.members[number, task] = shares.active[task]
        if shares.active[task] == NONE:
            kept.members[number, task] = shares.withheld[task]
            kept.withheld[withheld] = task
            withheld += 1
    for at in range(shares.standbys_end[len(facts.members) - 1]):
        kept.standbys[standbys, 0] = shares.standby_members[at]
        kept.standbys[standbys, 1] = shares.standby_tasks[at]
        standbys += 1
    kept.withheld_end[number] = withheld
    kept.standbys_end[number] = standbys
    return withheld, standbys


@compiled
def are_equal(one: Small, other: Small) -> bool:
    """Whether two rows of numbers are the same."""
    if len(one) != len(other):
        return False
    others = 0
    for at in range(len(one)):
        others += one[at] != other[at]
    return others == 0


@compiled
def list_given(client_of: Ints, members: Small, standbys: Small, clients: Flags, found: Small) -> tuple[int, int]:
    """What these clients are given by one decision, as client and task: first what they run, in order of tasks, then their
    standbys. How many rows are of the first kind, and of both. The temporary standby of a withheld task is none."""
    runs = 0
    for task in range(len(members)):
        client = client_of[members[task]]
        if clients[client]:
            found[runs, 0] = client
            found[runs, 1] = task
            runs += 1
    both = runs
    for at in range(len(standbys)):
        client, task = client_of[standbys[at, 0]], standbys[at, 1]
        if clients[client] and client_of[members[task]] != client:
            found[both, 0] = client
            found[both, 1] = task
            both += 1
    return runs, both


@compiled
def mark_given_otherwise(
    client_of: Ints, members: Small, members_before: Small, standbys: Small, standbys_before: Small, changed: Flags
) -> None:
    """Mark the clients that one decision gives something else than the one before it: the member of each task; and standbys as in
    `Kept`, client after client."""
    for task in range(len(members)):
        runs, ran = client_of[members[task]], client_of[members_before[task]]
        if runs != ran:
            changed[runs] = 1
            changed[ran] = 1
    at, before = 0, 0
    for client in range(len(changed)):
        while at < len(standbys) and client_of[standbys[at, 0]] == client:
            same = before < len(standbys_before) and standbys_before[before, 0] == standbys[at, 0]
            if same and standbys_before[before, 1] == standbys[at, 1]:
                before += 1
            else:
                changed[client] = 1
            at += 1
        while before < len(standbys_before) and client_of[standbys_before[before, 0]] == client:
            changed[client] = 1
            before += 1


@compiled
def _is_among(numbers: Ints, number: int) -> bool:
    """Whether it is one of these, which ascend."""
    first, end = 0, len(numbers)
    while first < end:
        middle = (first + end) >> 1
        if numbers[middle] < number:
            first = middle + 1
        else:
            end = middle
    return bool(first < len(numbers) and numbers[first] == number)


_SMALL, _OTHER = 8191, 8179
_BITS = 2**49 - 1


@compiled
def _digest(facts: Facts, reported: Reported, noted: Noted) -> int:
    """Of all that is reported. No product is above 2^63: as an ordinary function it must not overflow either."""
    one, other = 1, 1
    for client in range(len(facts.members)):
        if noted.stale[client]:
            noted.stale[client] = 0
            _digest_client(reported, noted, client)
        one = ((one * _SMALL) ^ noted.digests[client, 0]) & _BITS
        other = ((other * _OTHER) ^ noted.digests[client, 1]) & _BITS
    for task in range(len(reported.owner)):
        one = ((one * _SMALL) ^ (reported.owner[task] + 1)) & _BITS
        other = ((other * _OTHER) ^ (reported.owner[task] + 1)) & _BITS
    return int((one << 13) ^ other)


@compiled
def _digest_client(reported: Reported, noted: Noted, client: int) -> None:
    """Of what one client reports."""
    one, other = client + 1, 1
    for at in range(reported.counts[client]):
        task = reported.tasks[client, at]
        total = reported.sums[client, task]
        where = (reported.by[client, task] << 24) ^ task
        one = ((one * _SMALL) ^ where ^ total) & _BITS
        other = ((other * _OTHER) ^ (where << 20) ^ total ^ (total >> 29)) & _BITS
    noted.digests[client, 0] = one
    noted.digests[client, 1] = other
