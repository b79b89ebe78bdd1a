"""Rules of KIP-441 and KIP-429 that hold for every group, in every line of releases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance import groups, random_groups

from holdfast.kafka.release import LINES
from holdfast.kafka.streams.group import Assignment, Group, NextRebalance
from holdfast.kafka.streams.leader import assign

RELEASES = [line.releases[-1] for line in LINES]


@st.composite
def assigned(draw: st.DrawFn) -> tuple[Group, Assignment]:
    """A random group and its decision; groups that make the leader throw are not these rules' business."""
    release = draw(st.sampled_from(RELEASES))
    seed = draw(st.integers(0, 2**32))
    while True:
        group = groups.group_of(random_groups.random_case(seed, release), release)
        decision = assign(group)
        if isinstance(decision, Assignment):
            return group, decision
        seed += 1


@given(assigned())
@settings(max_examples=150, deadline=None)
def test_every_task_runs_exactly_once(case: tuple[Group, Assignment]) -> None:
    """A task is active on one client, and handed to one consumer of it or withheld from one."""
    group, decision = case
    tasks = sorted(task.id for task in group.tasks)
    assert sorted(task for client in decision.clients for task in client.active) == tasks
    assert sorted(task for consumer in decision.consumers for task in (*consumer.active, *consumer.withheld)) == tasks


@given(assigned())
@settings(max_examples=150, deadline=None)
def test_a_client_never_has_a_task_twice(case: tuple[Group, Assignment]) -> None:
    group, decision = case
    stateful = {task.id for task in group.tasks if task.stateful}
    for client in decision.clients:
        assert not set(client.active) & set(client.standby)
        assert set(client.standby) <= stateful


@given(assigned())
@settings(max_examples=150, deadline=None)
def test_nothing_is_handed_over_that_another_member_owns(case: tuple[Group, Assignment]) -> None:
    """Cooperative rebalancing (KIP-429): first revoked, then assigned, and who waits rejoins at once."""
    group, decision = case
    partitions = {task.id: task.partitions for task in group.tasks}
    owners: dict[object, set[str]] = {}
    for client in group.clients:
        for consumer in client.consumers:
            for partition in consumer.owned:
                owners.setdefault(partition, set()).add(consumer.member_id)
    for consumer in decision.consumers:
        for task in consumer.active:
            assert all(consumer.member_id in owners.get(partition, {consumer.member_id}) for partition in partitions[task])
        assert not consumer.withheld or consumer.next_rebalance in (NextRebalance.IMMEDIATE, NextRebalance.NONE)


@given(assigned())
@settings(max_examples=150, deadline=None)
def test_an_assignment_does_not_depend_on_the_order_of_clients(case: tuple[Group, Assignment]) -> None:
    group, decision = case
    turned = assign(Group(group.release, group.config, group.tasks[::-1], group.clients[::-1], group.leader_process_id))
    assert isinstance(turned, Assignment)
    claims = [
        claim
        for client in group.clients
        for consumer in client.consumers
        for claim in (*consumer.owned, *(task for task, _ in consumer.task_offset_sums))
    ]
    if len(set(claims)) == len(claims):  # else the last of two claims counts, in the order of a HashMap
        assert turned.clients == decision.clients[::-1]


@pytest.mark.parametrize("release", RELEASES)
def test_a_group_settles_when_copies_catch_up(release: str) -> None:
    """KIP-441: warm-ups end; with every copy caught up the target is reached and no probing rebalance is asked for."""
    case = random_groups.random_case(4, release) | {"config": {"acceptable.recovery.lag": 2**63 - 1}}
    decision = assign(groups.group_of(case, release))
    assert isinstance(decision, Assignment)
    assert not decision.probing_rebalance_needed
