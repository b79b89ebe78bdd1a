"""The whole coordinator with mock time: every target of a change, epoch by epoch, against Holdfast's forecast of it. Where members
are static, the records that it wrote are judged too.

HOLDFAST_SEED=N               the changes of an earlier run
HOLDFAST_CONFORMANCE_CASES=N  number of changes per release
"""

import os
import random

import pytest
from tests.conformance.coordinator.apart_changes import ApartChange
from tests.conformance.coordinator.changes import RandomChange, computed, mismatch
from tests.conformance.coordinator.coordinator_jvm import WholeCoordinatorJvm
from tests.conformance.coordinator.moves import RandomMove
from tests.conformance.coordinator.reported_changes import ReportedChange
from tests.conformance.coordinator.static_changes import StaticChange
from tests.harness.kafka import recorded_targets
from tests.unit.rollout.broker_streams.backtest.test_target_backtest import judged

from holdfast.rollout.backtest.results import Given

pytestmark = pytest.mark.jvm

CHANGES = int(os.environ.get("HOLDFAST_CONFORMANCE_CASES") or 10)
SEED = int(os.environ.get("HOLDFAST_SEED") or random.SystemRandom().randrange(10**9))


@pytest.mark.parametrize("jvm", ["4.2.1", "4.3.1", "4.4.0"], indirect=True)
def test_every_target_of_a_change_is_the_one_that_was_forecast(jvm: WholeCoordinatorJvm) -> None:
    release = jvm.release
    print(f"HOLDFAST_SEED={SEED}: {CHANGES} changes for Kafka {release}")
    kinds = (ReportedChange, StaticChange, RandomChange, ApartChange) if release == "4.4.0" else (RandomChange, ApartChange)
    changes = [kinds[number % len(kinds)](random.Random(SEED + number), release) for number in range(CHANGES)]
    targets = undetermined = 0
    answers = jvm.answers(one.script | {"bytes": isinstance(one, StaticChange)} for one in changes)
    for number, (change, (_, answer)) in enumerate(zip(changes, answers, strict=True)):
        shown = answer["steps"][change.settled :]
        where = f"HOLDFAST_SEED={SEED + number}, Kafka {release}, {change.events}"
        assert not [one["error"] for one in shown if "error" in one], where
        forecast = change.forecast(shown[0])
        assert not mismatch(forecast, computed(shown)), f"{where}: {mismatch(forecast, computed(shown))}"
        if isinstance(change, StaticChange):
            past = judged(recorded_targets.entries(answer["records"]), Given(broker_release=release))
            assert not past.score.different, f"{where}: {past.rebalances}"
            assert all(one.end_equal for one in past.sequences if one.compared), f"{where}: {past.sequences}"
        targets += len(forecast)
        undetermined += sum(bool(one["assignment"]["undetermined_tasks"]) for one in forecast)
    moved = moves(jvm, release)
    print(f"{targets} targets, {undetermined} with undetermined tasks; {moved} of moves")
    assert moved > CHANGES, "the moves make the coordinator compute too few targets"
    assert targets > CHANGES, "the changes make the coordinator compute too few targets"


def moves(jvm: WholeCoordinatorJvm, release: str) -> int:
    """How many targets groups have that were classic: each is as it was forecast, and no client is let in too early."""
    drawn = [RandomMove(random.Random(SEED + number), release) for number in range(CHANGES)]
    targets = 0
    for number, (move, (_, answer)) in enumerate(zip(drawn, jvm.answers(one.script for one in drawn), strict=True)):
        targets += len(move.forecast())
        assert not move.wrong(answer["steps"]), f"HOLDFAST_SEED={SEED + number}, Kafka {release}: {move.wrong(answer['steps'])}"
    return targets
