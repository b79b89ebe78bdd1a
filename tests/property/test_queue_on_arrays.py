"""Kafka's queue of clients on arrays, against one that is kept at every step; and what of it is in doubt."""

import random
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given, settings
from tests.harness.examples import examples
from tests.property.test_same_as_literal import SEEDS, LiteralPrioritySet

from holdfast.kafka import java, java_hash
from holdfast.kafka.streams.compiled import arrays
from holdfast.kafka.streams.compiled import queue as queues
from holdfast.kafka.streams.compiled.arrays import NONE
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.forecast.compiled.packing import crowded


def facts(**known: object) -> Any:
    """Those that a queue asks for."""
    return SimpleNamespace(**known)


class OnArrays:
    """The queue of the compiled functions, which has whole numbers for loads."""

    def __init__(self, board: Board) -> None:
        clients = len(board.clients)
        codes = np.array([java_hash.bits_of(java.uuid_hash(client.process_id.bits)) for client in board.clients], np.int64)
        self._facts = facts(client_codes=codes, crowded=crowded(codes))
        self._of, self._board, self._queue = board, arrays.board(clients, 1), arrays.queue(clients)
        self._numbers = 1 << (clients - 1).bit_length()
        self._weigh(range(clients))
        queues.begin(self._queue, self._board)

    def _weigh(self, clients: Iterable[int]) -> None:
        for client in clients:
            self._board.load[client] = int(self._of.load_order[client][0]) * self._numbers + client

    def poll(self, eligible: set[int]) -> int | None:
        self._queue.eligible[: len(eligible)] = sorted(eligible)
        found = queues.poll(self._queue, self._facts, len(eligible))
        return None if found == NONE else found

    def knows(self, array: Sequence[int]) -> bool:
        """Whether this array is a heap but for clients whose loads are in doubt."""
        loads, (low, high) = self._queue.loads, self._queue.state[[queues.LOW, queues.HIGH]]
        above = ((array[at], array[(at - 1) >> 1]) for at in range(1, len(array)))
        out_of_order = [(one, other) for one, other in above if loads[one] < loads[other]]
        return all(low <= loads[client] <= high for pair in out_of_order for client in pair)

    @property
    def failed(self) -> bool:
        """Whether it takes a HashSet that grows trees."""
        return bool(self._queue.state[queues.FAILED])

    def settle(self, source: int, destination: int) -> None:
        self._weigh((source, destination))
        queues.settle(self._queue, self._facts, self._board, source, destination)


@settings(max_examples=examples(150), deadline=None)
@given(SEEDS)
def test_a_queue_on_arrays_polls_as_one_that_is_kept_at_every_step(seed: int) -> None:
    """As leaders do, and more often than they do where that leaves no heap: few clients, with loads that are nearly equal."""
    chance = random.Random(seed)
    all_clients = range(chance.choice([5, 7, 8, 10, 13, 20, 40]))
    loads = [10 + chance.randint(0, 2) for _ in all_clients]
    hashes = chance.choice([-1, 3 << 64])  # the fewer there are, the more clients meet in a bucket
    process_ids = [ProcessId.of(UUID(int=chance.getrandbits(128) & hashes)) for _ in all_clients]
    board = SimpleNamespace(
        clients=[SimpleNamespace(process_id=one) for one in process_ids],
        load_order=[(float(load), client) for client, load in enumerate(loads)],
    )
    ours, literal = OnArrays(board), LiteralPrioritySet(board)  # type: ignore[arg-type]
    without_any, stays = chance.choice([0.02, 0.2]), chance.random()
    for _ in range(80):
        some = chance.choice([1, 2, 4, len(all_clients) // 2])
        eligible = set() if chance.random() < without_any else set(chance.sample(all_clients, some))
        found = ours.poll(eligible)
        assert found == literal.poll(eligible)
        assert ours.knows(literal.array)
        if ours.failed:
            return
        if found is None and chance.random() < 0.4:
            continue
        source = chance.choice(all_clients) if found is None else found
        destination = chance.choice([client for client in all_clients if client != source])
        loads[source] += chance.choice([0, 1, 1, 2])
        loads[destination] += 0 if chance.random() < stays else chance.choice([-1, -1, -2, 1])
        for client in (source, destination):
            board.load_order[client] = (float(loads[client]), client)
        ours.settle(source, destination)
        literal.settle(source, destination)
        assert ours.knows(literal.array)


def test_what_is_placed_by_a_load_in_doubt_is_in_doubt_too() -> None:
    board, queue = arrays.board(4, 1), arrays.queue(4)
    board.load[:] = [8, 13, 14, 19]  # two tasks or more each, and the number of the client
    queues.begin(queue, board)
    queue.state[[queues.LOW, queues.HIGH]] = [13, 14]
    queue.waiting[0] = 0
    board.load[:2] = [12, 9]

    queues.settle(queue, facts(), board, 0, 1)  # another that is in doubt may lie above the destination

    assert queue.state[[queues.LOW, queues.HIGH]].tolist() == [12, 14]


@pytest.mark.parametrize(("codes", "meet"), [([0, 1, 2, 3], False), ([0, 16, 2, 2], False), ([0, 5, 21, 3], True)])
def test_the_order_of_a_hash_set_is_in_doubt_where_clients_in_doubt_meet(codes: list[int], meet: bool) -> None:
    board, queue = arrays.board(4, 1), arrays.queue(4)
    board.load[:] = [8, 13, 14, 19]
    queues.begin(queue, board)
    queue.state[[queues.LOW, queues.HIGH]] = [13, 14]

    assert queues._doubts_meet(queue, facts(client_codes=np.array(codes, np.int64))) == meet
