"""Members newer than their leader, and other mixtures of metadata versions, in every group, against each line's own jar.

With the random process ID that the JVM had, the decision is the same; and without knowing it, nothing is called certain that is not
so, nor is Kafka anywhere that is not named. HOLDFAST_SEED=N: the groups of an earlier run.
"""

import itertools
import json
import os
import random
from collections import Counter

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import groups, random_groups
from tests.conformance.streams.groups import Case
from tests.conformance.streams.random_groups import versions

from holdfast.errors import CannotPredict
from holdfast.kafka.release import LINES, behaviour
from holdfast.kafka.streams.group import LeaderFailure

pytestmark = pytest.mark.jvm

RELEASES = tuple(line.releases[-1] for line in LINES)
CASES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 1000) // 80
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
TOO_MANY_TASKS = 60
"""Every random ID is a decision more."""


def mixed_case(seed: int, release: str) -> Case | None:
    """A random group with newer members; None where there are none to be had, or too many tasks."""
    case = random_groups.random_case(seed, release)
    chance = random.Random(f"{seed}/newer")
    processes = {member["process"] for member in case["members"]}
    if len(processes) < 2 or len(list(groups.tasks_of(case["subtopologies"]))) > TOO_MANY_TASKS:
        return None
    if case["leader"] not in processes:
        case["leader"] = min(processes)
    while all(member.get("version", 0) <= behaviour(release).metadata_version for member in case["members"]):
        versions.make_newer(chance, case, behaviour(release))
    return case


@pytest.mark.parametrize("jvm", RELEASES, indirect=True)
def test_newer_members(jvm: LeaderJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: groups with newer members for Kafka {release}")
    drawn = (mixed_case(seed, release) for seed in range(SEED, SEED + 20 * CASES))
    cases = list(itertools.islice((case for case in drawn if case is not None), CASES))
    seen: Counter[str] = Counter()
    for case, answer in jvm.answers(cases):
        difference = groups.difference(case, release, answer)
        assert not difference, f"Kafka {release}:\n{difference}\n{json.dumps(case)}"
        seen[_kind(case, release)] += 1
    print(seen)
    assert seen["certain"] + seen["uncertain"] > len(cases) / 4, seen


def _kind(case: Case, release: str) -> str:
    try:
        decision = groups.decided(groups.group_of(case, release))
    except CannotPredict:
        return "refused"
    if isinstance(decision, LeaderFailure):
        return "failure"
    return "uncertain" if decision.undetermined_tasks else "certain"
