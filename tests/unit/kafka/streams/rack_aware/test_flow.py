"""A flow of least cost by itself, compared with SciPy's assignment; which of several is the JVM's to say (tests/conformance)."""

import copy
import random
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from scipy.optimize import linear_sum_assignment
from tests.harness.examples import examples

from holdfast.kafka.streams.client_state import LeaderThrows
from holdfast.kafka.streams.rack_aware import cycles
from holdfast.kafka.streams.rack_aware.flow import Flow


@settings(max_examples=examples(150), deadline=None)
@given(some.integers(0, 2**32), some.booleans())
@example(2259, True)
def test_no_other_way_of_dealing_out_costs_less(seed: int, from_every_node: bool) -> None:
    """3.6 may fail between two searches: its own `Graph` throws a NullPointerException for the example (3.6.2, run)."""
    chance = random.Random(seed)
    tasks, clients = chance.randint(1, 9), chance.randint(1, 4)
    costs = [[chance.randint(0, 12) for _ in range(clients)] for _ in range(tasks)]
    start = [chance.randrange(clients) for _ in range(tasks)]
    flow = Flow(-1, tasks + clients)
    for task in range(tasks):
        for client in range(clients):
            flow.add(task, tasks + client, 1, costs[task][client], int(start[task] == client))
        flow.add(-1, task, 1, 0, 1)
    for client in range(clients):
        flow.add(tasks + client, tasks + clients, start.count(client), 0, start.count(client))

    try:
        flow.least_cost(from_every_node=from_every_node)
    except LeaderThrows:
        assert from_every_node
        return

    ends = [flow.target(task) for task in range(tasks)]
    places = [client for client in range(clients) for _ in range(start.count(client))]
    rows, columns = linear_sum_assignment([[costs[task][client] for client in places] for task in range(tasks)])
    least = sum(costs[row][places[column]] for row, column in zip(rows, columns, strict=True))
    assert flow.cost() == sum(costs[task][end - tasks] for task, end in enumerate(ends)) == least
    assert sorted(end - tasks for end in ends) == sorted(start), "every client has as many as before"


def _dealt(chance: random.Random, tasks: int, clients: int, most: int) -> Flow:
    """As `min_traffic` asks: from tasks to clients, some of which have none."""
    owner = [chance.randrange(clients) for _ in range(tasks)]
    flow = Flow(-1, tasks + clients)
    for task in range(tasks):
        for client in range(clients):
            flow.add(task, tasks + client, 1, chance.randint(0, most), int(owner[task] == client))
        flow.add(-1, task, 1, 0, 1)
    for client in range(clients):
        flow.add(tasks + client, tasks + clients, owner.count(client), 0, owner.count(client))
    return flow


def _in_layers(chance: random.Random, tasks: int, clients: int, most: int) -> Flow:
    """As `balance_subtopology` asks: a layer of clients for each subtopology, then clients."""
    owner = [chance.randrange(clients) for _ in range(tasks)]
    groups = sorted(chance.randrange(3) for _ in range(tasks))
    second = tasks + clients * 3
    flow = Flow(-1, second + clients)
    for client in range(clients):
        for task, group in enumerate(groups):
            flow.add(task, tasks + clients * group + client, 1, chance.randint(0, most), 0)
        for group in dict.fromkeys(groups):
            share = -(-owner.count(client) * groups.count(group) // tasks)
            flow.add(tasks + clients * group + client, second + client, share, 0, 0)
        flow.add(second + client, second + clients, owner.count(client), 0, 0)
    for task in range(tasks):
        flow.add(-1, task, 1, 0, 0)
    flow.fill()
    return flow


@settings(max_examples=examples(400), deadline=None)
@given(some.integers(0, 2**32), some.sampled_from([_dealt, _in_layers]))
def test_with_tasks_folded_away_the_same_cycles_are_found(seed: int, network: Callable[..., Flow]) -> None:
    chance = random.Random(seed)
    tasks, clients, most = chance.randint(1, 14), chance.randint(1, 6), chance.choice([1, 3, 12, 100])
    flow = network(chance, tasks, clients, most)
    literal = copy.deepcopy(flow)
    folds = cycles.can_fold(flow, tasks)

    flow.least_cost(from_every_node=False, tasks=tasks)
    literal.least_cost(from_every_node=False)

    assert flow.residual == literal.residual
    assert folds or network is _in_layers, "only what cannot be filled cannot be folded"


def test_filling_reaches_all_that_there_is_room_for() -> None:
    """Two tasks, a client with room for one and another with room for two: a path has to be reversed."""
    flow = Flow(-1, 9)
    for task in (0, 1):
        flow.add(-1, task, 1, 0, 0)
    flow.add(0, 2, 1, 0, 0)
    flow.add(0, 3, 1, 0, 0)
    flow.add(1, 2, 1, 0, 0)
    flow.add(2, 9, 1, 0, 0)
    flow.add(3, 9, 2, 0, 0)

    assert flow.fill() == 2
    assert (flow.target(0), flow.target(1)) == (3, 2)


@pytest.mark.parametrize("from_every_node", [True, False])
def test_what_costs_least_already_stays(from_every_node: bool) -> None:
    flow = Flow(-1, 4)
    for task in (0, 1):
        flow.add(-1, task, 1, 0, 1)
        for client in (2, 3):
            flow.add(task, client, 1, 5, int(client == task + 2))
    for client in (2, 3):
        flow.add(client, 4, 1, 0, 1)

    flow.least_cost(from_every_node=from_every_node)

    assert (flow.target(0), flow.target(1), flow.cost()) == (2, 3, 10)
