"""Rules of KIP-441 and KIP-429 that hold for every group, in every line of releases."""

import contextlib
import itertools
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.conformance.streams import groups, random_groups
from tests.harness.examples import examples

from holdfast.errors import CannotPredict
from holdfast.kafka import java, java_hash
from holdfast.kafka.release import LINES, behaviour
from holdfast.kafka.streams import version_probing
from holdfast.kafka.streams.config import TaskAssignor
from holdfast.kafka.streams.group import Assignment, Group, NextRebalance
from holdfast.kafka.streams.leader import assign

RELEASES = [line.releases[-1] for line in LINES]


@st.composite
def assigned(draw: st.DrawFn) -> tuple[Group, Assignment]:
    """A random group and its decision. Leaders that throw, and what is only partly certain, are not these rules' business."""
    release = draw(st.sampled_from(RELEASES))
    seed = draw(st.integers(0, 2**32))
    while True:
        group = groups.group_of(random_groups.random_case(seed, release), release)
        with contextlib.suppress(CannotPredict):
            decision = assign(group)
            if isinstance(decision, Assignment) and not decision.undetermined_tasks:
                return group, decision
        seed += 1


def drawn(seed: int, release: str) -> tuple[Group, Assignment]:
    group = groups.group_of(random_groups.random_case(seed, release), release)
    decision = assign(group)
    assert isinstance(decision, Assignment)
    return group, decision


@given(assigned())
@settings(max_examples=examples(60), deadline=None)
def test_every_task_runs_exactly_once(case: tuple[Group, Assignment]) -> None:
    """A task is active on one client, and handed to one consumer of it or withheld from one."""
    group, decision = case
    tasks = sorted(task.id for task in group.tasks)
    assert sorted(task for client in decision.clients for task in client.active) == tasks
    assert sorted(task for consumer in decision.consumers for task in (*consumer.active, *consumer.withheld)) == tasks


@given(assigned())
@example(drawn(22, "3.2.3"))
@settings(max_examples=examples(60), deadline=None)
def test_a_client_never_has_a_task_twice(case: tuple[Group, Assignment]) -> None:
    """Unless some of its members are newer than the leader, which books those as another client (as the jars do: seed 22)."""
    group, decision = case
    line = behaviour(group.release)
    stateful = {task.id for task in group.tasks if task.stateful}
    for client, share in zip(group.clients, decision.clients, strict=True):
        newer = any(version_probing.is_newer(consumer, line) for consumer in client.consumers)
        assert newer or not set(share.active) & set(share.standby)
        assert set(share.standby) <= stateful


@given(assigned())
@settings(max_examples=examples(60), deadline=None)
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
@settings(max_examples=examples(60), deadline=None)
def test_an_assignment_does_not_depend_on_the_order_of_clients(case: tuple[Group, Assignment]) -> None:
    """Unless Java's own tables do: where two member IDs share a bucket of the leader's map, it reads first who is listed first."""
    group, decision = case
    turned_group = replace(group, tasks=group.tasks[::-1], clients=group.clients[::-1])
    turned = assign(turned_group)
    assert isinstance(turned, Assignment)
    if as_read(group) == as_read(turned_group) or not reads_in_hash_order(group):
        assert turned.clients == decision.clients[::-1]


def as_read(group: Group) -> list[str]:
    """The members as the leader reads them."""
    members = [consumer.member_id for client in group.clients for consumer in client.consumers]
    return java_hash.hash_order(members, java.string_hash, java.string_order)


def reads_in_hash_order(group: Group) -> bool:
    """Whether the order matters: for a sticky assignor, the last of two claims, tags that only some members can send."""
    claims = [
        claim
        for client in group.clients
        for consumer in client.consumers
        for claim in (*consumer.owned, *(task for task, _ in consumer.task_offset_sums))
    ]
    sticky = group.config.task_assignor is not TaskAssignor.HIGH_AVAILABILITY
    ends_known = all(task.end_offset_sum is not None for task in group.tasks)
    versions = {consumer.metadata_version for client in group.clients for consumer in client.consumers}
    return sticky or not ends_known or len(set(claims)) < len(claims) or len(versions) > 1


@pytest.mark.parametrize("release", RELEASES)
def test_a_group_settles_when_copies_catch_up(release: str) -> None:
    """KIP-441: warm-ups end; with every copy caught up the target is reached and no probing rebalance is asked for."""
    caught_up = {"config": {"acceptable.recovery.lag": 2**63 - 1}}
    drawn = (groups.group_of(random_groups.random_case(seed, release) | caught_up, release) for seed in itertools.count())
    known = (group for group in drawn if group.tasks and all(task.end_offset_sum is not None for task in group.tasks))
    decisions = [assign(group) for group in itertools.islice(known, 20)]
    decided = [one for one in decisions if isinstance(one, Assignment)]
    assert len(decided) > 10
    assert [one for one in decided if one.probing_rebalance_needed] == []
