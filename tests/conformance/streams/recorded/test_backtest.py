"""Rebalances that each release's own classes decided, judged again: none is found to differ, and an exchange of two tasks is.

Given are the release, the settings and the end offsets, as a range that holds them; as a record would show them.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups, random_groups
from tests.conformance.streams.groups import Case
from tests.conformance.streams.test_leader import CASES, SEED, _releases
from tests.harness.kafka import recorded_rebalances
from tests.harness.kafka.recorded_rebalances import Sent

from holdfast.errors import HoldfastError
from holdfast.kafka.release import behaviour
from holdfast.kafka.streams.group import Group, NextRebalance
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Because, Judged
from holdfast.rollout.streams.backtest import question, releases
from holdfast.rollout.streams.backtest.judge import judge
from holdfast.rollout.streams.backtest.question import PastTask, StreamsQuestion

pytestmark = pytest.mark.jvm

OPEN = frozenset({Because.JAVA, Because.NEWER_MEMBERS, Because.LEADER, Because.RACKS, Because.END_OFFSETS, Because.ASSIGNOR})


@pytest.mark.parametrize("jvm", _releases(), indirect=True)
def test_what_the_release_decided_is_never_found_to_differ(jvm: LeaderJvm) -> None:
    found = list(_recorded(jvm))
    results = [(seed, judge(asked).result) for seed, asked in found]

    assert len(found) > CASES // 4
    assert [(seed, one.differences) for seed, one in results if one.judged is Judged.DIFFERENT] == []
    assert {reason for _, one in results for reason in one.because} <= OPEN
    assert sum(one.judged is Judged.EQUAL for _, one in results) > len(results) // 3


@pytest.mark.parametrize("jvm", _releases()[-1:], indirect=True)
def test_an_exchange_of_two_tasks_is_never_found_to_be_equal(jvm: LeaderJvm) -> None:
    exchanged = [
        (seed, judge(replace(asked, generation=other)).result)
        for seed, asked in _recorded(jvm)
        if (other := recorded_rebalances.swapped(asked.generation)) is not None
    ]

    assert exchanged
    assert [seed for seed, one in exchanged if one.judged is Judged.EQUAL] == []
    assert sum(one.judged is Judged.DIFFERENT for _, one in exchanged) > len(exchanged) // 3


def _recorded(jvm: LeaderJvm) -> Iterator[tuple[int, StreamsQuestion]]:
    """Of random groups those that a record can hold: the leader answered with tasks, and every end offset is known."""
    seeds = range(SEED, SEED + CASES)
    cases = [(seed, random_groups.random_case(seed, jvm.release)) for seed in seeds]
    for (seed, case), answer in zip(cases, jvm.ask(case for _, case in cases), strict=True):
        found = _generation(case, jvm.release, answer)
        if found is not None:
            yield seed, found


def _generation(case: Case, release: str, answer: Case) -> StreamsQuestion | None:
    try:
        group = groups.group_of(case, release)
    except HoldfastError:
        return None
    if "consumers" not in answer or any(one["code"] for one in answer["consumers"].values()) or not _ordinary(group):
        return None
    decided = {member: _sent(one) for member, one in answer["consumers"].items()}
    generation: Generation = recorded_rebalances.generation(1, group, decided)
    return question.of(_tried(generation, release), tuple(case["config"].items()), _tasks(group), generation)


def _tried(generation: Generation, release: str) -> tuple[str, ...]:
    return releases.of_leader(release, releases.leaders_version(generation))


def _ordinary(group: Group) -> bool:
    """Its members have the leader's version, report no more than there is, and name their leader; no end offset is missing."""
    version = behaviour(group.release).metadata_version
    ends = {task.id: task.end_offset_sum for task in group.tasks}
    consumers = [one for client in group.clients for one in client.consumers]
    known = all(one.metadata_version in (None, version) and not one.error_code for one in consumers)
    sums = [(task, total) for one in consumers for task, total in one.task_offset_sums]
    plausible = all(task in ends and total <= (ends[task] or 0) for task, total in sums)
    there = any(client.process_id == group.leader_process_id for client in group.clients)
    return known and plausible and there and None not in ends.values() and not group.missing_topics


def _sent(one: Case) -> Sent:
    tasks = [tuple(sorted(map(TaskId.parse, one[role]))) for role in ("active", "standby")]
    return Sent(*tasks, NextRebalance(one["next"]))


def _tasks(group: Group) -> tuple[PastTask, ...]:
    """Every second end offset is known to lie in a range only."""
    return tuple(
        PastTask(
            task.id,
            task.partitions,
            task.stateful,
            max(0, (task.end_offset_sum or 0) - number % 2),
            (task.end_offset_sum or 0) + number % 2,
        )
        for number, task in enumerate(group.tasks)
    )
