"""Consumer groups of the new protocol: every target against the assignors in that release's own `kafka-group-coordinator` jar, the
order in which the coordinator keeps it included.

Each run makes new groups and takes them through several targets. A failure prints its seed and a case made small.

    HOLDFAST_SEED=N               the groups of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N  number of groups per release
"""

import json
import os
import random
from collections.abc import Sequence

import pytest
from tests.conformance.coordinator.consumer import targets
from tests.conformance.coordinator.consumer.random_groups import Case, after_target, random_group
from tests.conformance.coordinator.coordinator_jvm import ConsumerTargetJvm

from holdfast.kafka.coordinator.consumer.release import RELEASES

pytestmark = pytest.mark.jvm

CASES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 250)
ROUNDS = 5
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


@pytest.mark.parametrize("release", RELEASES)
def test_random_groups_get_the_targets_that_the_release_gives_them(release: str) -> None:
    print(f"HOLDFAST_SEED={SEED}: {CASES} groups for Kafka {release}")
    chances = [random.Random(SEED + number) for number in range(CASES // ROUNDS)]
    cases = [random_group(chance) for chance in chances]
    with ConsumerTargetJvm(release) as jvm:
        for number in range(ROUNDS):
            where = [f"HOLDFAST_SEED={SEED + group}, target {number}" for group in range(len(cases))]
            answers = _compare(list(zip(where, cases, strict=True)), jvm)
            cases = [after_target(*each) for each in zip(cases, answers, chances, strict=True)]


def test_members_go_through_their_topics_in_the_order_of_the_coordinator() -> None:
    """Names, what a regular expression matches, and both together."""
    print(f"HOLDFAST_SEED={SEED}")
    drawn = (random_group(random.Random(SEED + number)) | {"ask": "subscriptions"} for number in range(2 * CASES))
    cases = list(drawn)
    with ConsumerTargetJvm(RELEASES[-1]) as jvm:
        for case, theirs in jvm.answers(cases):
            assert targets.subscribed(case, jvm.release) == theirs, json.dumps(case)


def _compare(cases: Sequence[tuple[str, Case]], jvm: ConsumerTargetJvm) -> list[Case]:
    """Kafka's answers. Fail at the first group that is assigned otherwise, made small."""
    answers = jvm.ask(case for _, case in cases)
    for (where, case), answer in zip(cases, answers, strict=True):
        if targets.difference(case, jvm.release, answer):
            _fail(where, case, jvm)
    return answers


def _fail(where: str, case: Case, jvm: ConsumerTargetJvm) -> None:
    def differs(candidate: Case) -> str:
        return targets.difference(candidate, jvm.release, jvm.ask([candidate])[0])

    small = targets.smaller(case, lambda candidate: bool(differs(candidate)))
    pytest.fail(f"Kafka {jvm.release} and Holdfast differ ({where}):\n{differs(small)}\n{json.dumps(small)}", pytrace=False)
