"""Where the standbys of stateful tasks go, before caught-up copies are considered.

Java: `HighAvailabilityTaskAssignor.assignStandbyReplicaTasks`; from 3.2 `DefaultStandbyTaskAssignor` and, where
`rack.aware.assignment.tags` is set, `ClientTagAwareStandbyTaskAssignor` (KIP-708). In both only the client that was just polled
changes its load while it is out of the queue, so that the least loaded client is what Kafka's queue gives.
"""

import heapq
from collections.abc import Container, Iterable
from collections.abc import Set as AbstractSet

from holdfast.kafka import java, java_hash
from holdfast.kafka.streams.leader_state import Board


def assign_to_least_loaded(board: Board, num_standby_replicas: int) -> None:
    """Each task in turn to as many clients that do not have it as there are replicas, the least loaded first."""
    if num_standby_replicas * 4 > len(board.clients):
        _assign_many(board, num_standby_replicas)
        return
    queue = list(board.load_order)
    heapq.heapify(queue)
    for task in board.stateful:
        missing = num_standby_replicas
        passed_over = []
        while missing > 0 and queue:
            entry = heapq.heappop(queue)
            if board.clients[entry[1]].holds(task):
                passed_over.append(entry)
                continue
            board.give_standby(entry[1], task)
            heapq.heappush(queue, board.load_order[entry[1]])
            missing -= 1
        for entry in passed_over:
            heapq.heappush(queue, entry)


def _assign_many(board: Board, num_standby_replicas: int) -> None:
    """The same where a task goes to a good part of all clients: the first ones in the order of loads that do not have it.

    A client that was given the task cannot be given it again, and no other client's load changes: so a whole task can be assigned
    at once.
    """
    clients, order = board.clients, sorted(board.load_order)
    for task in board.stateful:
        given: list[tuple[float, int]] = []
        rest: list[tuple[float, int]] = []
        for entry in order:
            client = clients[entry[1]]
            if len(given) == num_standby_replicas or task in client.active:
                rest.append(entry)
            else:
                client.standby.add(task)
                given.append(((len(client.active) + len(client.standby)) / len(client.consumers), entry[1]))
        order = sorted(rest + given)
    for number, load in sorted((number, load) for load, number in order):
        board.load_order[number] = (load, number)


def assign_by_tags(board: Board, num_standby_replicas: int, tag_keys: Iterable[str]) -> None:
    """Each task in turn to clients that differ from its other copies in every tag, as long as there are such; then the rest.

    The rest is dealt in the order of a HashMap of tasks, out of which those that need no more were removed one after the other.
    """
    tags = _Tags(board, frozenset(tag_keys))
    missing = {}
    for task in board.stateful:
        left = _spread(board, task, num_standby_replicas, tags)
        if left > 0:
            missing[task] = left
    for task in _hash_map_order(board, missing) if missing else ():
        for _ in range(missing[task]):
            client = _least_loaded(board, task, frozenset())
            if client is None:
                break
            board.give_standby(client, task)


def may_move_between(board: Board, source: int, destination: int) -> bool:
    """With tags a standby only moves to a client that has every tag of its present one."""
    return board.clients[source].tags.items() <= board.clients[destination].tags.items()


def keeps_tags_apart(board: Board, source: int, destination: int, task: int) -> bool:
    """Whether all who hold the task would have no fewer different tags between them than now."""
    others = {
        tag
        for number, client in enumerate(board.clients)
        if number not in (source, destination) and client.holds(task)
        for tag in client.tags.items()
    }
    return len(others.union(board.clients[destination].tags.items())) >= len(others.union(board.clients[source].tags.items()))


def _spread(board: Board, task: int, replicas: int, tags: "_Tags") -> int:
    """Place what can be placed on unused tags; return how many replicas are left over."""
    used: dict[tuple[str, str], frozenset[int]] = {}
    last = next(number for number, client in enumerate(board.clients) if task in client.active)
    copies = 1
    while True:
        tags.use(last, copies, used)
        client = _least_loaded(board, task, frozenset().union(*used.values()))
        if client is None:
            return replicas
        copies += 1
        replicas -= 1
        board.give_standby(client, task)
        last = client
        if replicas <= 0:
            return replicas


class _Tags:
    """Which clients share a value of a tag, for the tags that count."""

    def __init__(self, board: Board, keys: frozenset[str]) -> None:
        self._board = board
        self._values: dict[str, dict[str, None]] = {}
        sharing: dict[tuple[str, str], list[int]] = {}
        for number, client in enumerate(board.clients):
            for key, value in client.tags.items():
                if key in keys:
                    self._values.setdefault(key, {})[value] = None
                    sharing.setdefault((key, value), []).append(number)
        self._sharing = {entry: frozenset(clients) for entry, clients in sharing.items()}

    def use(self, client: int, copies: int, used: dict[tuple[str, str], frozenset[int]]) -> None:
        """Clients that share a tag with this one are used. A tag that has no more values than there are copies counts no longer."""
        for key, value in self._board.clients[client].tags.items():
            values = self._values.get(key)
            if values is None:
                continue
            if len(values) <= copies:
                for each in values:
                    used.pop((key, each), None)
            else:
                used[key, value] = self._sharing[key, value]


def _least_loaded(board: Board, task: int, used: AbstractSet[int]) -> int | None:
    free = [
        board.load_order[number] for number, client in enumerate(board.clients) if number not in used and not client.holds(task)
    ]
    return min(free)[1] if free else None


def _hash_map_order(board: Board, left: Container[int]) -> list[int]:
    """What is left of the stateful tasks, as a HashMap filled in TaskId order is iterated. All releases with tags hash a task's
    fields."""

    def hash_of(task: int) -> int:
        task_id = board.tasks[task].id
        return java.task_id_hash_since_3_0(task_id.subtopology, task_id.partition)

    removed = [task for task in board.stateful if task not in left]
    return java_hash.hash_order_without(board.stateful, removed, hash_of, lambda task: task)
