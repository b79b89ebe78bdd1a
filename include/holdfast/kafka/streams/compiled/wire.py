"""What each member is handed, as the leader sends it: what another member still owns is held back."""

from holdfast.kafka.streams.compiled import movement, threads
from holdfast.kafka.streams.compiled import queue as queues
from holdfast.kafka.streams.compiled.arrays import (
    ABSENT,
    IMMEDIATE,
    LATEST,
    NONE,
    PROBING,
    Board,
    Facts,
    Queue,
    Reported,
    Rooms,
    Shares,
)
from holdfast.kafka.streams.compiled.jit import compiled


@compiled
def assign(facts: Facts, reported: Reported, board: Board, queue: Queue, rooms: Rooms, shares: Shares, again: bool) -> bool:
    """One decision of the leader, into `shares`; False: it takes a HashSet that grows trees.

    `again`: nothing that clients are given by has changed since the decision before (`movement.is_as_good`).
    """
    if not again:
        queue.state[queues.FAILED] = 0
        shares.said[0] = movement.decide(facts, reported, board, queue, rooms)
        threads.listed_by_client(board, shares, rooms)
    probing = shares.said[0] != 0
    shares.said[1] = 0
    shares.said[2] = NONE
    handed = 0
    for client in range(len(facts.members)):
        if not shares.settled[client] and not threads.spread(facts, reported, shares, rooms, client):
            return False
        handed = _hand_out(facts, reported, shares, client, handed)
        if probing and client == facts.prober:
            _let_probe(facts, shares, client)
    return bool(queue.state[queues.FAILED] == 0)


@compiled
def _hand_out(facts: Facts, reported: Reported, shares: Shares, client: int, handed: int) -> int:
    """Hand one client its tasks, and hold back what others own; `handed`: the standbys that were handed out so far."""
    for at in range(shares.held_end[client - 1] if client else 0, shares.held_end[client]):
        shares.standby_tasks[handed] = shares.held[at]
        shares.standby_members[handed] = shares.held_by[at]
        handed += 1
    for at in range(shares.of_client_end[client - 1] if client else 0, shares.of_client_end[client]):
        task = shares.of_client[at]
        member, owner = shares.active[task], reported.owner[task]
        if owner in (NONE, member):
            shares.withheld[task] = NONE
            continue
        shares.active[task] = NONE
        shares.withheld[task] = member
        shares.said[1] = IMMEDIATE
        if _stands_by(facts, reported, client, task):
            shares.standby_tasks[handed] = task
            shares.standby_members[handed] = member
            handed += 1
    shares.standbys_end[client] = handed
    return handed


@compiled
def _stands_by(facts: Facts, reported: Reported, client: int, task: int) -> bool:
    """A withheld stateful task is a standby meanwhile; from 3.5.2 and 3.6 only where it was one before."""
    if not facts.stateful[task]:
        return False
    total, owner = reported.sums[client, task], reported.owner[task]
    was = total not in (ABSENT, LATEST) and (owner == NONE or facts.client_of[owner] != client)
    return bool(was or not facts.temporary_standby_needs_copy)


@compiled
def _let_probe(facts: Facts, shares: Shares, client: int) -> None:
    """The first member of the leader's client probes, unless it has to rejoin at once anyway: then no member does."""
    member = facts.first_member[client]
    for at in range(shares.of_client_end[client - 1] if client else 0, shares.of_client_end[client]):
        if shares.withheld[shares.of_client[at]] == member:
            return
    shares.said[2] = member
    if shares.said[1] == 0:
        shares.said[1] = PROBING
