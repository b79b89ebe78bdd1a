"""The whole coordinator with mock time: what ConsumerGroupDescribe shows before a target decides it, the order of all that it lists
included.

Scripts of joins, leaves, returns of static members, crashes, heartbeats, subscriptions, regular expressions, new, grown and deleted
topics are played to the coordinator; each target that it computes is compared with Holdfast's, made from the description before it.
And groups in which members of both protocols are go through a change: each target, and the step with which the group becomes one of
the classic protocol, is as forecast.

    HOLDFAST_SEED=N               the scripts of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N  number of scripts per release
"""

import os
import random
from collections.abc import Iterator

import pytest
from tests.conformance.coordinator.consumer import past
from tests.conformance.coordinator.consumer.mixed import MixedChange
from tests.conformance.coordinator.consumer.scripts import RandomScript, mismatches
from tests.conformance.coordinator.coordinator_jvm import WholeConsumerGroupsJvm

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.rollout.backtest.results import Judged

pytestmark = pytest.mark.jvm

SCRIPTS = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 40)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


@pytest.fixture(scope="module", params=["4.0.0", "4.1.2", "4.2.1", "4.3.1", "4.4.0"])
def jvm(request: pytest.FixtureRequest) -> Iterator[WholeConsumerGroupsJvm]:
    with WholeConsumerGroupsJvm(request.param) as running:
        yield running


def test_every_target_of_a_script_follows_from_what_was_described_before_it(jvm: WholeConsumerGroupsJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {SCRIPTS} scripts for Kafka {release}")
    scripts = [RandomScript(random.Random(SEED + number)) for number in range(SCRIPTS)]
    compared = late = 0
    answers = jvm.ask(one.script for one in scripts)
    for number, (script, answer) in enumerate(zip(scripts, answers, strict=True)):
        targets, with_late_types, wrong = mismatches(script, answer, release)
        compared += targets
        late += with_late_types
        assert not wrong, f"HOLDFAST_SEED={SEED + number}, Kafka {release}:\n" + "\n".join(wrong[:3])
    print(f"{compared} targets, {late} with the subscriptions from before")
    assert late < 0.02 * compared + 12, "such a view of the coordinator is rare; where it is, several targets in a row have it"
    assert compared > 3 * SCRIPTS, "the scripts make the coordinator compute too few targets"


def test_a_group_that_moves_between_the_protocols_goes_as_forecast(jvm: WholeConsumerGroupsJvm) -> None:
    """Whether the coordinator chose the IDs of members, which it does at random, decides ties: a seed is not the whole script."""
    print(f"HOLDFAST_SEED={SEED}: {SCRIPTS} changes for Kafka {jvm.release}")
    changes = [MixedChange(random.Random(SEED + number), jvm.release) for number in range(SCRIPTS)]
    compared = converted = refused = judged = from_classic = 0
    answers = jvm.ask(one.script | {"bytes": True} for one in changes)
    for number, (change, answer) in enumerate(zip(changes, answers, strict=True)):
        where = f"HOLDFAST_SEED={SEED + number}, Kafka {jvm.release}, {change.events}"
        assert not [one["error"] for one in answer["steps"] if "error" in one], where
        different: list[object] = []
        found = past.judged(answer["records"], jvm.release, lambda *each, into=different: into.append(each))
        assert not different, where
        judged += sum(one.judged in (Judged.EQUAL, Judged.INFERRED) for one in found.rebalances)
        if not (behaviour(jvm.release).static_conversion_computes and change.begins_static):
            from_classic += 1
            assert not (wrong := change.wrong_from_classic(answer)), f"{where}, from the classic group: {wrong}"
        try:
            wrong, targets, conversions = change.wrong(answer)
        except CannotPredict as why:
            too_large = "group.max.size" in str(why)
            assert too_large or change.comes_back(answer), where
            refused += 1
            continue
        assert not wrong, f"{where}: {wrong}"
        compared += targets
        converted += conversions
    print(f"{compared} targets, {judged} judged by records; {converted} groups became classic, {refused} moved back at once")
    assert from_classic > SCRIPTS // 3
    assert compared > SCRIPTS
    assert judged > SCRIPTS
    assert converted > SCRIPTS // 20
