"""The whole coordinator with mock time: what ConsumerGroupDescribe shows before a target decides it, the order of all that it lists
included.

Scripts of joins, leaves, returns of static members, crashes, heartbeats, subscriptions, regular expressions, new, grown and deleted
topics are played to the coordinator; each target that it computes is compared with Holdfast's, made from the description before it.

    HOLDFAST_SEED=N               the scripts of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N  number of scripts per release
"""

import os
import random

import pytest
from tests.conformance.coordinator.consumer.scripts import RandomScript, mismatches
from tests.conformance.coordinator.coordinator_jvm import WholeConsumerGroupsJvm

pytestmark = pytest.mark.jvm

SCRIPTS = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 40)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


@pytest.mark.parametrize("release", ["4.0.0", "4.1.2", "4.2.1", "4.3.1", "4.4.0"])
def test_every_target_of_a_script_follows_from_what_was_described_before_it(release: str) -> None:
    print(f"HOLDFAST_SEED={SEED}: {SCRIPTS} scripts for Kafka {release}")
    scripts = [RandomScript(random.Random(SEED + number)) for number in range(SCRIPTS)]
    compared = late = 0
    with WholeConsumerGroupsJvm(release) as jvm:
        answers = jvm.ask(one.script for one in scripts)
    for number, (script, answer) in enumerate(zip(scripts, answers, strict=True)):
        targets, with_late_types, wrong = mismatches(script, answer, release)
        compared += targets
        late += with_late_types
        assert not wrong, f"HOLDFAST_SEED={SEED + number}, Kafka {release}:\n" + "\n".join(wrong[:3])
    print(f"{compared} targets, {late} with the subscriptions from before")
    assert late < 0.02 * compared + 12, "such a view of the coordinator is rare; where it is, several targets in a row have it"
    assert compared > 3 * SCRIPTS, "the scripts make the coordinator compute too few targets"
