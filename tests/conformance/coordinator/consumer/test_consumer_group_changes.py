"""The whole coordinator with mock time: every target of a change to a consumer group, epoch by epoch, is the one that was forecast;
how long it takes, and how long each partition has no owner, is within what was forecast.

HOLDFAST_SEED=N               the changes of an earlier run
HOLDFAST_CONFORMANCE_CASES=N  number of changes per release
"""

import os
import random
from collections.abc import Iterator

import pytest
from tests.conformance.coordinator.consumer.changes import RandomGroupChange
from tests.conformance.coordinator.consumer.described import computed, mismatch, snapshot_of, targets_of
from tests.conformance.coordinator.consumer.full_map import FullMap
from tests.conformance.coordinator.consumer.past import judged
from tests.conformance.coordinator.consumer.timed import TimedGroupChange
from tests.conformance.coordinator.coordinator_jvm import WholeConsumerGroupsJvm

from holdfast.rollout.backtest.judged import Judged

pytestmark = pytest.mark.jvm

CHANGES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 20)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))
RELEASES = ["4.0.0", "4.1.2", "4.2.1", "4.3.1", "4.4.0"]


@pytest.fixture(scope="module")
def jvm(request: pytest.FixtureRequest) -> Iterator[WholeConsumerGroupsJvm]:
    with WholeConsumerGroupsJvm(request.param) as started:
        yield started


@pytest.mark.parametrize("jvm", RELEASES, indirect=True)
def test_every_target_of_a_change_is_the_one_that_was_forecast(jvm: WholeConsumerGroupsJvm) -> None:
    print(f"HOLDFAST_SEED={SEED}: {CHANGES} changes for Kafka {jvm.release}")
    changes = [RandomGroupChange(random.Random(SEED + number), jvm.release) for number in range(CHANGES)]
    targets = undetermined = 0
    for number, (change, (_, answer)) in enumerate(zip(changes, jvm.answers(one.script for one in changes), strict=True)):
        shown = answer["steps"][change.settled :]
        where = f"HOLDFAST_SEED={SEED + number}, Kafka {jvm.release}, {change.events}"
        assert not [one["error"] for one in answer["steps"] if "error" in one], where
        if shown[0]["epoch"] != shown[0]["assignment epoch"]:
            continue  # regular expressions were resolved anew, and the target is pending
        forecast = change.forecast(shown[0], answer["ids"])
        assert not mismatch(forecast, computed(shown)), f"{where}: {mismatch(forecast, computed(shown))}"
        targets += len(forecast)
        undetermined += sum(bool(one["assignment"]["undetermined_partitions"]) for one in forecast)
    print(f"{targets} targets, {undetermined} with undetermined partitions")
    assert targets > CHANGES, "the changes make the coordinator compute too few targets"


@pytest.mark.parametrize("jvm", RELEASES, indirect=True)
def test_a_static_member_that_is_back_may_fill_the_assignors_map(jvm: WholeConsumerGroupsJvm) -> None:
    """Up to 4.3 the map may have both its member IDs for a moment: it is doubled, and who gets what is left over comes of another
    order. Records do not show whose heartbeat it was: the backtest knows both."""
    changes = [FullMap(random.Random(SEED + number)) for number in range(12)]
    for number, (change, (_, answer)) in enumerate(
        zip(changes, jvm.answers(one.script | {"bytes": True} for one in changes), strict=True)
    ):
        where = f"HOLDFAST_SEED={SEED + number}, Kafka {jvm.release}"
        assert not [one["error"] for one in answer["steps"] if "error" in one], where
        shown = answer["steps"][change.settled :]
        forecast = targets_of(snapshot_of(shown[0], jvm.release, answer["ids"], change.topics, {}), change.events)
        assert not mismatch(forecast, computed(shown)), f"{where}: {mismatch(forecast, computed(shown))}"
        past = judged(answer["records"], jvm.release, lambda question, _, where=where: pytest.fail(f"{where}: {question}"))  # type: ignore[misc]
        assert past.rebalances[-1].judged in (Judged.EQUAL, Judged.INFERRED), where


@pytest.mark.parametrize("jvm", RELEASES, indirect=True)
def test_a_change_takes_as_long_as_was_forecast(jvm: WholeConsumerGroupsJvm) -> None:
    print(f"HOLDFAST_SEED={SEED}: {CHANGES} changes for Kafka {jvm.release}")
    changes = [TimedGroupChange(random.Random(SEED + number), jvm.release) for number in range(CHANGES)]
    as_forecast = 0
    for number, (change, (_, answer)) in enumerate(zip(changes, jvm.answers(one.script for one in changes), strict=True)):
        shown, change.ids = answer["steps"], answer["ids"]
        where = f"HOLDFAST_SEED={SEED + number}, Kafka {jvm.release}, {change.events}"
        assert not [one["error"] for one in shown if "error" in one], where
        wrong, alike = change.wrong(shown)
        assert not wrong, f"{where}: {wrong}"
        as_forecast += alike
    print(f"the targets of {as_forecast} changes are those that were forecast")
    assert as_forecast > CHANGES // 6, "too few changes are judged partition by partition"
