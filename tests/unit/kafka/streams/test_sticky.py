"""Tasks that all go back are given as they are where Java's hash tables decide: the same board after it."""

import random
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from tests.conformance.streams import groups, random_groups
from tests.harness.examples import examples

from holdfast.kafka.release import LINES, behaviour
from holdfast.kafka.streams import sticky
from holdfast.kafka.streams.group import Group
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId, TopicPartition

RELEASES = [line.releases[-1] for line in LINES]
MOST_TASKS = 60


def at_rest(group: Group, rng: random.Random, copies: float) -> Group:
    """The members run the tasks in turn, in a random order; one client was restarted. `copies`: the part of tasks that others have
    a copy of."""
    members = [consumer.member_id for client in group.clients for consumer in client.consumers]
    sums: dict[str, dict[TaskId, int]] = {member: {} for member in members}
    owned: dict[str, list[TopicPartition]] = {member: [] for member in members}
    stopped = {consumer.member_id for consumer in rng.choice(group.clients).consumers}
    for number, task in enumerate(rng.sample(group.tasks, len(group.tasks))):
        member, other = members[number % len(members)], rng.choice(members)
        if rng.random() < copies and task.stateful:
            sums[other][task.id] = 0
        if member not in stopped:
            owned[member].extend(task.partitions)
        if task.stateful:
            sums[member][task.id] = 0 if member in stopped else LATEST_OFFSET
    clients = []
    for client in group.clients:
        consumers = tuple(
            replace(one, owned=tuple(sorted(owned[one.member_id])), task_offset_sums=tuple(sorted(sums[one.member_id].items())))
            for one in client.consumers
        )
        clients.append(replace(client, consumers=consumers))
    return replace(group, clients=tuple(clients))


def given_to(group: Group, *, preserve: bool) -> object:
    """Every client's tasks, and its load."""
    line = behaviour(group.release)
    board = Board.of(group, line)
    sticky.assign(board, group, line, preserve=preserve)
    return [(client.active, client.standby) for client in board.clients], board.load_order


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(seed=some.integers(0, 2**32), release=some.sampled_from(RELEASES), preserve=some.booleans(), standbys=some.integers(0, 1))
def test_what_goes_back_needs_no_hash_table(seed: int, release: str, preserve: bool, standbys: int) -> None:
    case = random_groups.random_case(seed, release)
    case["config"]["num.standby.replicas"] = standbys
    found = groups.group_of(case, release)
    assume(found.clients and 0 < len(found.tasks) <= MOST_TASKS)
    group = at_rest(found, random.Random(seed), 0.3)

    quick = given_to(group, preserve=preserve)

    with patch.object(sticky.Sticky, "_all_go_back", lambda *_args, **_settings: False):
        assert given_to(group, preserve=preserve) == quick


@pytest.mark.thorough
def test_where_all_tasks_go_back_no_table_of_tasks_is_made() -> None:
    """There is a group for which they do: else the test above would compare nothing."""
    quick = 0
    for seed in range(60):
        found = groups.group_of(random_groups.random_case(seed, "3.9.1"), "3.9.1")
        tasks = tuple(task for task in found.tasks if task.stateful)
        tasks = tasks[: len(tasks) // len(found.members()) * len(found.members())]
        if tasks and len(tasks) <= MOST_TASKS:
            group = at_rest(replace(found, tasks=tasks), random.Random(seed), 0)
            with patch.object(sticky.HashOrders, "of_tasks_without", side_effect=AssertionError) as table:
                try:
                    given_to(group, preserve=False)
                except AssertionError:
                    continue
            quick += not table.called
    assert quick >= 10
