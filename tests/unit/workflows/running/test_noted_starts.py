"""A run of a roll with more courses than can be compared notes after each restart which one it saw: its verdict is compared."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.harness.operators_hands import approved
from tests.harness.running_group import Process, RunningGroup
from tests.unit.rollout.broker_consumer.plans import NOON, after, carried_out
from tests.unit.rollout.broker_consumer.rolls import NINE, fast

from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.journal.seal import Seal, SigningKeys
from holdfast.workflows import journals, verify
from holdfast.workflows.running import run as running

EVENTS = fast(carried_out(NINE).events, {0, 3, 8})


class Rolled(RunningGroup):
    """The group of the plan: stable at once after each restart, and the first, fourth and last were fast."""

    def __init__(self) -> None:
        super().__init__()
        self.processes = {one.member_id: Process() for one in NINE.basis.members}
        self.configs = {name: {} for name in self.processes}

    def now(self) -> datetime:
        return NOON + timedelta(minutes=1, seconds=self.time)

    def look(self, _limit_s: float) -> BrokerConsumerSnapshot:
        restarts = [place for place, one in enumerate(EVENTS) if isinstance(one, RestartConsumer)]
        so_far = EVENTS[: restarts[len(self.done) - 1] + 1] if self.done else ()
        found = after(NINE, GroupChange(so_far)) if so_far else NINE.basis
        return replace(found, captured_at=self.now().isoformat())


@pytest.fixture(scope="module")
def reality() -> Rolled:
    """By a run, to its end."""
    reality = Rolled()
    ran = running.run(NINE, replace(approved(NINE), at="2026-11-23T12:00:30Z"), reality.means())
    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    return reality


def test_the_verdict_of_a_run_is_compared(reality: Rolled) -> None:
    noted = [(one.step, len(one.started)) for one in reality.journal(NINE).entries if one.event is JournalEvent.DONE]
    assert noted == [(step.id, int(step.id) % 2 == 0) for step in NINE.steps], "with each wait the one that came"
    verdict: Any = verify.compare(reality.lake, NINE, reality.look(1))
    assert (verdict.result, verdict.score.compared) == (Result.AS_FORECAST, 10)
    assert verify.compare(None, NINE, reality.look(1)).result is Result.NOT_COMPARED


def test_a_journal_that_is_not_believed_is_as_if_it_were_not_there(reality: Rolled) -> None:
    group = reality.look(1)
    keys = SigningKeys.read("k" * 32, "this test")
    assert journals.read(reality.lake, NINE.plan_id, keys).seal is Seal.UNSIGNED

    assert verify.compare(reality.lake, NINE, group, keys).result is Result.NOT_COMPARED
    entry = ("plans", NINE.plan_id, "journal", "00004.json")
    whole = reality.lake.files[entry]
    for broken in (b"{", whole.replace(b'"fast": true', b'"fast": false').replace(b'"by"', b'"by" ')):
        reality.lake.files[entry] = broken
        assert broken != whole
        assert verify.compare(reality.lake, NINE, group).result is Result.NOT_COMPARED
    reality.lake.files[entry] = whole
    assert verify.compare(reality.lake, NINE, group).result is Result.AS_FORECAST
