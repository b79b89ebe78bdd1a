"""From the target towards it, as `kafka.streams.movement`; and before that the target itself, and after it the stateless tasks."""

from holdfast.kafka.streams.compiled import lags
from holdfast.kafka.streams.compiled import queue as queues
from holdfast.kafka.streams.compiled.arrays import NONE, Board, Facts, Queue, Reported, Rooms
from holdfast.kafka.streams.compiled.jit import compiled, inlined

_STANDBY, _WARM_UP = 1, 2
_HOLD_A_STANDBY, _CAUGHT_UP, _HOLD_NOTHING = 0, 1, 2
"""Which caught-up clients are eligible."""
_CONTESTED = -2
"""In place of a client: several could run the task meanwhile."""


@compiled
def decide(facts: Facts, reported: Reported, board: Board, queue: Queue, rooms: Rooms) -> bool:
    """Give every task to clients; True if a probing rebalance has to follow."""
    _give_target(facts, board, rooms)
    lags.look_at_changed(facts, reported, rooms)
    left = facts.max_warmups
    movements = _of_actives(facts, rooms)
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
def begin(facts: Facts, reported: Reported, board: Board, rooms: Rooms) -> None:
    """Forget what is known of the decisions before: nothing has been decided yet with these arrays."""
    for task in range(len(board.runs)):
        board.moved[task] = 1
        reported.changed[task] = 1
    lags.list_targets(facts, rooms)


@compiled
def _give_target(facts: Facts, board: Board, rooms: Rooms) -> None:
    """Only what was moved by the decision before has to be put back."""
    for client in range(len(board.load)):
        board.active_counts[client] = rooms.target_actives[client]
        board.standby_counts[client] = rooms.target_standbys[client]
        _weigh(facts, board, client)
    for task in range(len(board.runs)):
        if not board.moved[task]:
            continue
        board.moved[task] = 0
        for at in range(board.holder_counts[task]):
            board.standby[board.holders[task, at], task] = 0
        board.holder_counts[task] = 0
        board.runs[task] = facts.target[task]
        if facts.stateful[task]:
            for at in range(facts.target_standbys.shape[1]):
                client = facts.target_standbys[task, at]
                if client != NONE:
                    board.standby[client, task] = _STANDBY
                    board.holders[task, at] = client
                    board.holder_counts[task] += 1


@inlined
def _weigh(facts: Facts, board: Board, client: int) -> None:
    board.load[client] = (board.active_counts[client] + board.standby_counts[client]) * facts.weights[client] + client


@compiled
def _of_actives(facts: Facts, rooms: Rooms) -> int:
    """The movements of active tasks, in the order in which Kafka queues them; how many."""
    found = 0
    for at in range(len(facts.stateful_tasks)):
        task = rooms.by_target[at]
        if rooms.waits[task] != NONE:
            rooms.movement_task[found] = task
            rooms.movement_destination[found] = facts.target[task]
            rooms.movement_urgency[found] = rooms.waits[task]
            found += 1
    return found


@compiled
def _of_standbys(facts: Facts, reported: Reported, board: Board, rooms: Rooms) -> int:
    """The same of standbys that are no warm-ups."""
    end = rooms.by_client_end
    total = 0
    for client in range(len(board.standby_counts)):
        end[client] = total
        total += board.standby_counts[client]
    for at in range(len(facts.stateful_tasks)):
        task = facts.stateful_tasks[at]
        for held in range(board.holder_counts[task]):
            client = board.holders[task, held]
            rooms.by_client[end[client]] = task
            rooms.by_client_waits[end[client]] = _wait_of_standby(facts, reported, board, rooms, task, held)
            end[client] += 1
    found, number = 0, 0
    for client in range(len(facts.members)):
        while number < end[client]:
            if rooms.by_client_waits[number] != NONE:
                rooms.movement_task[found] = rooms.by_client[number]
                rooms.movement_destination[found] = client
                rooms.movement_urgency[found] = rooms.by_client_waits[number]
                found += 1
            number += 1
    return found


@inlined
def _wait_of_standby(facts: Facts, reported: Reported, board: Board, rooms: Rooms, task: int, held: int) -> int:
    """As `lags.has_to_wait`. A task that was not moved is held where the target has it."""
    if not board.moved[task]:
        return int(rooms.standby_waits[task, held])
    client = board.holders[task, held]
    if board.standby[client, task] != _STANDBY:
        return NONE
    return lags.has_to_wait(facts, reported, rooms, client, task)


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


@compiled
def _put_in_order(facts: Facts, rooms: Rooms, size: int) -> None:
    """List the movements in the order in which Kafka takes them out of its queue."""
    if facts.in_priority_order and _put_in_order_of_tasks(rooms, size):
        return
    _queued(rooms, size)
    for number in range(size):
        rooms.in_order[number] = _next(facts, rooms, size, number)


@compiled
def _put_in_order_of_tasks(rooms: Rooms, size: int) -> bool:
    """The same without a queue, by urgency and then by task. False: where a task has two movements, the queue decides."""
    of_task, end = rooms.movement_of_task, rooms.urgency_end
    of_task[:] = NONE
    end[:] = 0
    for number in range(size):
        if of_task[rooms.movement_task[number]] != NONE:
            return False
        of_task[rooms.movement_task[number]] = number
        end[rooms.movement_urgency[number]] += 1
    total = 0
    for urgency in range(len(end)):
        count = end[urgency]
        end[urgency] = total
        total += count
    for task in range(len(of_task)):
        if of_task[task] != NONE:
            urgency = rooms.movement_urgency[of_task[task]]
            rooms.in_order[end[urgency]] = of_task[task]
            end[urgency] += 1
    return True


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
    least = lags.lag(facts, reported, destination, task)
    before = destination
    for client in range(len(facts.members)):
        if client == destination or (without_copy and not _is_of_kind(board, client, task, _HOLD_NOTHING)):
            continue
        behind = lags.lag(facts, reported, client, task)
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
    _put_in_order(facts, rooms, movements)
    for number in range(movements):
        movement = rooms.in_order[number]
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
        board.moved[task] = 1
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
    _put_in_order(facts, rooms, movements)
    for number in range(movements):
        movement = rooms.in_order[number]
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
        board.moved[task] = 1
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
