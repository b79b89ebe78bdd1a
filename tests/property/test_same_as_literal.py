"""What is done with less work than Kafka does it, compared with the same thing done literally, loop by loop."""

import random
from collections import deque
from collections.abc import Sequence
from unittest import mock
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.examples import examples

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import LINES, Behaviour
from holdfast.kafka.streams import high_availability, movement, standbys, threads
from holdfast.kafka.streams.client_state import ClientState
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Changelog, Client, Consumer, Group, Task
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId, TopicPartition

SEEDS = some.integers(0, 2**32)


def a_group(chance: random.Random) -> Group:
    """Up to 80 clients, mostly with a thread or two, some with many; copies here and there."""
    clients = []
    most = chance.choice([1, 1, 2, 4, 12])
    for number in range(chance.choice([1, 2, 3, 5, 12, 40, 80])):
        members = [Consumer(f"m-{number}-{thread}", "") for thread in range(chance.randint(1, most))]
        clients.append(Client(ProcessId.of(UUID(int=chance.getrandbits(128))), tuple(members)))
    tasks = tuple(
        Task(TaskId(sub, number), (TopicPartition(f"t{sub}", number),), (Changelog(f"c{sub}", number, 100),) if sub else ())
        for sub in range(chance.choice([2, 2, 3, 6]))
        for number in range(chance.choice([1, 7, 16, 60]))
    )
    stateful = [task.id for task in tasks if task.stateful]
    kept = chance.choice([0, 0.02, 0.3])
    for index, client in enumerate(clients):
        consumers = tuple(
            Consumer(
                one.member_id,
                "",
                task_offset_sums=tuple(
                    (task, chance.choice([LATEST_OFFSET, 0, 50, 100, 120])) for task in stateful if chance.random() < kept
                ),
            )
            for one in client.consumers
        )
        clients[index] = Client(client.process_id, consumers)
    config = AssignorConfig(
        num_standby_replicas=chance.choice([0, 1, 2, 5, 30]),
        max_warmup_replicas=chance.choice([1, 2, 7]),
        acceptable_recovery_lag=chance.choice([0, 60, java.LONG_MAX]),
    )
    return Group("3.9.1", config, tasks, tuple(clients))


def boards(seed: int) -> tuple[Board, Board, Group, Behaviour]:
    """The same board twice."""
    chance = random.Random(seed)
    group, line = a_group(chance), chance.choice(LINES)
    return Board.of(group, line), Board.of(group, line), group, line


def shares(board: Board) -> list[tuple[list[int], list[int]]]:
    return [(sorted(client.active), sorted(client.standby)) for client in board.clients]


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS)
def test_balance_tries_every_pair_of_clients_and_task(seed: int) -> None:
    ours, literal, _, _ = boards(seed)
    chance = random.Random(seed)
    for task in ours.stateful:  # anyhow: balance has to even it out
        client = chance.randrange(len(ours.clients))
        ours.give_active(client, task)
        literal.give_active(client, task)

    high_availability._balance(ours, lambda client: client.active, ours.take_active, ours.give_active)
    _balance_literally(literal)

    assert shares(ours) == shares(literal)
    assert ours.load_order == literal.load_order


def _balance_literally(board: Board) -> None:
    """Java: `HighAvailabilityTaskAssignor.balanceTasksOverThreads`."""
    moved = True
    while moved:
        moved = False
        for source, giver in enumerate(board.clients):
            for destination, taker in enumerate(board.clients):
                if source == destination:
                    continue
                for task in sorted(giver.active):
                    if not _should_move_literally(giver, taker):
                        break
                    if not taker.holds(task):
                        board.take_active(source, task)
                        board.give_active(destination, task)
                        moved = True


def _should_move_literally(source: ClientState, destination: ClientState) -> bool:
    """Java: `HighAvailabilityTaskAssignor.shouldMoveATask`: the skew is less after a move, and not turned round."""
    source_count = len(source.active) + len(source.standby)
    destination_count = len(destination.active) + len(destination.standby)
    skew = source_count / source.capacity - destination_count / destination.capacity
    if skew <= 0:
        return False
    proposed = (source_count - 1) / source.capacity - (destination_count + 1) / destination.capacity
    return 0 <= proposed < skew


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(SEEDS)
def test_standbys_go_one_by_one_to_the_least_loaded(seed: int) -> None:
    ours, literal, group, _ = boards(seed)
    for board in (ours, literal):
        high_availability.assign_stateful_active(board)

    standbys.assign_to_least_loaded(ours, group.config.num_standby_replicas)
    _standbys_literally(literal, group.config.num_standby_replicas)

    assert shares(ours) == shares(literal)
    assert ours.load_order == literal.load_order


def _standbys_literally(board: Board, replicas: int) -> None:
    """Java: `DefaultStandbyTaskAssignor.assign` over `ConstrainedPrioritySet`."""
    for task in board.stateful:
        for _ in range(replicas):
            free = [entry for entry in board.load_order if not board.clients[entry[1]].holds(task)]
            if not free:
                break
            board.give_standby(min(free)[1], task)


@pytest.mark.thorough
@settings(max_examples=examples(80), deadline=None)
@given(SEEDS)
def test_stateful_tasks_are_dealt_one_by_one_and_then_evened_out(seed: int) -> None:
    ours, literal, _, _ = boards(seed)
    for turn, task in enumerate(literal.stateful):
        literal.give_active(turn % len(literal.clients), task)
    _balance_literally(literal)

    high_availability.assign_stateful_active(ours)

    assert shares(ours) == shares(literal)
    assert ours.load_order == literal.load_order


@pytest.mark.thorough
@settings(max_examples=examples(80), deadline=None)
@given(SEEDS)
def test_movements_are_looked_for_at_every_task_of_every_client(seed: int) -> None:
    board, _, group, line = boards(seed)
    high_availability.assign_stateful_active(board)
    high_availability.assign_standbys(board, group.config)
    lag = group.config.acceptable_recovery_lag
    caught_up = {task: board.caught_up(task, lag) for task in board.stateful}
    mover = movement._Mover(board, line, group.config)

    def literally(client: int, task: int) -> bool:
        """Java: `TaskMovement.taskIsNotCaughtUpOnClientAndOtherMoreCaughtUpClientsExist`, and its like up to 3.1."""
        all_clients = range(len(board.clients))
        acceptable = {
            one
            for one in all_clients
            if lag == java.LONG_MAX or board.lag(one, task) == LATEST_OFFSET or 0 <= board.lag(one, task) <= lag
        }
        assert acceptable == caught_up[task]
        if client in acceptable:
            return False
        others = min(board.lag(one, task) for one in all_clients) < board.lag(client, task)
        return others if line.moves_to_most_caught_up else bool(acceptable)

    for kind in ([client.active for client in board.clients], [client.standby for client in board.clients]):
        expected = [(task, client) for client, tasks in enumerate(kind) for task in sorted(tasks) if literally(client, task)]
        assert [(one.task, one.destination) for one in mover._movements(kind)] == expected


@settings(max_examples=examples(80), deadline=None)
@given(SEEDS)
def test_tasks_are_dealt_to_threads_from_a_queue(seed: int) -> None:
    board, _, _, _ = boards(seed)
    chance = random.Random(seed)
    high_availability.assign_stateful_active(board)
    for client in board.clients[:8]:
        load = [chance.randint(0, 1) for _ in client.consumers]  # what was dealt before is even but for one
        queued = chance.sample(sorted(client.active), k=len(client.active))
        if not queued:
            continue
        previous = [[chance.choice(queued) for _ in range(chance.randint(0, 4))] for _ in load]
        ours = threads._Deal(load, sorted(queued), lambda _: queued)  # noqa: B023 - called before the next turn
        for consumer in range(len(load)):
            ours.keep(consumer, previous[consumer])
        ours.fill()
        ours.give_leftovers()

        literal = _deal_literally(load, queued, previous)
        assert [sorted(tasks) for tasks in ours.dealt] == [sorted(tasks) for tasks in literal]


def _deal_literally(load: Sequence[int], queued: Sequence[int], previous: Sequence[Sequence[int]]) -> list[list[int]]:
    """Java: `StreamsPartitionAssignor.assignTasksToThreads`, with its PriorityQueue."""
    dealt: list[list[int]] = [[] for _ in load]
    waiting: java.PriorityQueue[int] = java.PriorityQueue(lambda task: task, queued)
    least = (sum(load) + len(queued)) // len(load)
    owner: dict[int, int] = {}
    to_fill: deque[int] = deque()
    for consumer, tasks in enumerate(previous):
        for task in tasks:
            if task in list(waiting):
                if load[consumer] + len(dealt[consumer]) < least:
                    dealt[consumer].append(task)
                    waiting.remove(task)
                else:
                    owner[task] = consumer
        if load[consumer] + len(dealt[consumer]) < least:
            to_fill.append(consumer)
    while to_fill:
        consumer = to_fill.popleft()
        dealt[consumer].append(waiting.poll())
        if load[consumer] + len(dealt[consumer]) < least:
            to_fill.append(consumer)
    room = [consumer for consumer in range(len(load)) if load[consumer] + len(dealt[consumer]) == least]
    for task, consumer in sorted(owner.items()):
        if consumer in room and task in list(waiting):
            dealt[consumer].append(task)
            waiting.remove(task)
            room.remove(consumer)
    for task in waiting:
        dealt[room.pop(0)].append(task)
    return dealt


class LiteralPrioritySet:
    """Java: `ConstrainedPrioritySet`, its array kept at every step."""

    def __init__(self, board: Board) -> None:
        self._queue: java.PriorityQueue[int] = java.PriorityQueue(board.load_order.__getitem__)
        self._waiting: list[int] = []
        self._hash_set_order = java_hash.SubsetOrder([java.uuid_hash(client.process_id.uuid.int) for client in board.clients])
        for client in range(len(board.clients)):
            self._offer(client)

    def poll(self, eligible: set[int]) -> int | None:
        passed_over: list[int] = []
        found = None
        while len(self._queue):
            head = self._queue.poll()
            if head in eligible:
                found = head
                self._waiting.remove(head)
                break
            passed_over.append(head)
        for client in self._hash_set_order(passed_over):
            self._queue.offer(client)
        return found

    @property
    def array(self) -> tuple[int, ...]:
        return tuple(self._queue)

    def settle(self, source: int, destination: int) -> None:
        self._offer(source)
        self._offer(destination)

    def _offer(self, client: int) -> None:
        if client in self._waiting:
            self._queue.remove(client)
        else:
            self._waiting.append(client)
        self._queue.offer(client)


@pytest.mark.thorough
@settings(max_examples=examples(200), deadline=None)
@given(SEEDS)
def test_movements_choose_as_from_a_queue_that_is_kept_at_every_step(seed: int) -> None:
    ours, literal, group, line = boards(seed)
    for board in (ours, literal):
        high_availability.assign_stateful_active(board)
        high_availability.assign_standbys(board, group.config)

    made = movement.move_to_caught_up_clients(ours, group.config, line)
    with mock.patch.object(movement, "ConstrainedPrioritySet", LiteralPrioritySet):
        expected = movement.move_to_caught_up_clients(literal, group.config, line)

    assert made == expected
    assert shares(ours) == shares(literal)


@pytest.mark.thorough
@settings(max_examples=examples(200), deadline=None)
@given(SEEDS)
def test_a_queue_of_clients_polls_as_one_that_is_kept_at_every_step(seed: int) -> None:
    """Any movements, not only those that a leader makes: the rare ones leave an array that is no heap."""
    chance = random.Random(seed)
    board = Board.of(a_group(chance), chance.choice(LINES))
    loads = [chance.randint(0, 3) for _ in board.clients]
    board.load_order[:] = [(float(load), client) for client, load in enumerate(loads)]
    ours, literal = movement.ConstrainedPrioritySet(board), LiteralPrioritySet(board)
    all_clients = range(len(loads))
    for _ in range(60):
        eligible = set(chance.sample(all_clients, min(len(loads), chance.choice([0, 0, 1, 2, 2, 3]))))
        found = ours.poll(eligible)
        assert found == literal.poll(eligible)
        if found is None and chance.random() < 0.9:
            continue
        source = chance.choice(all_clients) if found is None else found
        destination = chance.choice([client for client in all_clients if client != source] or [source])
        loads[source] += 1
        loads[destination] -= chance.choice([0, 1, 1])
        for client in (source, destination):
            board.load_order[client] = (float(loads[client]), client)
        ours.settle(source, destination)
        literal.settle(source, destination)
