"""From the target towards it: tasks stay where they are caught up, and the target warms up.

Java: `TaskMovement` and `ConstrainedPrioritySet`, 2.6 to 4.3. A task whose target has not caught up runs on a client that has (or,
from 3.2, on the one that lags least), and its target keeps a warm-up copy, `max.warmup.replicas` of them at a time.
"""

import functools
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.vocabulary import LATEST_OFFSET


@dataclass(frozen=True, slots=True)
class Movement:
    """A task that has to be away from its target for a while."""

    task: int
    destination: int
    caught_up: int
    """How many clients are caught up; the fewer, the more urgent."""


def move_to_caught_up_clients(board: Board, config: AssignorConfig, behaviour: Behaviour) -> int:
    """Change the target into what can be run now; return how many movements a probing rebalance has to finish."""
    mover = _Mover(board, behaviour, config)
    return mover.move_actives() + mover.move_standbys()


def go_on(board: Board, config: AssignorConfig, behaviour: Behaviour, movements: list[Movement], made: int) -> None:
    """The same once `made` of the movements of active tasks are made, the last of which left the queue as good as new.

    `movements` are left, in their order. The target has no standbys.
    """
    _Mover(board, behaviour, config, made).move(movements)


class _Mover:
    """The two phases of movements, which share the budget of warm-ups."""

    def __init__(self, board: Board, behaviour: Behaviour, config: AssignorConfig, made: int = 0) -> None:
        self._board = board
        self._behaviour = behaviour
        self._acceptable = config.acceptable_recovery_lag
        self._warmups_left = config.max_warmup_replicas - made
        self._warmups: set[tuple[int, int]] = set()

    def move_actives(self) -> int:
        """Every movement counts, also one that only swapped an active task with a caught-up standby."""
        movements = self._movements([client.active for client in self._board.clients])
        if movements:
            self.move(self._in_order(movements))
        return len(movements)

    def move(self, movements: Iterable[Movement]) -> None:
        """Let active tasks run elsewhere, one after the other."""
        queue = ConstrainedPrioritySet(self._board)
        for movement in movements:
            task, destination = movement.task, movement.destination
            caught_up = self._caught_up(task)
            source = queue.poll({client for client in caught_up if task in self._board.clients[client].standby})
            if source is None:
                source = queue.poll(caught_up)
            if source is None:
                source = self._most_caught_up(movement)
            assert source is not None, "a movement is only planned where some client lags less"
            if task in self._board.clients[source].standby:
                self._swap(task, source, destination)
            else:
                self._move_active(task, source, destination)
            queue.settle(source, destination)

    def move_standbys(self) -> int:
        """Movements that find no client to go to do not count."""
        planned = [
            {task for task in client.standby if (number, task) not in self._warmups}
            for number, client in enumerate(self._board.clients)
        ]
        movements = self._movements(planned)
        if not movements:
            return 0
        queue = ConstrainedPrioritySet(self._board)
        made = 0
        for movement in self._in_order(movements):
            task, destination = movement.task, movement.destination
            source = queue.poll({client for client in self._caught_up(task) if not self._board.clients[client].holds(task)})
            if source is None and self._behaviour.moves_to_most_caught_up:
                source = self._most_caught_up(movement, without_copy=True)
            if source is None:
                continue
            self._board.give_standby(source, task)
            if not self._spend_warmup():
                self._board.take_standby(destination, task)
            queue.settle(source, destination)
            made += 1
        return made

    def _movements(self, tasks_of_clients: list[set[int]]) -> list[Movement]:
        """In the order in which Kafka queues them: client by client, task by task."""
        reported = self._board.readings.lags_of
        found = []
        for client, tasks in enumerate(tasks_of_clients):
            for task in sorted(tasks):
                # All clients lag equally on a task that none reports: it stays in its place. So does what runs there.
                if reported[task] and reported[task].get(client) != LATEST_OFFSET:
                    caught_up = self._caught_up(task)
                    if client not in caught_up and self._must_move(task, client):
                        found.append(Movement(task, client, len(caught_up)))
        return found

    def _caught_up(self, task: int) -> frozenset[int]:
        return self._board.caught_up(task, self._acceptable)

    def _must_move(self, task: int, client: int) -> bool:
        """Of a task that the client is not caught up on."""
        if self._behaviour.moves_to_most_caught_up:
            return self._board.least_lag(task) < self._board.lag(client, task)
        return bool(self._caught_up(task))

    def _in_order(self, movements: list[Movement]) -> Iterator[Movement]:
        """The most urgent first; up to 3.2 in the order of the heap's array, which is not that (pull request 12585).

        Two standbys of one task are equally urgent: the heap decides between them too.
        """
        if self._behaviour.movements_in_priority_order and len(set(map(_urgency, movements))) == len(movements):
            yield from sorted(movements, key=_urgency)
            return
        heap: java.PriorityQueue[Movement] = java.PriorityQueue(_urgency)
        for movement in movements:
            heap.offer(movement)
        if not self._behaviour.movements_in_priority_order:
            yield from heap
        while self._behaviour.movements_in_priority_order and heap:
            yield heap.poll()

    def _most_caught_up(self, movement: Movement, *, without_copy: bool = False) -> int | None:
        """The first client that lags less than the destination (or as much, with a smaller process ID)."""
        for client in self._board.clients_by_lag(movement.task):
            if client == movement.destination:
                return None
            if not without_copy or not self._board.clients[client].holds(movement.task):
                return client
        return None

    def _swap(self, task: int, source: int, destination: int) -> None:
        self._board.take_standby(source, task)
        self._board.give_active(source, task)
        self._board.take_active(destination, task)
        self._board.give_standby(destination, task)

    def _move_active(self, task: int, source: int, destination: int) -> None:
        self._board.give_active(source, task)
        self._board.take_active(destination, task)
        if self._spend_warmup():
            self._board.give_standby(destination, task)
            self._warmups.add((destination, task))

    def _spend_warmup(self) -> bool:
        self._warmups_left -= 1
        return self._warmups_left >= 0


def passes(own: tuple[float, int], before: tuple[float, int], after: tuple[float, int]) -> bool:
    """Whether a client is put where it belongs, with its load `own`, while another waits with `after` in the place of `before`."""
    return after == before or (after < before and not after <= own < before)


_Event = int | tuple[int, int, tuple[float, int], tuple[float, int]]
"""What happened to a queue: a client was taken, or two were offered with these loads."""


class ConstrainedPrioritySet:
    """Clients by load, as Kafka queues them: loads change while clients wait, and only an offer puts a client where it belongs.

    So the queue's array is emulated, not its meaning: now and then the head is not the least loaded client. But as long as the
    array is a heap, who is polled is the least loaded one; and it stays one but for a rare kind of movement (`settle`). What
    happens is recorded, and the array built only where that kind occurred. After a poll that finds no client the array is a heap
    again, and what was before matters no more but for clients that meet in one bucket of a HashSet: Kafka offers all of them anew,
    in its order.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._waiting = set(range(len(board.clients)))
        self._loads = list(board.load_order)
        """Those that clients were last offered with."""
        self._is_heap = True
        """Whether the array is known to be one; False: it has to be built."""
        self._offered: list[int] | None = list(range(len(board.clients)))
        """The order in which clients were offered to an empty queue; None: that of a HashSet, to which they were added by load."""
        self._begin = set(self._waiting), list(self._loads)
        """Who they were, and their loads then."""
        self._array: _Array | None = None
        """The part that has been built."""
        self._since: list[_Event] = []
        """What happened after that."""

    @functools.cached_property
    def _hash_set_order(self) -> java_hash.SubsetOrder:
        return java_hash.SubsetOrder([java.uuid_hash(client.process_id.bits) for client in self._board.clients])

    def poll(self, eligible: AbstractSet[int]) -> int | None:
        """Take the first eligible client out; those passed over go back in the order of the HashSet that Kafka keeps them in."""
        waiting = eligible & self._waiting
        if not waiting:
            self._offer_all_anew()
            return None
        if len(waiting) == 1:
            (found,) = waiting
            self._since.append(found)
        elif self._is_heap:
            found = min(waiting, key=self._loads.__getitem__)
            self._since.append(found)
        else:
            found = self._made_up().poll(waiting)
        self._waiting.remove(found)
        return found

    def settle(self, source: int, destination: int) -> None:
        """Offer both clients of a movement, first the one that was taken out: their loads are others now.

        While the source is offered, the destination waits with its new load where its old one belongs. That is of no consequence
        unless the source is placed between the two: it then stops below a client that it should have passed.
        """
        loads = self._board.load_order
        before, after, own = self._loads[destination], loads[destination], loads[source]
        if not passes(own, before, after) or source in self._waiting or destination not in self._waiting:
            self._is_heap = False
        self._since.append((source, destination, own, after))
        self._loads[source], self._loads[destination] = own, after
        self._waiting.update((source, destination))

    def _offer_all_anew(self) -> None:
        """As after a poll that found no client."""
        self._offered = None if self._is_heap else self._hash_set_order([client for _, client in self._made_up().queue.drained()])
        self._begin = set(self._waiting), list(self._loads)
        self._array = None
        self._since.clear()
        self._is_heap = True

    def _made_up(self) -> "_Array":
        """The current array."""
        if self._array is None:
            there, loads = self._begin
            order = self._hash_set_order(sorted(there, key=loads.__getitem__)) if self._offered is None else self._offered
            self._array = _Array(order, loads, self._hash_set_order)
        for event in self._since:
            if isinstance(event, tuple):
                self._array.settle(*event)
            else:
                self._array.poll(frozenset((event,)))
        self._since.clear()
        self._is_heap = self._array.queue.in_order()
        return self._array


class _Array:
    """The queue's array, kept at every step."""

    def __init__(self, offered: Iterable[int], loads: list[tuple[float, int]], hash_set_order: java_hash.SubsetOrder) -> None:
        self._loads = list(loads)
        self._hash_set_order = hash_set_order
        self.queue: java.QueueOfDifferent[tuple[float, int]] = java.QueueOfDifferent(self._loads[client] for client in offered)

    def poll(self, eligible: AbstractSet[int]) -> int:
        passed_over: list[int] = []
        found = self.queue.poll()[1]
        while found not in eligible:
            passed_over.append(found)
            found = self.queue.poll()[1]
        for client in self._hash_set_order(passed_over):
            self.queue.offer(self._loads[client])
        return found

    def settle(self, source: int, destination: int, own: tuple[float, int], after: tuple[float, int]) -> None:
        """Both have other loads at once, wherever they lie; then one after the other is put where it belongs."""
        settled = (source, own), (destination, after)
        for client, load in settled:
            self.queue.change(self._loads[client], load)
            self._loads[client] = load
        for _, load in settled:
            self.queue.remove(load)
            self.queue.offer(load)


def _urgency(movement: Movement) -> tuple[int, int]:
    return movement.caught_up, movement.task
