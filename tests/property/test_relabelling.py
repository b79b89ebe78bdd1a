"""The best assigning of process IDs, compared with every permutation of them."""

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.harness.examples import examples

from holdfast.errors import CannotPredict, InvalidInput
from holdfast.kafka import java
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.streams.group import Assignment, Changelog, Client, Consumer, Group, Task
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId, TopicPartition
from holdfast.rollout.streams.process_ids.relabelling import Labels, relabel


@some.composite
def groups(draw: some.DrawFn) -> Group:
    """Clients alike or not, state here and there, some of it too old to count or beyond the log's end."""
    chance = random.Random(draw(some.integers(0, 2**32)))
    tasks = [
        Task(
            TaskId(subtopology, number),
            (TopicPartition(f"topic-{subtopology}", number),),
            tuple(Changelog("changelog", number, chance.randint(0, 100)) for _ in range(subtopology)),
        )
        for subtopology in range(3)
        for number in range(chance.randint(1, 7))
    ]
    most_threads = chance.choice([1, 1, 3])
    clients = []
    for number in range(chance.randint(1, 6)):
        process_id = ProcessId.parse(f"{chance.getrandbits(32):08x}-0000-4000-8000-{number:012}")
        members = [f"{process_id}-{thread}" for thread in range(chance.randint(1, most_threads))]
        had = {task.id: chance.choice([LATEST_OFFSET, chance.randint(0, 250)]) for task in tasks if chance.random() < 0.4}
        consumers = tuple(
            Consumer(member, member, task_offset_sums=tuple(had.items()) if member == members[0] else ()) for member in members
        )
        zone = (("zone", chance.choice("ab")),) if chance.random() < 0.3 else ()
        clients.append(Client(process_id, consumers, client_tags=zone))
    config = AssignorConfig(num_standby_replicas=chance.randint(0, 2), rack_aware_assignment_tags=chance.choice([(), ("zone",)]))
    return Group("3.9.1", config, tuple(tasks), tuple(clients))


@settings(max_examples=examples(60), deadline=None)
@given(groups(), some.randoms(use_true_random=False))
def test_no_permutation_moves_less(group: Group, chance: random.Random) -> None:
    ids = sorted(client.process_id for client in group.clients)
    restarting = chance.sample(ids, k=chance.randint(1, len(ids)))

    found = relabel(group, restarting)

    every = [tuple(zip(restarting, permutation, strict=True)) for permutation in itertools.permutations(restarting)]
    least = min(moved(group, labels) for labels in every)
    assert (found.moved.records, found.moved.tasks) == least == moved(group, found.labels)
    assert (found.baseline.records, found.baseline.tasks) == moved(group, ())
    assert sorted(old for old, _ in found.labels) == sorted(new for _, new in found.labels) == sorted(restarting)


def moved(group: Group, labels: Labels) -> tuple[int, int]:
    """What every client lacks of its target, counted task by task; the rule of the module computed differently."""
    new = dict(labels)
    ends = {task.id: task.end_offset_sum or 0 for task in group.tasks if task.stateful}
    renamed = tuple(replace(client, process_id=new.get(client.process_id, client.process_id)) for client in group.clients)
    decision = leader.assign(replace(group, clients=renamed, config=replace(group.config, acceptable_recovery_lag=java.LONG_MAX)))
    assert isinstance(decision, Assignment)
    runs = {}
    for client in group.clients:
        runs.update({task: client for one in client.consumers for task, total in one.task_offset_sums if total == LATEST_OFFSET})
    records = tasks = 0
    for before, share in zip(group.clients, decision.clients, strict=True):
        sums = {task: total for one in before.consumers for task, total in one.task_offset_sums}
        for task in (*share.active, *share.standby):
            total = sums.get(task, 0)
            if task in ends and total != LATEST_OFFSET:
                records += ends[task] if total > ends[task] else ends[task] - total
        tasks += sum(task in ends and runs.get(task) is not before for task in share.active)
    return records, tasks


def test_clients_that_swapped_their_ids_swap_them_back() -> None:
    """Two clients came back under each other's process IDs, their disks where they were: the old labels move nothing."""
    names = [ProcessId.parse(f"{digit}0000000-0000-4000-8000-000000000000") for digit in "123"]
    tasks = tuple(Task(TaskId(0, n), (TopicPartition("t", n),), (Changelog("c", n, 10),)) for n in range(6))
    holds = {names[0]: (1, 4), names[1]: (0, 3), names[2]: (2, 5)}
    clients = tuple(
        Client(one, (Consumer(f"{one}", "", task_offset_sums=tuple((TaskId(0, n), 10) for n in holds[one])),)) for one in names
    )

    found = relabel(Group("3.9.1", AssignorConfig(), tasks, clients), names)

    assert found.labels == ((names[0], names[1]), (names[1], names[0]), (names[2], names[2]))
    assert (found.moved.records, found.baseline.records) == (0, 40)
    assert found.worth_it


def test_what_the_order_does_not_decide_is_refused() -> None:
    one = ProcessId.parse("10000000-0000-4000-8000-000000000000")
    group = Group("3.9.1", AssignorConfig(), (), (Client(one, (Consumer("m", ""),)),))

    with pytest.raises(CannotPredict, match="process-ID order does not affect"):
        relabel(replace(group, config=replace(group.config, task_assignor="StickyTaskAssignor")), (one,))
    with pytest.raises(InvalidInput, match="no client of the group"):
        relabel(group, (ProcessId.parse("20000000-0000-4000-8000-000000000000"),))
