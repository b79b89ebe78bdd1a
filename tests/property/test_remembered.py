"""What a leader's decisions leave for the next one changes none of them: with a memory and without, they are the same."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.examples import examples
from tests.property.test_same_as_literal import a_group

from holdfast.kafka.release import LINES
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Client, Group
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId

ROUNDS = 4


def settled(group: Group) -> Group:
    """Every member runs, and reports, what the leader gives it."""
    decision = leader.assign(group)
    assert isinstance(decision, Assignment)
    partitions = {task.id: task.partitions for task in group.tasks}
    share = {one.member_id: one.active for one in decision.consumers}
    clients = tuple(
        replace(
            client,
            consumers=tuple(
                replace(
                    one,
                    owned=tuple(each for task in share[one.member_id] for each in partitions[task]),
                    task_offset_sums=tuple(
                        sorted((dict(one.task_offset_sums) | dict.fromkeys(share[one.member_id], LATEST_OFFSET)).items())
                    ),
                )
                for one in client.consumers
            ),
        )
        for client in group.clients
    )
    return replace(group, clients=clients)


def otherwise(client: Client, stateful: list[TaskId], chance: random.Random) -> Client:
    """The client with another report of a few tasks."""
    consumer = client.consumers[0]
    sums = dict(consumer.task_offset_sums)
    for task in chance.sample(stateful, min(len(stateful), chance.randint(1, 6))):
        sums[task] = chance.choice([LATEST_OFFSET, 0, 50, 99, 100, 100, 120])
    return replace(client, consumers=(replace(consumer, task_offset_sums=tuple(sorted(sums.items()))), *client.consumers[1:]))


@pytest.mark.thorough
@settings(max_examples=examples(100), deadline=None)
@given(some.integers(0, 2**32))
def test_a_decision_is_the_same_with_a_memory(seed: int) -> None:
    chance = random.Random(seed)
    group = a_group(chance)
    standbys = chance.choice([0, 0, 0, 1])
    release = chance.choice([line.releases[-1] for line in LINES])
    group = replace(group, release=release, config=replace(group.config, num_standby_replicas=standbys))
    if chance.random() < 0.7:
        group = settled(group)
    stateful = [task.id for task in group.tasks if task.stateful]
    memory = leader.Memory()
    for _ in range(ROUNDS):
        assert leader.assign(group, memory) == leader.assign(group)
        clients = list(group.clients)
        for number in chance.sample(range(len(clients)), min(len(clients), chance.randint(1, 4))) if stateful else ():
            clients[number] = otherwise(clients[number], stateful, chance)
        group = replace(group, clients=tuple(clients))
