"""The whole coordinator with mock time: what StreamsGroupDescribe shows before a target decides it, order of members included.

Scripts of joins, leaves, crashes, heartbeats and configs are played to the coordinator in the published test jars; each target that
it computes is compared with Holdfast's, made from the description before it.

    HOLDFAST_SEED=N               the scripts of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N  number of scripts per release
"""

import os
import random

import pytest
from tests.conformance.coordinator.coordinator_jvm import WholeCoordinatorJvm
from tests.conformance.coordinator.scripts import mismatches, random_script

pytestmark = pytest.mark.jvm

SCRIPTS = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 60)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


@pytest.mark.parametrize("release", ["4.2.1", "4.3.1"])
def test_every_target_of_a_script_follows_from_what_was_described_before_it(release: str) -> None:
    print(f"HOLDFAST_SEED={SEED}: {SCRIPTS} scripts for Kafka {release}")
    scripts = [random_script(random.Random(SEED + number)) for number in range(SCRIPTS)]
    compared = 0
    with WholeCoordinatorJvm(release) as jvm:
        for number, (script, answer) in enumerate(jvm.answers(scripts)):
            targets, wrong = mismatches(script, answer["steps"], release)
            compared += targets
            assert not wrong, f"HOLDFAST_SEED={SEED + number}, Kafka {release}:\n" + "\n".join(wrong[:3])
    print(f"{compared} targets")
    assert compared > 3 * SCRIPTS, "the scripts make the coordinator compute too few targets"
