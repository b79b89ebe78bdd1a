"""The whole coordinator with mock time, and members that send heartbeats at random phases: how long a change takes, and how long
each task has no owner, is within what was forecast. The records that the coordinator wrote meanwhile say the same of each sequence.

HOLDFAST_SEED=N               the changes of an earlier run
HOLDFAST_CONFORMANCE_CASES=N  number of changes per release
"""

import os
import random

import pytest
from tests.conformance.coordinator.coordinator_jvm import WholeCoordinatorJvm
from tests.conformance.coordinator.timed import TimedChange
from tests.harness.kafka import recorded_targets
from tests.unit.rollout.broker_streams.backtest.test_target_backtest import judged

from holdfast.rollout.backtest.judged import NotForecast
from holdfast.rollout.backtest.results import Given, GroupBacktest

pytestmark = pytest.mark.jvm

CHANGES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 10)
WITH_RESTARTS = (2, 3)
"""Seeds of changes in whose records restarts are seen; those of a run may have none."""
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


@pytest.mark.parametrize("jvm", ["4.2.1", "4.3.1", "4.4.0"], indirect=True)
def test_every_recorded_sequence_is_as_forecast(jvm: WholeCoordinatorJvm) -> None:
    """Backtest: the number of targets, the stable end and the time, from the records alone."""
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CHANGES} changes for Kafka {release}")
    seeds = [*range(SEED, SEED + CHANGES), *WITH_RESTARTS]
    changes = [TimedChange(random.Random(seed), release) for seed in seeds]
    compared = restarts = 0
    for seed, change, (_, answer) in zip(seeds, changes, jvm.answers(one.script | {"bytes": True} for one in changes), strict=True):
        shown = answer["steps"]
        log = recorded_targets.entries(answer["records"], change.moments_ms(shown))
        found = judged(log, Given(broker_release=release, group_configs=change.config))
        wrong = _not_as_forecast(found, since=shown[change.settled]["epoch"], timed=change.keeps_its_times)
        assert not wrong, f"HOLDFAST_SEED={seed}, Kafka {release}, {change.events}: {wrong}"
        compared += sum(one.compared for one in found.sequences)
        restarts += 0 if found.learnt is None else found.learnt.start_up.seen
    print(f"{compared} sequences, {restarts} restarts")
    assert compared > CHANGES
    assert restarts > 0


def _not_as_forecast(found: GroupBacktest, since: int, *, timed: bool) -> list[object]:
    """`since`: the group has begun by this epoch, which the script does in no time. `timed`: the times of the group's configs are
    those that the backtest is given."""
    return [
        one
        for one in found.sequences
        if one.not_compared not in (None, NotForecast.INTERRUPTED)  # the group may be left without members
        or (one.compared and not (one.end_equal and (one.rounds_within or not timed)))
        or (one.compared and timed and one.first > since and not one.seconds_within)
    ]
