"""The public sticky assignor (KIP-924): what is certain, what is not, and that nothing takes the one for the other."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.streams import groups
from tests.conformance.streams.test_public_sticky import public_case
from tests.harness import article
from tests.harness.examples import examples

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams import config, public_sticky
from holdfast.kafka.streams.config import AssignorConfig, TaskAssignor
from holdfast.kafka.streams.group import Assignment, Changelog, Client, Consumer, Group, NextRebalance, Task
from holdfast.kafka.streams.leader import assign
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.streams.sticky import Sticky
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId, TopicPartition
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.forecast.assignment_json import assignment_from_json, assignment_to_json
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

RELEASE = "4.3.1"
SETTINGS = AssignorConfig(num_standby_replicas=1, task_assignor=TaskAssignor.PUBLIC_STICKY)
NAMES = [f"{digit}0000000-0000-4000-8000-000000000000" for digit in "1234"]


def group(running: list[list[int]], standing_by: list[list[int]], threads: int = 1, **more: object) -> Group:
    """Stateful tasks `0_n`; what each client runs and keeps copies of."""
    tasks = tuple(
        Task(TaskId(0, n), (TopicPartition("in", n),), (Changelog("log", n, 10),)) for n in sorted(itertools.chain(*running))
    )
    clients = tuple(
        Client(ProcessId.parse(name), tuple(_consumer(name, thread, run[thread::threads], keep) for thread in range(threads)))
        for name, run, keep in zip(NAMES, running, standing_by, strict=False)
    )
    return Group(RELEASE, SETTINGS, tasks, clients, **more)


def _consumer(name: str, thread: int, run: list[int], keep: list[int]) -> Consumer:
    sums = {TaskId(0, n): 10 for n in keep if thread == 0} | {TaskId(0, n): LATEST_OFFSET for n in run}
    owned = tuple(TopicPartition("in", n) for n in run)
    return Consumer(f"{name}-{thread}", "", owned=owned, task_offset_sums=tuple(sums.items()))


def decided(given: Group) -> Assignment:
    decision = assign(given)
    assert isinstance(decision, Assignment)
    return decision


def test_everybody_gets_everything_whatever_the_order() -> None:
    decision = decided(group([[0, 1], [2, 3]], [[], []]))

    assert [[str(task) for task in client.standby] for client in decision.clients] == [["0_2", "0_3"], ["0_0", "0_1"]]
    assert decision.undetermined_tasks == ()
    assert decision.undetermined == ()
    assert not decision.probing_rebalance_needed


def test_without_standbys_all_is_certain() -> None:
    alone = replace(SETTINGS, num_standby_replicas=0)
    decision = decided(replace(group([[0, 1, 4], [2, 3], []], [[], [], []]), config=alone))

    assert decision.undetermined_tasks == ()
    assert sorted(len(client.active) for client in decision.clients) == [1, 2, 2]


def test_the_order_decides_which_of_two_others_gets_a_standby() -> None:
    """Three clients run a task each and no client has a copy: a first standby goes to the one or the other, whose turn comes
    first."""
    decision = decided(group([[0, 1], [2, 3], [4, 5]], [[], [], []]))

    assert [[str(task) for task in client.active] for client in decision.clients] == [
        ["0_0", "0_1"],
        ["0_2", "0_3"],
        ["0_4", "0_5"],
    ]
    assert decision.undetermined_tasks
    for task in decision.undetermined_tasks:
        assert len(task.standby_clients) == 2
        assert all(
            task.id not in client.active + client.standby
            for client in decision.clients
            if client.process_id in task.standby_clients
        )
    assert "undetermined_tasks" in decision.undetermined[-1].text


@pytest.mark.thorough
def test_where_a_stateless_task_waits_is_as_open_as_the_standbys_are() -> None:
    """Stateless tasks fill the threads after the standbys."""
    found = [
        decision
        for seed in range(60)
        if isinstance(decision := assign(groups.group_of(public_case(seed, RELEASE), RELEASE)), Assignment)
        and any(consumer.next_rebalance is NextRebalance.UNKNOWN for consumer in decision.consumers)
    ]
    assert found
    for decision in found:
        waiting = {member for task in decision.undetermined_tasks for member in task.withheld_consumers}
        unknown = {consumer.member_id for consumer in decision.consumers if consumer.next_rebalance is NextRebalance.UNKNOWN}
        assert unknown <= waiting


@given(st.integers(0, 2**32))
@settings(max_examples=examples(30), deadline=None)
def test_bounds_name_all_that_trying_finds(seed: int) -> None:
    case = public_case(seed, RELEASE)
    drawn = groups.group_of(case, RELEASE)
    if not isinstance(assign(drawn), Assignment):
        return  # the leader throws
    board = Board.of(drawn, behaviour(RELEASE))
    sticky = Sticky(board, drawn, behaviour(RELEASE), public=True)
    sticky.assign_active(preserve=False)
    rules = public_sticky.Rules(board, sticky, drawn.config.num_standby_replicas)
    tried = public_sticky.by_trying(rules)
    if tried is not None:
        bounds = public_sticky.by_bounds(rules)
        for client in rules.clients:
            assert bounds.certain[client] <= tried.certain[client] <= tried.possible[client] <= bounds.possible[client]


@given(st.integers(0, 2**32))
@settings(max_examples=examples(30), deadline=None)
def test_as_json_and_back(seed: int) -> None:
    decision = assign(groups.group_of(public_case(seed, RELEASE), RELEASE))
    written = assignment_to_json(decision)

    assert assignment_to_json(assignment_from_json(written)) == written
    if isinstance(decision, Assignment) and decision.undetermined_tasks:
        read = assignment_from_json(written)
        assert isinstance(read, Assignment)
        assert read.undetermined_tasks == decision.undetermined_tasks
        assert all(places for task in written["undetermined_tasks"].values() for places in task.values())


def test_a_forecast_does_not_take_it_for_the_answer() -> None:
    name = "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor"
    settings = {"task.assignor.class": name, "num.standby.replicas": 1}
    snapshot = snapshot_from_json(article.group(article.AFTER, "3.9.1", settings))
    change = change_from_json(article.change({"remove_client": {"process_id": article.C}}))
    two = forecast(snapshot, change)  # each gets everything that the other runs

    assert two.outcomes[0].stable
    with pytest.raises(CannotPredict, match="undetermined_tasks"):
        forecast(snapshot, change_from_json(article.change({"add_client": {"process_id": article.LAST, "threads": 2}})))


def test_with_racks_it_is_refused_by_name() -> None:
    strategy = replace(SETTINGS, rack_aware_assignment_strategy="min_traffic", rack_aware_assignment_traffic_cost=1)
    costs = replace(strategy, rack_aware_assignment_non_overlap_cost=1)
    without = group([[0], [1]], [[], []])
    racks = replace(without, clients=tuple(replace(client, rack="a") for client in without.clients))

    with pytest.raises(Unsupported, match="min_traffic"):
        assign(replace(racks, config=costs))
    for harmless in (replace(racks, config=strategy), replace(without, config=costs)):
        assert assign(harmless) == assign(without)


def test_its_class_is_known_from_3_8_on() -> None:
    name = "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor"

    assert config.read("3.8.0", {"task.assignor.class": name}).task_assignor is TaskAssignor.PUBLIC_STICKY
    assert config.read("3.9.1", {}, name).task_assignor is TaskAssignor.PUBLIC_STICKY
    assert config.read("3.7.2", {"task.assignor.class": name}).task_assignor is TaskAssignor.HIGH_AVAILABILITY
    with pytest.raises(Unsupported, match="StickyTaskAssignor"):
        config.read("3.7.2", {}, name)
