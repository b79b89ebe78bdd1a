"""Clients by load, as Kafka queues them. `movement.ConstrainedPrioritySet` says why it is done like this; these are its steps.

The array is a heap but for loads in doubt: `settle` says which. Each comparison of the queue is right if those count as equal, so
that clients come in the order of their loads, and only among those in doubt in any order. The array is built where that decides.

`Queue.waiting`, `loads`: who waits, and the load that each was last offered with. `began_…`, `offered`: the same when all were last
offered anew, and in which order (their number is in `state`; `NONE`: that of a HashSet). `array`: the part of the queue's array
that was built, with the load of each client, whose lowest bits are its number (`array_loads`: by client). `event_…`: what has
happened since: two clients offered, or (destination `NONE`) one taken.
"""

from holdfast.kafka.streams.compiled.arrays import FEWEST_BUCKETS, MOST_BUCKETS, MOST_EVENTS, NONE, Board, Facts, Ints, Queue
from holdfast.kafka.streams.compiled.hash_sets import in_hash_order
from holdfast.kafka.streams.compiled.jit import compiled, inlined

LOW, OFFERED, HAS_ARRAY, SIZE, AMISS, EVENTS, FAILED, MOVEMENTS, NUMBER, HIGH = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""In `Queue.state`. LOW, HIGH: the least and the highest load in doubt, unless the least is above the highest. FAILED: a HashSet
would grow trees, which only `leader` models. MOVEMENTS: how many copies cannot be at their target yet. NUMBER: the bits of a load
that are the number of its client."""

_MOST = 2**63 - 1


@compiled
def begin(queue: Queue, board: Board) -> None:
    """All clients wait, offered one by one to an empty queue."""
    clients = len(queue.waiting)
    for client in range(clients):
        queue.waiting[client] = 1
        queue.loads[client] = board.load[client]
        queue.began_waiting[client] = 1
        queue.began_loads[client] = board.load[client]
        queue.offered[client] = client
    power = 1
    while power < clients:
        power *= 2
    queue.state[NUMBER] = power - 1
    _is_a_heap(queue)
    queue.state[OFFERED] = clients
    queue.state[HAS_ARRAY] = 0
    queue.state[EVENTS] = 0


@inlined
def _is_a_heap(queue: Queue) -> None:
    """No load is in doubt."""
    queue.state[LOW] = _MOST
    queue.state[HIGH] = NONE


@inlined
def _doubt(queue: Queue, one: int, other: int) -> None:
    """The loads from one to the other, and all between them and those that are in doubt already."""
    queue.state[LOW] = min(queue.state[LOW], one, other)
    queue.state[HIGH] = max(queue.state[HIGH], one, other)


@inlined
def _doubt_source(queue: Queue, own: int, before: int) -> None:
    """The load of a source, and those of clients that it should have passed, or below which it should have stopped, if any:
    they are between it and the old load of the destination, or, where that is in doubt itself, in doubt too."""
    low, high = min(own, before), max(own, before)
    if queue.state[LOW] <= before <= queue.state[HIGH]:
        _doubt(queue, own, own)
        return
    for client in range(len(queue.waiting)):
        if queue.waiting[client] and low < queue.loads[client] < high:
            _doubt(queue, own, queue.loads[client])


@inlined
def _is_in_doubt(queue: Queue, client: int) -> bool:
    return bool(queue.state[LOW] <= queue.loads[client] <= queue.state[HIGH])


@inlined
def poll(queue: Queue, facts: Facts, number: int) -> int:
    """Take out the first of `number` eligible clients (`Queue.eligible`); `NONE`: no such client waits."""
    waiting, found, in_doubt = 0, NONE, 0
    for at in range(number):
        client = queue.eligible[at]
        if queue.waiting[client]:
            queue.eligible[waiting] = client
            waiting += 1
            in_doubt += _is_in_doubt(queue, client)
            if found == NONE or queue.loads[client] < queue.loads[found]:
                found = client
    if waiting == 0:
        _offer_all_anew(queue, facts)
        return NONE
    if in_doubt < 2 or queue.loads[found] < queue.state[LOW]:
        _note(queue, facts, found, NONE, 0, 0)
    else:
        _make_up(queue, facts)
        found = _take_first(queue, facts, waiting)
    if queue.loads[found] > queue.state[HIGH]:  # all that was in doubt was taken out before, and offered again
        _is_a_heap(queue)
    queue.waiting[found] = 0
    return found


@inlined
def settle(queue: Queue, facts: Facts, board: Board, source: int, destination: int) -> None:
    """Offer both clients of a movement, first the one that was taken out.

    Meanwhile the destination has its new load where its old one belongs. Only the source is compared with it: where its load is
    between both, it may stop below a client that it should have passed, or pass one below which it should have stopped. All these
    have loads between its own and the old one of the destination, which is then taken out, wherever it is. Whatever is placed by
    comparisons that are right for an order stays a heap of that order.
    """
    before, own, after = queue.loads[destination], board.load[source], board.load[destination]
    _note(queue, facts, source, destination, own, after)
    if queue.waiting[destination]:
        if queue.waiting[source]:  # as well, the one that fills its place is compared with the destination
            _doubt(queue, before, after)
        elif after <= own < before or before <= own < after:
            _doubt_source(queue, own, before)
    queue.loads[source] = own
    queue.loads[destination] = after
    queue.waiting[source] = 1
    queue.waiting[destination] = 1


@inlined
def _note(queue: Queue, facts: Facts, source: int, destination: int, own: int, after: int) -> None:
    if queue.state[EVENTS] == MOST_EVENTS:
        _make_up(queue, facts)
    at = queue.state[EVENTS]
    queue.event_source[at] = source
    queue.event_destination[at] = destination
    queue.event_own[at] = own
    queue.event_after[at] = after
    queue.state[EVENTS] = at + 1


@compiled
def _offer_all_anew(queue: Queue, facts: Facts) -> None:
    if not _doubts_meet(queue, facts):
        queue.state[OFFERED] = NONE
    else:
        _make_up(queue, facts)
        size = queue.state[SIZE]
        for at in range(size):
            queue.order[at] = _poll_head(queue) & queue.state[NUMBER]
        _as_hash_set(queue, facts, size)
        for at in range(size):
            queue.offered[at] = queue.order[at]
        queue.state[OFFERED] = size
    for client in range(len(queue.waiting)):
        queue.began_waiting[client] = queue.waiting[client]
        queue.began_loads[client] = queue.loads[client]
    queue.state[HAS_ARRAY] = 0
    queue.state[EVENTS] = 0
    _is_a_heap(queue)


@compiled
def _doubts_meet(queue: Queue, facts: Facts) -> bool:
    """Whether clients whose loads are in doubt meet in a bucket of the HashSet that all are added to: it keeps their order."""
    if queue.state[LOW] > queue.state[HIGH]:
        return False
    size, capacity = 0, FEWEST_BUCKETS
    for client in range(len(queue.waiting)):
        size += queue.waiting[client]
    while size > capacity * 3 // 4:
        capacity *= 2
        if capacity > MOST_BUCKETS:
            return True
    for bucket in range(capacity):
        queue.buckets[bucket] = 0
    for client in range(len(queue.waiting)):
        if queue.waiting[client] and _is_in_doubt(queue, client):
            bucket = facts.client_codes[client] & (capacity - 1)
            if queue.buckets[bucket]:
                return True
            queue.buckets[bucket] = 1
    return False


@compiled
def _make_up(queue: Queue, facts: Facts) -> None:
    """Build the current array."""
    if not queue.state[HAS_ARRAY]:
        _build(queue, facts)
    for at in range(queue.state[EVENTS]):
        source, destination = queue.event_source[at], queue.event_destination[at]
        if destination == NONE:
            _take(queue, facts, source)
        else:
            _offer_both(queue, source, destination, queue.event_own[at], queue.event_after[at])
    queue.state[EVENTS] = 0
    if _in_order(queue):
        _is_a_heap(queue)


@inlined
def _build(queue: Queue, facts: Facts) -> None:
    size = queue.state[OFFERED]
    if size == NONE:
        size = 0
        for client in range(len(queue.waiting)):  # by load: few are out of order from one to the next
            if queue.began_waiting[client]:
                at = size
                while at > 0 and queue.began_loads[client] < queue.began_loads[queue.order[at - 1]]:
                    queue.order[at] = queue.order[at - 1]
                    at -= 1
                queue.order[at] = client
                size += 1
        _as_hash_set(queue, facts, size)
    else:
        for at in range(size):
            queue.order[at] = queue.offered[at]
    for client in range(len(queue.waiting)):
        queue.array_loads[client] = queue.began_loads[client]
    queue.state[SIZE] = 0
    queue.state[AMISS] = 0
    queue.state[HAS_ARRAY] = 1
    for at in range(size):
        _offer(queue, queue.array_loads[queue.order[at]])


@inlined
def _take(queue: Queue, facts: Facts, client: int) -> None:
    """Poll until this client comes; those before it go back."""
    passed = 0
    wanted = queue.array_loads[client]
    found = _poll_head(queue)
    while found != wanted:
        queue.order[passed] = found & queue.state[NUMBER]
        passed += 1
        found = _poll_head(queue)
    _as_hash_set(queue, facts, passed)
    for at in range(passed):
        _offer(queue, queue.array_loads[queue.order[at]])


@inlined
def _take_first(queue: Queue, facts: Facts, number: int) -> int:
    """Poll until one of the first `number` eligible clients comes; those before it go back."""
    passed = 0
    found = _poll_head(queue) & queue.state[NUMBER]
    while not _among(queue.eligible, number, found):
        queue.order[passed] = found
        passed += 1
        found = _poll_head(queue) & queue.state[NUMBER]
    _as_hash_set(queue, facts, passed)
    for at in range(passed):
        _offer(queue, queue.array_loads[queue.order[at]])
    return int(found)


@inlined
def _among(clients: Ints, number: int, client: int) -> bool:
    for at in range(number):  # noqa: SIM110 - a generator cannot be compiled
        if clients[at] == client:
            return True
    return False


@inlined
def _offer_both(queue: Queue, source: int, destination: int, own: int, after: int) -> None:
    """Both have other loads at once, wherever they lie; then one after the other is put where it belongs."""
    for client, load in ((source, own), (destination, after)):
        at = _place(queue, queue.array_loads[client])
        if at < queue.state[SIZE]:
            queue.state[AMISS] = 1
            queue.array[at] = load
        queue.array_loads[client] = load
    for load in (own, after):
        _remove(queue, load)
        _offer(queue, load)


# The array, as java.util.PriorityQueue keeps it.


@inlined
def _in_order(queue: Queue) -> bool:
    if queue.state[AMISS]:
        queue.state[AMISS] = 0
        for at in range(1, queue.state[SIZE]):
            if queue.array[at] < queue.array[(at - 1) >> 1]:
                queue.state[AMISS] = 1
                break
    return bool(queue.state[AMISS] == 0)


@inlined
def _offer(queue: Queue, load: int) -> None:
    size = queue.state[SIZE]
    queue.state[SIZE] = size + 1
    _sift_up(queue, size, load)


@inlined
def _poll_head(queue: Queue) -> int:
    head = queue.array[0]
    size = queue.state[SIZE] - 1
    queue.state[SIZE] = size
    if size > 0:
        _sift_down(queue, 0, queue.array[size])
    return int(head)


@inlined
def _place(queue: Queue, load: int) -> int:
    """Where the client with this load is in the array; its size: nowhere."""
    size = queue.state[SIZE]
    at = 0
    while at < size and queue.array[at] != load:
        at += 1
    return at


@inlined
def _remove(queue: Queue, load: int) -> None:
    at, size = _place(queue, load), queue.state[SIZE]
    if at == size:
        return
    size -= 1
    queue.state[SIZE] = size
    if at == size:
        return
    moved = queue.array[size]
    _sift_down(queue, at, moved)
    if queue.array[at] == moved:
        _sift_up(queue, at, moved)


@inlined
def _sift_up(queue: Queue, at: int, load: int) -> None:
    while at > 0:
        parent = (at - 1) >> 1
        if load > queue.array[parent]:
            break
        queue.array[at] = queue.array[parent]
        at = parent
    queue.array[at] = load


@inlined
def _sift_down(queue: Queue, at: int, load: int) -> None:
    size = queue.state[SIZE]
    queue.array[size] = _MOST  # so that every parent has two children, and which of them is less takes no branch
    while at < size >> 1:
        child = 2 * at + 1
        child += queue.array[child + 1] < queue.array[child]
        if queue.array[child] > load:
            break
        queue.array[at] = queue.array[child]
        at = child
    queue.array[at] = load


@inlined
def _as_hash_set(queue: Queue, facts: Facts, size: int) -> None:
    """Put the first clients of `Queue.order` into the order of a HashSet that they are added to."""
    if not in_hash_order(queue.order, size, facts.client_codes, facts.crowded, queue.buckets, queue.passed_over):
        queue.state[FAILED] = 1
