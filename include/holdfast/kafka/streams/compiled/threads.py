"""From a client's tasks to its threads, as `kafka.streams.threads`."""

from holdfast.kafka.streams.compiled.arrays import NONE, Board, Facts, Ints, Reported, Rooms, Shares
from holdfast.kafka.streams.compiled.hash_sets import in_hash_order
from holdfast.kafka.streams.compiled.jit import compiled
from holdfast.kafka.streams.compiled.lags import lag

_STATEFUL, _STATELESS = 1, 0


@compiled
def listed_by_client(board: Board, shares: Shares, rooms: Rooms) -> None:
    """The tasks that each client is given, ascending. `Shares.settled` stays only where they are the same as before.

    Members that report just what they were handed keep it then: each has no more than one task above the least of all, and `_deal`
    lets it keep the least, and gives it back the other one as its previous owner.
    """
    clients = len(board.load)
    total, held = 0, 0
    _remember(shares, rooms)
    for client in range(clients):
        shares.of_client_end[client] = total
        shares.held_end[client] = held
        total += board.active_counts[client]
        held += board.standby_counts[client]
    for task in range(len(board.runs)):
        shares.planned[task] = board.runs[task]
        shares.of_client[shares.of_client_end[board.runs[task]]] = task
        shares.of_client_end[board.runs[task]] += 1
        for at in range(board.holder_counts[task]):
            client = board.holders[task, at]
            shares.held[shares.held_end[client]] = task
            shares.held_end[client] += 1
    for client in range(clients):
        if shares.settled[client]:
            shares.settled[client] = _is_given_the_same(shares, rooms, client)
        if shares.settled[client]:
            _keep_held_by(shares, rooms, client)


@compiled
def _remember(shares: Shares, rooms: Rooms) -> None:
    """What clients were given so far."""
    clients = len(shares.settled)
    for client in range(clients):
        rooms.by_client_end[client] = shares.of_client_end[client]
        rooms.held_before_end[client] = shares.held_end[client]
    for at in range(shares.of_client_end[clients - 1]):
        rooms.by_client[at] = shares.of_client[at]
    for at in range(shares.held_end[clients - 1]):
        rooms.previous[at] = shares.held[at]
        rooms.given[at] = shares.held_by[at]


@compiled
def _keep_held_by(shares: Shares, rooms: Rooms, client: int) -> None:
    """Put the members of its standbys where those are listed now."""
    first = shares.held_end[client - 1] if client else 0
    first_before = rooms.held_before_end[client - 1] if client else 0
    for at in range(shares.held_end[client] - first):
        shares.held_by[first + at] = rooms.given[first_before + at]


@compiled
def _is_given_the_same(shares: Shares, rooms: Rooms, client: int) -> bool:
    return _is_the_same(shares.of_client, shares.of_client_end, rooms.by_client, rooms.by_client_end, client) and _is_the_same(
        shares.held, shares.held_end, rooms.previous, rooms.held_before_end, client
    )


@compiled
def _is_the_same(tasks: Ints, ends: Ints, before: Ints, ends_before: Ints, client: int) -> bool:
    """Whether both lists have the same tasks for the client."""
    first = ends[client - 1] if client else 0
    first_before = ends_before[client - 1] if client else 0
    if ends[client] - first != ends_before[client] - first_before:
        return False
    for at in range(ends[client] - first):  # noqa: SIM110 - a generator cannot be compiled
        if tasks[first + at] != before[first_before + at]:
            return False
    return True


@compiled
def spread(facts: Facts, reported: Reported, shares: Shares, rooms: Rooms, client: int) -> bool:
    """Choose the member for each task of one client, in `Shares.active` and `held_by`; False: as `in_hash_order`."""
    members = facts.members[client]
    first = shares.of_client_end[client - 1] if client else 0
    first_held = shares.held_end[client - 1] if client else 0
    if members == 1:
        for at in range(first, shares.of_client_end[client]):
            shares.active[shares.of_client[at]] = facts.first_member[client]
        for at in range(first_held, shares.held_end[client]):
            shares.held_by[at] = facts.first_member[client]
        return True
    for member in range(members):
        rooms.load[member] = 0
    stateful = _gathered(facts, shares, rooms, client, first, _STATEFUL)
    fits = _deal(facts, reported, rooms, client, stateful, True, True)
    for at in range(stateful):
        shares.active[rooms.tasks[at]] = facts.first_member[client] + rooms.given[at]
    uneven = stateful > 0 and stateful % members > 0
    _clear(rooms, stateful)
    if not facts.balances_all_kinds:
        _deal_stateless(facts, shares, rooms, client, first, uneven)
        for member in range(members):
            rooms.load[member] = 0
    held = shares.held_end[client] - first_held
    for at in range(held):
        rooms.tasks[at] = shares.held[first_held + at]
    fits = _deal(facts, reported, rooms, client, held, False, True) and fits
    for at in range(held):
        shares.held_by[first_held + at] = facts.first_member[client] + rooms.given[at]
    _clear(rooms, held)
    if facts.balances_all_kinds:
        stateless = _gathered(facts, shares, rooms, client, first, _STATELESS)
        fits = _deal(facts, reported, rooms, client, stateless, True, False) and fits
        for at in range(stateless):
            shares.active[rooms.tasks[at]] = facts.first_member[client] + rooms.given[at]
        _clear(rooms, stateless)
    return fits


@compiled
def _gathered(facts: Facts, shares: Shares, rooms: Rooms, client: int, first: int, kind: int) -> int:
    found = 0
    for at in range(first, shares.of_client_end[client]):
        task = shares.of_client[at]
        if facts.stateful[task] == kind:
            rooms.tasks[found] = task
            found += 1
    return found


@compiled
def _clear(rooms: Rooms, size: int) -> None:
    for at in range(size):
        rooms.place[rooms.tasks[at]] = NONE


@compiled
def _deal_stateless(facts: Facts, shares: Shares, rooms: Rooms, client: int, first: int, leftovers: bool) -> None:
    """Up to 3.1: first to the members that have one stateful task less than others, then round and round."""
    members = facts.members[client]
    fewest = rooms.load[0]
    for member in range(members):
        fewest = min(fewest, rooms.load[member])
    behind = 0 if leftovers else members
    turn = 0
    for at in range(first, shares.of_client_end[client]):
        task = shares.of_client[at]
        if facts.stateful[task]:
            continue
        while behind < members and rooms.load[behind] != fewest:
            behind += 1
        if behind < members:
            shares.active[task] = facts.first_member[client] + behind
            behind += 1
        else:
            shares.active[task] = facts.first_member[client] + turn % members
            turn += 1


@compiled
def _deal(facts: Facts, reported: Reported, rooms: Rooms, client: int, size: int, hashed: bool, sticky: bool) -> bool:
    """Spread the first tasks of `rooms.tasks`, on top of `rooms.load`, into `rooms.given`; as `threads._Deal`."""
    if size == 0:
        return True
    members = facts.members[client]
    total = size
    for member in range(members):
        total += rooms.load[member]
    least = total // members
    for at in range(size):
        rooms.place[rooms.tasks[at]] = at
        rooms.given[at] = NONE
        rooms.previous_owner[at] = NONE
    taken, waiting_members = 0, 0
    for member in range(members):
        previous = _previous_by_lag(facts, reported, rooms, client, member) if sticky else 0
        for number in range(previous):
            at = rooms.place[rooms.previous[number]]
            if at == NONE or rooms.given[at] != NONE:
                continue
            if rooms.load[member] < least:
                rooms.given[at] = member
                rooms.load[member] += 1
                rooms.taken[taken] = rooms.tasks[at]
                taken += 1
            else:
                rooms.previous_owner[at] = member
        if least and rooms.load[member] < least:
            rooms.to_fill[waiting_members] = member
            waiting_members += 1
    taken = _fill(rooms, least, taken, waiting_members)
    return _give_leftovers(facts, rooms, members, size, least, taken, hashed)


@compiled
def _previous_by_lag(facts: Facts, reported: Reported, rooms: Rooms, client: int, member: int) -> int:
    """What the member reported, the least lagging first; how many."""
    number = facts.first_member[client] + member
    found = 0
    for at in range(reported.counts[client]):
        task = reported.tasks[client, at]
        if reported.by[client, task] == number:
            behind = lag(facts, reported, client, task)
            place = found
            while place > 0 and rooms.lags[place - 1] > behind:
                rooms.lags[place] = rooms.lags[place - 1]
                rooms.previous[place] = rooms.previous[place - 1]
                place -= 1
            rooms.lags[place] = behind
            rooms.previous[place] = task
            found += 1
    return found


@compiled
def _fill(rooms: Rooms, least: int, taken: int, waiting_members: int) -> int:
    """One open task after the other to the members that have less than the least, in turn; how many were taken in all."""
    head, at = 0, 0
    while head < waiting_members:
        member = rooms.to_fill[head]
        head += 1
        while rooms.given[at] != NONE:
            at += 1
        rooms.given[at] = member
        rooms.load[member] += 1
        rooms.taken[taken] = NONE
        taken += 1
        if rooms.load[member] < least:
            rooms.to_fill[waiting_members] = member
            waiting_members += 1
    return taken


@compiled
def _give_leftovers(facts: Facts, rooms: Rooms, members: int, size: int, least: int, taken: int, hashed: bool) -> bool:
    """One each to members that have only the least: to the previous owner, and then as the queue's array has them."""
    left = size - taken
    if left == 0:
        return True
    for member in range(members):
        rooms.room[member] = rooms.load[member] == least
    for at in range(size):
        member = rooms.previous_owner[at]
        if rooms.given[at] == NONE and member != NONE and rooms.room[member]:
            rooms.given[at] = member
            rooms.load[member] += 1
            rooms.room[member] = 0
            rooms.taken[taken] = rooms.tasks[at]
            taken += 1
            left -= 1
    if left > 1:
        fits = _left_in_queue(facts, rooms, size, taken, hashed)
    else:
        fits = True
        for at in range(size):
            if rooms.given[at] == NONE:
                rooms.order[0] = rooms.tasks[at]
    number = 0
    for member in range(members):
        if number < left and rooms.room[member]:
            rooms.given[rooms.place[rooms.order[number]]] = member
            rooms.load[member] += 1
            number += 1
    return fits


@compiled
def _left_in_queue(facts: Facts, rooms: Rooms, size: int, taken: int, hashed: bool) -> bool:
    """What the queue's array holds after all that was taken out of it, in `rooms.order`."""
    heap = rooms.order
    for at in range(size):
        heap[at] = rooms.tasks[at]
    fits = not hashed or in_hash_order(heap, size, facts.task_codes, facts.crowded_tasks, rooms.buckets, rooms.previous)
    for at in range(size // 2 - 1, -1, -1):
        _sift_down(heap, size, at, heap[at])
    for number in range(taken):
        at = 0
        if rooms.taken[number] != NONE:
            while heap[at] != rooms.taken[number]:
                at += 1
        size -= 1
        if at < size:
            moved = heap[size]
            _sift_down(heap, size, at, moved)
            if heap[at] == moved:
                _sift_up(heap, at, moved)
    return fits


@compiled
def _sift_down(heap, size, at, task) -> None:  # type: ignore[no-untyped-def]
    while at < size >> 1:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if task <= heap[child]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = task


@compiled
def _sift_up(heap, at, task) -> None:  # type: ignore[no-untyped-def]
    while at > 0:
        parent = (at - 1) >> 1
        if task >= heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = task
