"""What Holdfast calls certain with the public sticky assignor (KIP-924), against the jars, whose answer changes from call to call.

The same group is asked many times, in several JVMs, one of which counts its identity hash codes up and one of which has but one.
Every answer must have all that is certain, and nothing that is not named. HOLDFAST_SEED=N: the groups of an earlier run.
"""

import itertools
import json
import os
import random
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups, random_groups
from tests.conformance.streams.groups import Case

from holdfast.kafka.release import RELEASES, behaviour
from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment

PUBLIC_STICKY = "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor"
JUDGED = ("3.8.1", "3.9.1", "4.0.1", "4.1.1", "4.2.1", "4.3.1")
CASES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 200) // 10
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
TOO_MANY_TASKS = 500
"""Kafka's sticky assignors take seconds over more."""
JVMS = (
    ((), 8),
    (("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"), 2),
    (("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"), 1),
)
"""The JVM's options, and how often each group is asked."""


def public_case(seed: int, release: str) -> Case:
    """A random group with this assignor, and without what is refused together with it."""
    case = random_groups.random_case(seed, release)
    for key in ("internal.task.assignor.class", "rack.aware.assignment.traffic_cost"):
        case["config"].pop(key, None)  # without the costs nothing is placed by rack, whatever the strategy
    case["config"]["task.assignor.class"] = PUBLIC_STICKY
    for member in case["members"]:
        if member.get("version", 0) > behaviour(release).metadata_version:
            del member["version"], member["latest"]
    return case


def _cases(release: str, count: int) -> Iterator[Case]:
    for seed in range(SEED, SEED + count):
        case = public_case(seed, release)
        if len(list(groups.tasks_of(case["subtopologies"]))) <= TOO_MANY_TASKS:
            yield case


def test_every_minor_release_with_public_assignors_is_judged() -> None:
    minors = {release.rpartition(".")[0] for release in RELEASES if behaviour(release).public_task_assignor}
    assert {release.rpartition(".")[0] for release in JUDGED} == minors


@pytest.mark.jvm
@pytest.mark.parametrize("jvm", JUDGED, indirect=True)
def test_no_answer_contradicts_what_is_certain(jvm: LeaderJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CASES} groups for Kafka {release}")
    cases = [(case, leader.assign(groups.group_of(case, release))) for case in _cases(release, CASES)]
    varied, certain = 0, 0
    for options, times in JVMS:
        with LeaderJvm(release, *options) if options else nullcontext(jvm) as asked:
            answers = asked.answers(case for case, _ in cases for _ in range(times))
            for case, decision in cases:
                own = [answer for _, answer in itertools.islice(answers, times)]
                for answer in own:
                    wrong = "\n".join(groups.contradictions(decision, answer))
                    assert not wrong, f"{wrong}\n{json.dumps(case)}"
                varied += len({json.dumps(answer, sort_keys=True) for answer in own}) > 1
                certain += isinstance(decision, Assignment) and not decision.undetermined_tasks
    assert varied > 0, "nothing varied: the groups say nothing about what is certain"
    assert certain > len(cases) * len(JVMS) / 4, "in most groups hardly anything is called certain"


def racked_case(seed: int, release: str) -> Case | None:
    """A random group that this assignor places by rack, without standbys; None: another kind of group was drawn."""
    case = random_groups.random_case(seed, release)
    config, chance = case["config"], random.Random(seed)
    if "replicas" not in case or config.get("rack.aware.assignment.strategy", "none") == "none":
        return None
    config.pop("internal.task.assignor.class", None)
    config |= {"task.assignor.class": PUBLIC_STICKY, "num.standby.replicas": 0}
    for cost in ("traffic_cost", "non_overlap_cost"):
        config.setdefault(f"rack.aware.assignment.{cost}", chance.choice([0, 1, 3, 10]))
    for member in case["members"]:
        if member.get("version", 0) > behaviour(release).metadata_version:
            del member["version"], member["latest"]
    return case


@pytest.mark.jvm
@pytest.mark.parametrize("jvm", ["3.8.1", "4.3.1"], indirect=True)
def test_placed_by_rack_without_standbys_it_is_what_kafka_does(jvm: LeaderJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CASES // 2} groups for Kafka {release}")
    drawn = (racked_case(seed, release) for seed in itertools.count(SEED))
    cases = list(itertools.islice((case for case in drawn if case is not None), CASES // 2))
    certain = 0
    for case, answer in jvm.answers(iter(cases)):
        decision = leader.assign(groups.group_of(case, release))
        if isinstance(decision, Assignment):
            wrong = "\n".join(groups.contradictions(decision, answer))
            certain += not decision.undetermined_tasks
        else:
            wrong = groups.difference(case, release, answer)
        assert not wrong, f"{wrong}\n{json.dumps(case)}"
    assert certain > len(cases) / 2


def test_a_contradiction_is_seen() -> None:
    """Each single change of an answer that fits, where all is certain."""
    case = next(case for seed in range(1000) if _all_certain(case := public_case(seed, "4.3.1")))
    decision = leader.assign(groups.group_of(case, "4.3.1"))
    assert isinstance(decision, Assignment)
    fitting = groups.as_answer(decision)
    assert groups.contradictions(decision, fitting) == []
    for level in ("clients", "consumers"):
        for name, given in fitting[level].items():
            for role in ("active", "standby"):
                for tasks in (["99_0"], [*given[role], "99_0"], *([given[role][1:]] if given[role] else [])):
                    changed = fitting | {level: fitting[level] | {name: given | {role: tasks}}}
                    assert groups.contradictions(decision, changed)
    name, given = next(iter(fitting["consumers"].items()))
    changed = fitting | {"consumers": fitting["consumers"] | {name: given | {"next": "probing"}}}
    assert groups.contradictions(decision, changed)


def _all_certain(case: Case) -> bool:
    decision = leader.assign(groups.group_of(case, "4.3.1"))
    return isinstance(decision, Assignment) and not decision.undetermined_tasks and bool(case["config"].get("num.standby.replicas"))
