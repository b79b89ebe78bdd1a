"""The whole coordinator with mock time, and members that send heartbeats at random phases: how long a change takes, and how long
each task has no owner, is within what was forecast.

HOLDFAST_SEED=N               the changes of an earlier run
HOLDFAST_CONFORMANCE_CASES=N  number of changes per release
"""

import os
import random

import pytest
from tests.conformance.coordinator.coordinator_jvm import WholeCoordinatorJvm
from tests.conformance.coordinator.timed import TimedChange

pytestmark = pytest.mark.jvm

CHANGES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 10)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


@pytest.mark.parametrize("jvm", ["4.2.1", "4.3.1", "4.4.0"], indirect=True)
def test_a_change_takes_as_long_as_was_forecast(jvm: WholeCoordinatorJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CHANGES} changes for Kafka {release}")
    changes = [TimedChange(random.Random(SEED + number), release) for number in range(CHANGES)]
    as_forecast = 0
    for number, (change, (_, answer)) in enumerate(zip(changes, jvm.answers(one.script for one in changes), strict=True)):
        shown = answer["steps"]
        where = f"HOLDFAST_SEED={SEED + number}, Kafka {release}, {change.events}"
        assert not [one["error"] for one in shown if "error" in one], where
        wrong, alike = change.wrong(shown)
        assert not wrong, f"{where}: {wrong}"
        as_forecast += alike
    print(f"the targets of {as_forecast} changes are those that were forecast")
    assert as_forecast > CHANGES // 6, "too few changes are judged task by task"
