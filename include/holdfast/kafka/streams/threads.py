"""From a client's tasks to its threads.

Java: `StreamsPartitionAssignor.assignTasksToThreads`, 2.6 to 4.3. A consumer keeps what it reported where an even spread
allows, the least lagging first; what no consumer keeps is assigned in TaskId order; what is left over goes to its previous owner if
that one has room, and then out in the order of a heap's array.
"""

import functools
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.client_state import ClientState, ConsumerState, LeaderThrows
from holdfast.kafka.streams.leader_state import Board


class ThreadTasks(NamedTuple):
    """The tasks planned for one consumer, in the order in which they were given."""

    active: Sequence[int]
    standby: Sequence[int]


_new_tasks: Callable[[tuple[Sequence[int], Sequence[int]]], ThreadTasks] = functools.partial(tuple.__new__, ThreadTasks)


def assign(
    board: Board,
    client_number: int,
    behaviour: Behaviour,
    *,
    active: Sequence[int] | None = None,
    standby: Sequence[int] | None = None,
) -> tuple[ThreadTasks, ...]:
    """Spread what the client was given over its consumers; one entry a consumer, in member-ID order.

    `active` and `standby`: what it was given, in another order than that of TaskId, in which a public assignor leaves it (3.8).
    """
    client = board.clients[client_number]
    if len(client.consumers) == 1 and active is None and standby is None:
        return (all_of(board, client, behaviour),)
    spread = _Spread(board, client_number, behaviour)
    active = sorted(client.active) if active is None else active
    standby = sorted(client.standby) if standby is None else standby
    stateful = [task for task in active if board.tasks[task].changelogs] if board.stateless else list(active)
    stateless = [task for task in active if not board.tasks[task].changelogs] if board.stateless else []
    if behaviour.threads_balance_all_kinds:
        actives = spread.deal(stateful, queued=spread.as_hash_set)
        standbys = spread.deal(standby)
        others = spread.deal(stateless, queued=spread.as_hash_set, sticky=False)
        if not stateless:
            return tuple(map(_new_tasks, zip(actives, standbys, strict=True)))
        return tuple(ThreadTasks([*a, *s], b) for a, b, s in zip(actives, standbys, others, strict=True))
    kept = [list(tasks) for tasks in spread.deal(stateful, queued=spread.as_hash_set, common_load=False)]
    _deal_stateless(kept, stateless, leftovers=bool(stateful) and bool(len(stateful) % client.capacity))
    return tuple(ThreadTasks(a, b) for a, b in zip(kept, spread.deal(standby, common_load=False), strict=True))


def all_of(board: Board, client: ClientState, behaviour: Behaviour) -> ThreadTasks:
    """Everything that a client was given, stateful tasks first: its only consumer's."""
    active = sorted(client.active)
    standby = sorted(client.standby) if client.standby else ()
    if board.stateless and active:
        active.sort(key=lambda task: not board.tasks[task].changelogs)
        stateful = bool(board.tasks[active[0]].changelogs)
    else:
        stateful = bool(active)
    if (stateful or standby) and client.consumers[0].reports_unknown:
        _refuse_unknown(client.consumers[0], behaviour)
    return _new_tasks((active, standby))


def _refuse_unknown(consumer: ConsumerState, behaviour: Behaviour) -> None:
    if consumer.reports_unknown and behaviour.reports_of_unknown_tasks_fail:
        raise LeaderThrows(
            f"IllegalStateException: member {consumer.member_id} reports a task that the leader knows no lag of: "
            "its topology has no such task, or it is stateless there"
        )


def _deal_stateless(actives: list[list[int]], stateless: list[int], *, leftovers: bool) -> None:
    """Up to 3.1: first to the consumers that have one stateful task less than others, then round and round."""
    consumers = range(len(actives))
    waiting = deque(stateless)
    if leftovers:
        fewest = min(len(tasks) for tasks in actives)
        for consumer in [consumer for consumer in consumers if len(actives[consumer]) == fewest]:
            if waiting:
                actives[consumer].append(waiting.popleft())
    for turn, task in enumerate(waiting):
        actives[turn % len(actives)].append(task)


Queued = Callable[[Sequence[int]], Sequence[int]]


def _as_they_are(tasks: Sequence[int]) -> Sequence[int]:
    return tasks


class _Spread:
    """One client's tasks over its threads, kind after kind; `_load` counts what a consumer already has."""

    def __init__(self, board: Board, client_number: int, behaviour: Behaviour) -> None:
        self._board = board
        self._number = client_number
        self._client: ClientState = board.clients[client_number]
        self._behaviour = behaviour
        self._load = [0] * self._client.capacity

    def as_hash_set(self, tasks: Sequence[int]) -> Sequence[int]:
        """The tasks as a HashSet of TaskIds is iterated: what a stream of them is collected to."""

        def hash_of(task: int) -> int:
            return self._behaviour.task_hash(self._board.tasks[task].id)

        return java_hash.hash_order(tasks, hash_of, lambda task: task)

    def deal(
        self, tasks: Sequence[int], *, queued: Queued = _as_they_are, sticky: bool = True, common_load: bool = True
    ) -> Sequence[Sequence[int]]:
        """Spread these tasks. `queued` puts them in the order in which Kafka queues them, which matters only for what is left over.

        `common_load`: on top of what was dealt before.
        """
        if not tasks:
            return [()] * len(self._load)
        if len(self._load) == 1:
            if sticky:
                _refuse_unknown(self._client.consumers[0], self._behaviour)
            return [list(tasks)]
        load = self._load if common_load else [0] * len(self._load)
        deal = _Deal(load, tasks, queued)
        for consumer, state in enumerate(self._client.consumers):
            if state.reported or state.reports_unknown or deal.least:  # of idle threads there may be thousands
                deal.keep(consumer, self._previous_by_lag(state) if sticky else ())
        deal.fill()
        deal.give_leftovers()
        if common_load:
            self._load = [before + len(dealt) for before, dealt in zip(load, deal.dealt, strict=True)]
        return deal.dealt

    def _previous_by_lag(self, consumer: ConsumerState) -> Sequence[int]:
        _refuse_unknown(consumer, self._behaviour)
        if len(consumer.reported) < 2:
            return consumer.reported
        lags, number = self._board.lag, self._number
        return sorted(consumer.reported, key=lambda task: (lags(number, task), task))


class _Deal:
    """The assignment of one kind of task to the consumers: each gets `least` in all, some one more.

    Kafka keeps what is not dealt yet in a queue, which gives the smallest task first: so a sorted list does, but for what is left
    over in the end, which goes out in the order of the queue's array. `_taken` remembers what is needed to build that.
    """

    def __init__(self, load: Sequence[int], tasks: Sequence[int], queued: Queued) -> None:
        self.dealt: list[list[int]] = [[] for _ in load]
        self._load = load
        self.least = (sum(load) + len(tasks)) // len(load)
        self._tasks = tasks
        self._queued = queued
        self._taken: list[int | None] = []
        self._open = set(tasks)
        self._previous_owner: dict[int, int] = {}
        self._to_fill: deque[int] = deque()

    def count(self, consumer: int) -> int:
        return self._load[consumer] + len(self.dealt[consumer])

    def keep(self, consumer: int, previous: Iterable[int]) -> None:
        """Let the consumer have what it had, up to the least; remember who had the rest."""
        for task in previous:
            if task not in self._open:
                continue
            if self.count(consumer) < self.least:
                self._hand(consumer, task)
            else:
                self._previous_owner[task] = consumer
        if self.least and self.count(consumer) < self.least:
            self._to_fill.append(consumer)

    def fill(self) -> None:
        """One task after the other to the consumers that have less than the least, in turn."""
        waiting = iter(sorted(self._open))
        while self._to_fill:
            consumer = self._to_fill.popleft()
            task = next(waiting)
            self._open.remove(task)
            self._taken.append(None)
            self.dealt[consumer].append(task)
            if self.count(consumer) < self.least:
                self._to_fill.append(consumer)

    def give_leftovers(self) -> None:
        """One each to consumers that have only the least: to the previous owner, and then as the queue's array has them."""
        if not self._open:
            return
        full, dealt = self.least, self.dealt
        room = dict.fromkeys([consumer for consumer, load in enumerate(self._load) if load + len(dealt[consumer]) == full])
        for task, consumer in sorted(self._previous_owner.items()):
            if consumer in room and task in self._open:
                self._hand(consumer, task)
                del room[consumer]
        for task, consumer in zip(self._left_in_queue(), room, strict=False):
            self.dealt[consumer].append(task)

    def _left_in_queue(self) -> Iterable[int]:
        """What the queue's array holds after all that was taken out of it: a task by name, or (None) its head."""
        if len(self._open) < 2:
            return self._open
        queue: java.PriorityQueue[int] = java.PriorityQueue(_identity, self._queued(self._tasks))
        for task in self._taken:
            if task is None:
                queue.poll()
            else:
                queue.remove(task)
        return queue

    def _hand(self, consumer: int, task: int) -> None:
        self.dealt[consumer].append(task)
        self._open.remove(task)
        self._taken.append(task)


def _identity(task: int) -> int:
    return task
