"""What each member is sent for certain by a public sticky assignor, and what else it may be sent.

A client's threads get its stateful tasks first, then its standbys, then its stateless tasks: where the standbys are not determined,
the places of the stateless tasks among the threads are not either, and so neither is what has to be withheld of them. Besides, a
public assignor leaves a client's tasks in a HashMap (`KafkaStreamsAssignment`), and the order of two standbys that share a bucket,
which is the order in which they were placed, decides which thread gets a task that is left over.
"""

import itertools
import math
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from holdfast.kafka import java_hash
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.group import ConsumerAssignment, NextRebalance, UndeterminedTask
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.streams.public_sticky import Actives, Standbys
from holdfast.kafka.vocabulary import TaskId, TopicPartition

MOST_VARIANTS = 200
"""Of one client, by set of standbys and order; beyond that all its threads are possible."""
MOST_DOUBTS = 6
"""This many undetermined standbys of one client are tried with and without, where its variants are unknown."""
TREE = 9
"""Entries in one bucket from which on a HashMap's order is another."""

Sent = tuple[ConsumerAssignment, ...]
"""What the consumers of one client are sent, in member-ID order."""
Places = dict[TaskId, dict[str, None]]
"""The members where a task may be, in order."""


class Certainty:
    """`active`: each client's active tasks in the order in which it got them. `wire`: what the consumers of a client are sent with
    these active tasks and these standbys, in these orders."""

    def __init__(
        self,
        board: Board,
        line: Behaviour,
        active: Actives,
        standbys: Standbys,
        wire: Callable[[int, Sequence[int], Sequence[int]], Sent],
    ) -> None:
        self._board = board
        self._hashes = [line.task_hash(task.id) for task in board.tasks]
        self._given = active.given
        self._most = active.most
        self._standbys = standbys
        self._wire = wire
        self._active: Places = {}
        self._standby: Places = {}
        self._withheld: Places = {}
        self.exact = standbys.variants is not None or not any(map(standbys.undetermined, range(len(board.clients))))
        """Whether all that is named can come about; else perhaps not all of it."""

    def consumers(self, may_wait_for: Callable[[TopicPartition], bool]) -> dict[str, ConsumerAssignment]:
        """By member ID, what is certain. `may_wait_for`: whether a member would have to wait for that partition and rejoin."""
        found = {}
        for client in range(len(self._board.clients)):
            for consumer in self._of_client(client, may_wait_for):
                found[consumer.member_id] = consumer
        return found

    def tasks(self) -> tuple[UndeterminedTask, ...]:
        """Everything that is not certain; to be asked after `consumers`."""
        clients: dict[TaskId, list[int]] = {}
        for number in range(len(self._board.clients)):
            for task in self._board.ids(self._standbys.undetermined(number)):
                clients.setdefault(task, []).append(number)
        doubtful = sorted({*clients, *self._active, *self._standby, *self._withheld})
        return tuple(
            UndeterminedTask(
                id=task,
                standby_clients=tuple(self._board.clients[number].process_id for number in clients.get(task, ())),
                active_consumers=tuple(self._active.get(task, ())),
                standby_consumers=tuple(self._standby.get(task, ())),
                withheld_consumers=tuple(self._withheld.get(task, ())),
            )
            for task in doubtful
        )

    def _of_client(self, client: int, may_wait_for: Callable[[TopicPartition], bool]) -> Sent:
        if self._board.clients[client].capacity == 1:
            standby = sorted(self._standbys.certain[client])
            sent = self._wire(client, self._given[client], standby)
            self._note(self._standby, self._standbys.undetermined(client), [sent[0].member_id])
            return sent
        variants = list(itertools.islice(self._variants(client), MOST_VARIANTS + 1))
        if len(variants) > MOST_VARIANTS or not variants:
            return self._surely(client, may_wait_for)
        sent_each = [self._wire(client, *self._left(client, standby)) for standby in variants]
        return tuple(self._common(each) for each in zip(*sent_each, strict=True))

    def _variants(self, client: int) -> Iterator[Sequence[int]]:
        """All standbys that the client may have, in all orders that make a difference; none if that is too much to try."""
        for standby in self._sets(client):
            yield from self._orders(client, sorted(standby))

    def _sets(self, client: int) -> Iterable[frozenset[int]]:
        if self._standbys.variants is not None:
            return self._standbys.variants[client]
        doubts = sorted(self._standbys.undetermined(client))
        if len(doubts) > MOST_DOUBTS:
            return ()
        subsets = itertools.chain.from_iterable(itertools.combinations(doubts, count) for count in range(len(doubts) + 1))
        return (self._standbys.certain[client] | frozenset(subset) for subset in subsets)

    def _orders(self, client: int, standby: Sequence[int]) -> Iterator[Sequence[int]]:
        """Only standbys that share a bucket of a client's table change places."""
        buckets: dict[int, list[int]] = {}
        size = _table_size(len(self._given[client]) + len(standby))
        for task in standby:
            code = self._hashes[task] & 0xFFFFFFFF
            buckets.setdefault((code ^ (code >> 16)) & (size - 1), []).append(task)
        if math.prod(math.factorial(min(len(tasks), TREE)) for tasks in buckets.values()) > MOST_VARIANTS:
            for _ in range(MOST_VARIANTS + 1):
                yield standby
            return
        for orders in itertools.product(*(itertools.permutations(tasks) for tasks in buckets.values())):
            yield list(itertools.chain.from_iterable(orders))

    def _left(self, client: int, standby: Sequence[int]) -> tuple[list[int], list[int]]:
        """The client's active tasks and standbys as the sets are iterated that are made of its map of both."""
        given = dict.fromkeys(self._given[client])
        both = self._in_hash_order([*given, *standby], _table_size(self._most[client]))
        return self._in_hash_order([task for task in both if task in given]), self._in_hash_order(
            [task for task in both if task not in given]
        )

    def _in_hash_order(self, tasks: Sequence[int], size: int = 16) -> list[int]:
        return java_hash.hash_order(tasks, self._hashes.__getitem__, lambda task: task, size)

    def _common(self, variants: Sequence[ConsumerAssignment]) -> ConsumerAssignment:
        """What one consumer is sent in each of the variants; what it is sent only in some is noted."""
        member = variants[0].member_id
        rejoins = {each.next_rebalance for each in variants}
        return ConsumerAssignment(
            member_id=member,
            active=_noting(self._active, member, [each.active for each in variants]),
            standby=_noting(self._standby, member, [each.standby for each in variants]),
            withheld=_noting(self._withheld, member, [each.withheld for each in variants]),
            next_rebalance=rejoins.pop() if len(rejoins) == 1 else NextRebalance.UNKNOWN,
        )

    def _surely(self, client: int, may_wait_for: Callable[[TopicPartition], bool]) -> Sent:
        """Without trying: where the stateful active tasks are is certain, unless another size of the client's map makes another
        place of it; all else may be at any of its threads."""
        self.exact = False
        given = self._given[client]
        certain, possible = self._standbys.certain[client], self._standbys.possible[client]
        active = [task for task in given if self._board.tasks[task].stateful]
        sizes = self._sizes(given, certain, possible)
        sent_each = [self._wire(client, self._in_hash_order(self._in_hash_order(given, size)), sorted(certain)) for size in sizes]
        members = [consumer.member_id for consumer in sent_each[0]]
        self._note(self._standby, possible, members)
        stateless = [task for task in given if not self._board.tasks[task].stateful]
        may_wait = [task for task in stateless if any(map(may_wait_for, self._board.tasks[task].partitions))]
        self._note(self._active, stateless, members)
        self._note(self._withheld, may_wait, members)
        stateful = dict.fromkeys(self._board.ids(active))
        only = [tuple(_only(consumer, stateful, may_wait=bool(may_wait)) for consumer in sent) for sent in sent_each]
        return tuple(self._common(each) for each in zip(*only, strict=True))

    def _sizes(self, given: Sequence[int], certain: frozenset[int], possible: frozenset[int]) -> list[int]:
        """The numbers of buckets that the client's map may have: nine entries in one bucket double a small one early."""
        least, most = _table_size(len(given) + len(certain)), _table_size(len(given) + len(possible))
        if len(given) + len(possible) >= TREE:
            most = max(most, 64)
        return [size for size in (1 << bits for bits in range(4, 32)) if least <= size <= most]

    def _note(self, places: Places, tasks: Iterable[int], members: Iterable[str]) -> None:
        for task in self._board.ids(tasks):
            places.setdefault(task, {}).update(dict.fromkeys(members))


def _noting(places: Places, member: str, variants: Sequence[tuple[TaskId, ...]]) -> tuple[TaskId, ...]:
    certain = frozenset.intersection(*map(frozenset, variants))
    for task in sorted(frozenset.union(*map(frozenset, variants)) - certain):
        places.setdefault(task, {})[member] = None
    return tuple(sorted(certain))


def _only(consumer: ConsumerAssignment, stateful: Container[TaskId], *, may_wait: bool) -> ConsumerAssignment:
    """What is sure of it: its stateful tasks, and the temporary standbys of those it has to wait for."""
    withheld = tuple(task for task in consumer.withheld if task in stateful)
    rejoins = consumer.next_rebalance
    if not withheld:
        rejoins = NextRebalance.UNKNOWN if may_wait else NextRebalance.NONE
    return ConsumerAssignment(
        member_id=consumer.member_id,
        active=tuple(task for task in consumer.active if task in stateful),
        standby=tuple(task for task in consumer.standby if task in withheld),
        withheld=withheld,
        next_rebalance=rejoins,
    )


def _table_size(entries: int) -> int:
    """The buckets of a HashMap that has grown to this many entries."""
    size = 16
    while entries > size * 3 // 4:
        size *= 2
    return size
