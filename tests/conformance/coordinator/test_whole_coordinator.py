"""The whole coordinator with mock time: what StreamsGroupDescribe shows before a target decides it, order of members included.

Scripts of joins, leaves, crashes, heartbeats and configs are played to the coordinator, up to 4.3 in the context of Kafka's own
tests; each target that it computes is compared with Holdfast's, made from the description before it, and from the
records that it wrote.

    HOLDFAST_SEED=N               the scripts of an earlier run
    HOLDFAST_CONFORMANCE_CASES=N  number of scripts per release
"""

import os
import random

import pytest
from tests.conformance.coordinator.changes import RandomChange
from tests.conformance.coordinator.coordinator_jvm import WholeCoordinatorJvm
from tests.conformance.coordinator.scripts import mismatches, random_script
from tests.harness.kafka import recorded_targets
from tests.unit.rollout.broker_streams.backtest.test_target_backtest import judged

from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.backtest.judged import Because
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.backtest.score import Score, total

pytestmark = pytest.mark.jvm

SCRIPTS = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 40)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))

OTHER_TOPOLOGY = {
    "config": {},
    "subtopologies": [["0", 2, True]],
    "steps": [
        {"do": "join", "id": "a", "process": "A"},
        {"do": "join", "id": "b", "process": "B", "another topology": True},
        {"do": "leave", "id": "a"},
        {"do": "join", "id": "c", "process": "C", "another topology": True},
    ],
}


@pytest.mark.parametrize("jvm", ["4.2.1", "4.3.1", "4.4.0"], indirect=True)
def test_every_target_of_a_script_follows_from_what_was_described_before_it(jvm: WholeCoordinatorJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {SCRIPTS} scripts for Kafka {release}")
    scripts = [random_script(random.Random(SEED + number)) | {"bytes": True} for number in range(SCRIPTS)]
    compared = 0
    past: list[GroupBacktest] = []
    for number, (script, answer) in enumerate(jvm.answers(scripts)):
        targets, wrong = mismatches(script, answer["steps"], release)
        compared += targets
        assert not wrong, f"HOLDFAST_SEED={SEED + number}, Kafka {release}:\n" + "\n".join(wrong[:3])
        past.append(judged(recorded_targets.entries(answer["records"]), Given(broker_release=release)))
        assert not past[-1].score.different, f"HOLDFAST_SEED={SEED + number}, Kafka {release}: {past[-1].rebalances}"
    _all_but_few_are_judged(total([one.score for one in past]), release)
    assert ["Topology updates are not supported yet." in one.get("error", "") for one in jvm.ask([OTHER_TOPOLOGY])[0]["steps"]] == [
        False,
        True,
        False,
        True,  # also in an empty group
    ]
    print(f"{compared} targets")
    assert compared > 3 * SCRIPTS, "the scripts make the coordinator compute too few targets"


def _all_but_few_are_judged(score: Score, release: str) -> None:
    """From the records that the coordinator wrote alone: up to 4.3 all of it shows there but, now and then, how large its table of
    members was."""
    print(score)
    assert score.not_judged == 0
    assert score.ends_equal == score.sequences
    assert score.sequences + score.sequences_inferred > SCRIPTS // 2
    assert set(dict(score.because)) <= {Because.MEMBER_ORDER, Because.DISKS}
    if not behaviour(release).offsets_count:
        assert score.equal > 0.95 * score.rebalances


def test_the_context_of_other_releases_shows_what_that_of_kafkas_tests_shows() -> None:
    """4.2.0, 4.3.0 and 4.4.0 have no published tests: their coordinators run in a context of Holdfast's."""
    print(f"HOLDFAST_SEED={SEED}")
    changes = [RandomChange(random.Random(SEED + number), "4.3.1").script for number in range(4)]
    with WholeCoordinatorJvm("4.3.1") as theirs, WholeCoordinatorJvm("4.3.1", own=True) as ours:
        for change in changes:
            change["config"]["group.streams.initial.rebalance.delay.ms"] = 3000  # the default: groups of that context know no other
            script = change | {"bytes": True}
            assert ours.ask([script]) == theirs.ask([script])
