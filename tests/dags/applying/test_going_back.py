"""Going back in Airflow: by an answer or by the form, and rollbacks that people do and confirm. Unit by unit; `tests/web` has the
real Airflow."""

import logging
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import pytest
from airflow.sdk.exceptions import TaskAwaitingInput
from tests.dags.applying.test_carrying import FORM, Reality, found_by, reality
from tests.harness.article import AFTER, A, B, change, group, just_now
from tests.harness.plans import read

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import run_turn
from holdfast.errors import InvalidInput, StepRefused
from holdfast.rollout.journal.acted import ClientProcess, Does, Halt, ProcessState
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots
from holdfast.workflows.running import pausing

__all__ = ["reality"]


@lru_cache
def stops_only() -> Plan:
    """A and B are stopped together, by Holdfast, which may not start them again."""
    policy = Policy(exclude=("relabel",), acts=("stop_client",))
    events = [{"remove_client": {"process_id": one, "leaves": False}} for one in (A, B)]
    return plans.make(read(just_now(group(AFTER))), change_from_json(change(*events)), policy, datetime.now(UTC))


class Stopping(Reality):
    """Its processes stop, and the group does not list them then."""

    def __init__(self, lake: FsspecLake) -> None:
        super().__init__(lake, stops_only())
        self.stopped: set[str] = set()
        self.waiting: Any = None

    def look(self, *_: object) -> Any:
        found = just_now(group(AFTER)) | {"group_state": "Stable"}
        found["clients"] = {name: one for name, one in found["clients"].items() if name not in self.stopped}
        if found.get("leader_process_id") not in found["clients"]:
            found["leader_process_id"] = None
        return read(found)

    def process(self, act: Any) -> ClientProcess:
        stopped = act.client in self.stopped
        return ClientProcess(ProcessState.STOPPED) if stopped else ClientProcess(ProcessState.RUNNING, "start-1")

    def perform(self, does: Does, act: Any) -> str | None:
        self.done.append((does, act.client))
        self.stopped = self.stopped | {act.client} if does is Does.STOP else self.stopped - {act.client}
        return None


@pytest.fixture
def stopping(lake: FsspecLake, monkeypatch: pytest.MonkeyPatch) -> Stopping:
    """A run has stopped both, and has been paused: then a person answered to go back, and the first rollback is a person's."""
    found = found_by(monkeypatch, Stopping(lake))
    deferred = found.execute()
    assert found.done == [(Does.STOP, A), (Does.STOP, B)]
    pausing.pause(lake, found.plan.plan_id, "ann", "look at this", datetime.now(UTC))
    _, waiting = found.until_it_ends(deferred)
    assert isinstance(waiting, TaskAwaitingInput)
    found.waiting = found.until_it_ends(found.answer(waiting, "Go back"))[1]
    return found


def last(stopping: Stopping) -> JournalEntry:
    found: JournalEntry = plans.journal_of(stopping.lake, stopping.plan.plan_id).entries[-1]
    return found


def names(stopping: Stopping, step: str) -> bool:
    found = last(stopping)
    return (found.event, found.halt, found.step) == (JournalEvent.HALTED, Halt.PERSON, step)


def test_a_rollback_by_hand_is_asked_for_and_confirmed_by_the_answer(stopping: Stopping) -> None:
    waiting = stopping.waiting
    for step, client in (("2", B), ("1", A)):
        assert isinstance(waiting, TaskAwaitingInput)
        assert names(stopping, step)
        stopping.stopped -= {client}
        _, waiting = stopping.until_it_ends(
            stopping.answer(waiting, "Go on", halt=waiting.kwargs["halt"], rolled_back=f" {step} ", reason="it runs")
        )
    assert waiting == f"plans/{stopping.plan.plan_id}/checklist.json"
    confirmed = [
        one for one in plans.journal_of(stopping.lake, stopping.plan.plan_id).entries if one.event is JournalEvent.UNDO_CONFIRMED
    ]
    assert [(one.step, one.by) for one in confirmed] == [("2", "bob"), ("1", "bob")]
    assert len(stopping.done) == 2, "Holdfast did nothing of it"


@pytest.mark.parametrize("fields", [{"rolled_back": "1"}, {"rolled_back": 2}, {"rolled_back": "x" * 101}])
def test_another_step_is_not_confirmed_and_it_is_asked_again(
    stopping: Stopping, fields: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    before = last(stopping)
    again = stopping.answer(stopping.waiting, "Go on", halt=stopping.waiting.kwargs["halt"], **fields)

    assert isinstance(again, TaskAwaitingInput)
    assert last(stopping) == before
    assert "does not count" in caplog.text


def test_without_a_confirmation_what_holdfast_may_not_do_halts_again(stopping: Stopping) -> None:
    number = stopping.waiting.kwargs["halt"]
    _, again = stopping.until_it_ends(stopping.answer(stopping.waiting, "Go on", halt=number))

    assert isinstance(again, TaskAwaitingInput)
    assert again.kwargs["halt"] > number
    assert names(stopping, "2")


class TestTheForm:
    def test_confirms_rollbacks_in_a_run_without_run(self, stopping: Stopping, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.INFO):
            path = stopping.execute("run 2", run=False, back=True)
        assert "Step 2: open." in caplog.text
        assert names(stopping, "2"), "nothing is written without a confirmation"

        with pytest.raises(InvalidInput, match="step 2 is the next to roll back, not step 1"):
            stopping.execute("run 2", run=False, back=True, confirmed=["1"])
        assert stopping.execute("run 2", run=False, back=True, confirmed=["2"]) == path
        assert (last(stopping).event, last(stopping).by, last(stopping).step) == (JournalEvent.UNDO_CONFIRMED, "ann", "2")

    def test_does_not_take_a_rollback_for_a_step(self, stopping: Stopping) -> None:
        with pytest.raises(StepRefused, match="Roll back in the form"):
            stopping.execute("run 2", run=False, confirmed=["2"], snapshot=snapshots.keep(stopping.lake, stopping.look()))

    def test_continues_to_go_back(self, stopping: Stopping) -> None:
        with pytest.raises(StepRefused, match="is being rolled back"):
            stopping.execute("run 2")
        stopping.stopped = set()
        stopping.execute("run 2", run=False, back=True, confirmed=["2", "1"])
        _, path = stopping.until_it_ends(stopping.execute("run 3", back=True), "run 3")

        assert path.endswith("checklist.json")

    def test_begins_to_go_back_by_a_user_s_decision(self, reality: Reality) -> None:
        reality.until_it_ends(reality.execute())
        with pytest.raises(InvalidInput, match="decides to roll back"):
            run_turn.turn(reality.plan.plan_id, FORM | {"back": True}, None, "run 2", None)
        _, path = reality.until_it_ends(reality.execute("run 2", back=True), "run 2")

        assert path.endswith("checklist.json")
        (turned,) = [
            one for one in plans.journal_of(reality.lake, reality.plan.plan_id).entries if one.event is JournalEvent.GOING_BACK
        ]
        assert turned.by == "ann"
