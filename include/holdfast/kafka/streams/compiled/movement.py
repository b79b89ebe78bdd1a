"""From the target towards it, as `kafka.streams.movement`; and before that the target itself, and after it the stateless tasks."""

from holdfast.kafka.streams.compiled import queue as queues
from holdfast.kafka.streams.compiled.arrays import ABSENT, LATEST, NONE, Board, Facts, Queue, Reported, Rooms
from holdfast.kafka.streams.compiled.jit import compiled, inlined

_LONG_MAX = 2**63 - 1
_STANDBY, _WARM_UP = 1, 2
_HOLD_A_STANDBY, _CAUGHT_UP, _HOLD_NOTHING = 0, 1, 2
"""Which caught-up clients are eligible."""
_CONTESTED = -2
"""In place of a client: several could run the task meanwhile."""


@compiled
def decide(facts: Facts, reported: Reported, board: Board, queue: Queue, rooms: Rooms) -> bool:
    """Give every task to clients; True if a probing rebalance has to follow."""
    _give_target(facts, board)
    _list_caught_up(facts, reported, rooms)
    left = facts.max_warmups
    movements = _of_actives(facts, reported, board, rooms)
    if movements:
        queues.begin(queue, board)
        left = _move_actives(facts, reported, board, queue, rooms, movements, left)
    made = 0
    standbys = _of_standbys(facts, reported, board, rooms)
    if standbys:
        queues.begin(queue, board)
        made = _move_standbys(facts, reported, board, queue, rooms, standbys, left)
    _give_stateless(facts, board)
    queue.state[queues.MOVEMENTS] = movements + standbys
    return movements + made > 0


@compiled
def _give_target(facts: Facts, board: Board) -> None:
    for client in range(len(board.load)):
        board.active_counts[client] = 0
        board.standby_counts[client] = 0
    for task in range(len(board.runs)):
        for at in range(board.holder_counts[task]):
            board.standby[board.holders[task, at], task] = 0
        board.holder_counts[task] = 0
        board.runs[task] = facts.target[task]
        if facts.stateful[task]:
            board.active_counts[facts.target[task]] += 1
            for at in range(facts.target_standbys.shape[1]):
                client = facts.target_standbys[task, at]
                if client != NONE:
                    board.standby[client, task] = _STANDBY
                    board.holders[task, at] = client
                    board.holder_counts[task] += 1
                    board.standby_counts[client] += 1
    for client in range(len(board.load)):
        _weigh(facts, board, client)


@inlined
def _weigh(facts: Facts, board: Board, client: int) -> None:
    board.load[client] = (board.active_counts[client] + board.standby_counts[client]) * facts.weights[client] + client


@inlined
def lag(facts: Facts, reported: Reported, client: int, task: int) -> int:
    """How far the client's copy is behind; the end-offset sum without one. As `Topology.lag`."""
    return _lag_of(facts, task, reported.sums[client, task])


@inlined
def _lag_of(facts: Facts, task: int, total: int) -> int:
    end = facts.ends[task]
    if total == ABSENT:
        return int(end)
    if total < 0:
        return int(total)
    return int(end if end < total else end - total)


@inlined
def _acceptable(facts: Facts, behind: int) -> bool:
    return bool(behind == LATEST or facts.acceptable_lag == _LONG_MAX or 0 <= behind <= facts.acceptable_lag)


@inlined
def is_as_good(facts: Facts, task: int, one: int, other: int) -> bool:
    """Whether a copy with one sum of offsets decides as one with the other: `decide` asks only whether a copy is caught up, and how
    far behind one is that is not."""
    first, second = _lag_of(facts, task, one), _lag_of(facts, task, other)
    return bool(first == second or (_acceptable(facts, first) and _acceptable(facts, second)))


@compiled
def _list_caught_up(facts: Facts, reported: Reported, rooms: Rooms) -> None:
    for number in range(len(facts.stateful_tasks)):
        task = facts.stateful_tasks[number]
        found = 0
        if _acceptable(facts, facts.ends[task]):
            for client in range(len(facts.members)):
                if _acceptable(facts, lag(facts, reported, client, task)):
                    rooms.caught_up[task, found] = client
                    found += 1
        else:
            for at in range(reported.reporter_counts[task]):
                client = reported.reporters[task, at]
                if _acceptable(facts, lag(facts, reported, client, task)):
                    rooms.caught_up[task, found] = client
                    found += 1
        rooms.caught_up_counts[task] = found


@inlined
def _least_lag(facts: Facts, reported: Reported, task: int) -> int:
    reporters = reported.reporter_counts[task]
    least = int(facts.ends[task])
    if reporters == len(facts.members):
        least = lag(facts, reported, reported.reporters[task, 0], task)
    for at in range(reporters):
        least = min(least, lag(facts, reported, reported.reporters[task, at], task))
    return least


@inlined
def _has_to_wait(facts: Facts, reported: Reported, rooms: Rooms, client: int, task: int) -> int:
    """Whether the task cannot be at its target yet: then how many clients are caught up, else `NONE`."""
    if not reported.reporter_counts[task]:
        return NONE  # all clients lag equally on a task that none reports
    behind = lag(facts, reported, client, task)
    if _acceptable(facts, behind):
        return NONE
    count = int(rooms.caught_up_counts[task])
    if facts.moves_to_most_caught_up and not (count and behind > 0):  # else it is behind those that are caught up
        return count if _least_lag(facts, reported, task) < behind else NONE
    if count == 0:
        return NONE
    return count


@compiled
def _of_actives(facts: Facts, reported: Reported, board: Board, rooms: Rooms) -> int:
    """The movements of active tasks, in the order in which Kafka queues them; how many."""
    end = rooms.by_client_end
    _count_up(board.active_counts, end)
    for at in range(len(facts.stateful_tasks)):
        task = facts.stateful_tasks[at]
        client = board.runs[task]
        rooms.by_client[end[client]] = task
        end[client] += 1
    return _listed(facts, reported, rooms)


@compiled
def _of_standbys(facts: Facts, reported: Reported, board: Board, rooms: Rooms) -> int:
    """The same of standbys that are no warm-ups."""
    end = rooms.by_client_end
    _count_up(board.standby_counts, end)
    for at in range(len(facts.stateful_tasks)):
        task = facts.stateful_tasks[at]
        for held in range(board.holder_counts[task]):
            client = board.holders[task, held]
            rooms.by_client[end[client]] = task if board.standby[client, task] == _STANDBY else NONE
            end[client] += 1
    return _listed(facts, reported, rooms)


@compiled
def _count_up(counts, end) -> None:  # type: ignore[no-untyped-def]
    """Where the tasks of each client begin in a list of all."""
    total = 0
    for client in range(len(counts)):
        end[client] = total
        total += counts[client]


@compiled
def _listed(facts: Facts, reported: Reported, rooms: Rooms) -> int:
    """Of the tasks in `by_client`, those that have to wait."""
    found, at = 0, 0
    for client in range(len(facts.members)):
        while at < rooms.by_client_end[client]:
            task = rooms.by_client[at]
            at += 1
            if task == NONE:
                continue
            urgency = _has_to_wait(facts, reported, rooms, client, task)
            if urgency != NONE:
                rooms.movement_task[found] = task
                rooms.movement_destination[found] = client
                rooms.movement_urgency[found] = urgency
                found += 1
    return found


@inlined
def _more_urgent(rooms: Rooms, one: int, other: int) -> bool:
    first, second = rooms.movement_urgency[one], rooms.movement_urgency[other]
    return bool(first < second or (first == second and rooms.movement_task[one] < rooms.movement_task[other]))


@compiled
def _queued(rooms: Rooms, size: int) -> None:
    """Offer the movements to a priority queue, one by one."""
    heap = rooms.heap
    for number in range(size):
        at = number
        while at > 0:
            parent = (at - 1) >> 1
            if not _more_urgent(rooms, number, heap[parent]):
                break
            heap[at] = heap[parent]
            at = parent
        heap[at] = number


@inlined
def _next(facts: Facts, rooms: Rooms, size: int, number: int) -> int:
    """The movement with this number: the most urgent one, up to 3.2 the one at this place of the queue's array."""
    heap = rooms.heap
    if not facts.in_priority_order:
        return int(heap[number])
    head = heap[0]
    left = size - number - 1
    last = heap[left]
    at = 0
    while at < left >> 1:
        child = 2 * at + 1
        if child + 1 < left and _more_urgent(rooms, heap[child + 1], heap[child]):
            child += 1
        if not _more_urgent(rooms, heap[child], last):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return int(head)


@inlined
def _eligible(board: Board, queue: Queue, rooms: Rooms, task: int, which: int) -> int:
    """List the caught-up clients of a task, of the given kind; how many."""
    found = 0
    for at in range(rooms.caught_up_counts[task]):
        client = rooms.caught_up[task, at]
        if _is_of_kind(board, client, task, which):
            queue.eligible[found] = client
            found += 1
    return found


@inlined
def _is_of_kind(board: Board, client: int, task: int, which: int) -> bool:
    if which == _CAUGHT_UP:
        return True
    if which == _HOLD_A_STANDBY:
        return bool(board.standby[client, task] != 0)
    return bool(board.standby[client, task] == 0 and board.runs[task] != client)


@inlined
def _most_caught_up(facts: Facts, reported: Reported, board: Board, task: int, destination: int, without_copy: bool) -> int:
    """The first client that lags less than the destination, or as much with a smaller process ID."""
    found = NONE
    least = lag(facts, reported, destination, task)
    before = destination
    for client in range(len(facts.members)):
        if client == destination or (without_copy and not _is_of_kind(board, client, task, _HOLD_NOTHING)):
            continue
        behind = lag(facts, reported, client, task)
        if behind < least or (behind == least and client < before):
            found, least, before = client, behind, client
    return found


@compiled
def _move_actives(facts: Facts, reported: Reported, board: Board, queue: Queue, rooms: Rooms, movements: int, left: int) -> int:
    """Let active tasks run elsewhere, one after the other; the warm-ups that are left."""
    contested = 0
    for movement in range(movements):
        task, destination = rooms.movement_task[movement], rooms.movement_destination[movement]
        source = _only_source(facts, reported, board, queue, rooms, task, destination)
        rooms.movement_source[movement] = source
        contested += source == _CONTESTED
    _queued(rooms, movements)
    for number in range(movements):
        movement = _next(facts, rooms, movements, number)
        task, destination = rooms.movement_task[movement], rooms.movement_destination[movement]
        source, in_queue = rooms.movement_source[movement], contested > 0
        contested -= source == _CONTESTED
        if in_queue:
            source = queues.poll(queue, facts, _eligible(board, queue, rooms, task, _HOLD_A_STANDBY))
            if source == NONE:
                source = queues.poll(queue, facts, _eligible(board, queue, rooms, task, _CAUGHT_UP))
            if source == NONE:
                source = _most_caught_up(facts, reported, board, task, destination, False)
        board.runs[task] = source
        board.active_counts[source] += 1
        board.active_counts[destination] -= 1
        if board.standby[source, task]:
            _take_standby(board, source, task)
            _give_standby(board, destination, task, _STANDBY)
        else:
            left -= 1
            if left >= 0:
                _give_standby(board, destination, task, _WARM_UP)
        _weigh(facts, board, source)
        _weigh(facts, board, destination)
        if in_queue:
            queues.settle(queue, facts, board, source, destination)
    return left


@inlined
def _only_source(facts: Facts, reported: Reported, board: Board, queue: Queue, rooms: Rooms, task: int, destination: int) -> int:
    """The client that is to run a task meanwhile, whatever the loads are; `_CONTESTED`: the queue decides between several.

    All clients wait in the queue whenever it is asked, so it answers with the only eligible one; and once no movement is left that
    it decides, its state is of no use to anything.
    """
    found = _eligible(board, queue, rooms, task, _HOLD_A_STANDBY)
    if found == 0:
        found = _eligible(board, queue, rooms, task, _CAUGHT_UP)
    if found == 0:
        return _most_caught_up(facts, reported, board, task, destination, False)
    return int(queue.eligible[0]) if found == 1 else _CONTESTED


@compiled
def _move_standbys(facts: Facts, reported: Reported, board: Board, queue: Queue, rooms: Rooms, movements: int, left: int) -> int:
    """Keep copies where they are until their targets have caught up; how many movements found a client."""
    contested, made = 0, 0
    for movement in range(movements):  # each movement takes clients from those that hold nothing, and adds none
        several = _eligible(board, queue, rooms, rooms.movement_task[movement], _HOLD_NOTHING) > 1
        rooms.movement_source[movement] = _CONTESTED if several else NONE
        contested += several
    _queued(rooms, movements)
    for number in range(movements):
        movement = _next(facts, rooms, movements, number)
        task, destination = rooms.movement_task[movement], rooms.movement_destination[movement]
        in_queue = contested > 0
        contested -= rooms.movement_source[movement] == _CONTESTED
        found = _eligible(board, queue, rooms, task, _HOLD_NOTHING)
        source = NONE
        if in_queue:
            source = queues.poll(queue, facts, found)
        elif found:
            source = queue.eligible[0]
        if source == NONE and facts.moves_to_most_caught_up:
            source = _most_caught_up(facts, reported, board, task, destination, True)
        if source == NONE:
            continue
        _give_standby(board, source, task, _STANDBY)
        left -= 1
        if left < 0:
            _take_standby(board, destination, task)
        _weigh(facts, board, source)
        _weigh(facts, board, destination)
        if in_queue:
            queues.settle(queue, facts, board, source, destination)
        made += 1
    return made


@inlined
def _give_standby(board: Board, client: int, task: int, kind: int) -> None:
    board.standby[client, task] = kind
    board.holders[task, board.holder_counts[task]] = client
    board.holder_counts[task] += 1
    board.standby_counts[client] += 1


@inlined
def _take_standby(board: Board, client: int, task: int) -> None:
    at = 0
    while board.holders[task, at] != client:
        at += 1
    last = board.holder_counts[task] - 1
    board.holders[task, at] = board.holders[task, last]
    board.holder_counts[task] = last
    board.standby[client, task] = 0
    board.standby_counts[client] -= 1


@compiled
def _give_stateless(facts: Facts, board: Board) -> None:
    """Each task in turn to the client with the fewest active tasks a thread."""
    for at in range(len(facts.stateless_tasks)):
        best = 0
        for client in range(1, len(facts.members)):
            if board.active_counts[client] / facts.members[client] < board.active_counts[best] / facts.members[best]:
                best = client
        board.runs[facts.stateless_tasks[at]] = best
        board.active_counts[best] += 1
