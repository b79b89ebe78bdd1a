"""After a halt `apply_rollout` asks: go on, or leave it? What counts as an answer, about which halt, and what is done then."""

import json
import logging
from datetime import UTC, datetime
from traceback import format_exception
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowFailException, TaskAwaitingInput, TaskDeferred
from tests.dags.applying.test_carrying import ALL_THREE, ONE, Reality, answered, reality
from tests.harness.article import client
from tests.harness.operators_hands import STRANGER

from holdfast.airflow_wiring import notifiers
from holdfast.airflow_wiring.apply_turns import ApplyPlan
from holdfast.airflow_wiring.questions import halts
from holdfast.errors import InvalidInput, StatePathTrouble, StepRefused
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.workflows import plan as plans
from holdfast.workflows.running import pausing

__all__ = ["reality"]
SECRET = "oPen-5esame"


def entries(reality: Reality) -> tuple[JournalEntry, ...]:
    found: tuple[JournalEntry, ...] = plans.journal_of(reality.lake, reality.plan.plan_id).entries
    return found


def drifted(reality: Reality, begun: Any = None) -> TaskAwaitingInput:
    """The run halts before its next act: a client joins."""
    deferred = begun or reality.execute()
    reality.strangers = {STRANGER: client(STRANGER, ((), ()))}
    _, waiting = reality.until_it_ends(deferred)
    reality.strangers = {}
    assert isinstance(waiting, TaskAwaitingInput)
    return waiting


def paused(reality: Reality, begun: Any, by: str = "ann") -> TaskAwaitingInput:
    pausing.pause(reality.lake, reality.plan.plan_id, by, "lunch", datetime.now(UTC))
    _, waiting = reality.until_it_ends(begun)
    assert isinstance(waiting, TaskAwaitingInput)
    return waiting


def test_it_asks_without_a_time_and_says_why(reality: Reality) -> None:
    waiting = drifted(reality)
    number = len(entries(reality))
    (asked,) = reality.questions.asked

    assert reality.done == [ONE]
    assert (waiting.timeout, waiting.kwargs) == (None, {"halt": number, "shown": True})
    assert (asked.options, asked.defaults, asked.assigned_users) == (["Go on", "Go back", "Leave it"], None, [])
    assert reality.plan.plan_id in asked.subject
    assert "(drift)" in str(asked.body)
    assert f"/holdfast/plans/{reality.plan.plan_id}" in str(asked.body)
    assert str(asked.body).endswith(f"\n\nHalt {number} of plan {reality.plan.plan_id}\n")


def test_to_go_on_is_a_first_turn_and_all_is_done(reality: Reality) -> None:
    waiting = drifted(reality)
    _, path = reality.until_it_ends(reality.answer(waiting, "Go on", reason="it was mine"))

    assert path.endswith("checklist.json")
    assert reality.done == ALL_THREE
    (kept,) = [one for one in entries(reality) if one.event is JournalEvent.ACCEPTED]
    assert (kept.by, kept.detail) == ("bob", f"goes on after halt {waiting.kwargs['halt']}: it was mine")
    assert JournalEvent.TAKEN_OVER not in reality.events, "a halt released its lease"


def test_where_nothing_was_put_right_it_halts_and_asks_again(reality: Reality) -> None:
    waiting = drifted(reality)
    reality.strangers = {STRANGER: client(STRANGER, ((), ()))}
    again = reality.answer(waiting, "Go on")

    assert isinstance(again, TaskAwaitingInput)
    assert again.kwargs["halt"] > waiting.kwargs["halt"]
    assert reality.done == [ONE]


def test_to_leave_it_fails_the_task_and_is_journaled(reality: Reality) -> None:
    waiting = drifted(reality)
    with pytest.raises(AirflowFailException, match=r"bob leaves the group as it is after halt \d+ .*\(not tonight\)"):
        reality.answer(waiting, "Leave it", reason="not tonight")

    assert reality.done == [ONE]
    assert (reality.events[-1], entries(reality)[-1].by) == (JournalEvent.ENDED, "bob")
    _, path = reality.until_it_ends(reality.execute("run 2"), "run 2")
    assert path.endswith("checklist.json")
    assert reality.done == ALL_THREE


def test_to_go_on_removes_the_pause(reality: Reality) -> None:
    waiting = paused(reality, reality.execute())
    _, path = reality.until_it_ends(reality.answer(waiting, "Go on"))

    assert path.endswith("checklist.json")
    assert pausing.paused(reality.lake, reality.plan.plan_id) is None


def test_to_go_back_rolls_back_what_was_done(reality: Reality) -> None:
    waiting = drifted(reality)
    _, path = reality.until_it_ends(reality.answer(waiting, "Go back"))

    (turned,) = [one for one in entries(reality) if one.event is JournalEvent.GOING_BACK]
    assert (turned.by, path) == ("bob", f"plans/{reality.plan.plan_id}/checklist.json")
    assert reality.done == [ONE], "a restart has no rollback, and no step was continued"


def test_to_go_back_removes_the_pause_and_is_continued_by_another_attempt(
    reality: Reality, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = paused(reality, reality.execute())
    with monkeypatch.context() as killed:
        killed.setattr(ApplyPlan, "_turn", lambda *_, **__: "killed")
        assert reality.answer(waiting, "Go back") == "killed"
    again = reality.execute(tries=2)
    assert isinstance(again, TaskAwaitingInput), "nothing was decided before it began"
    reality.until_it_ends(reality.answer(again, "Go back"))

    _, path = reality.until_it_ends(reality.execute(tries=3))
    assert path.endswith("checklist.json")
    assert reality.events.count(JournalEvent.GOING_BACK) == 1
    assert pausing.paused(reality.lake, reality.plan.plan_id) is None
    with pytest.raises(StepRefused, match="is being rolled back"):
        reality.execute("run 2")


class TestALaterHalt:
    """Airflow shows the text of the first one still."""

    @pytest.fixture
    def later(self, reality: Reality) -> TaskAwaitingInput:
        first = drifted(reality)
        waiting = paused(reality, reality.answer(first, "Go on"))
        assert waiting.kwargs == {"halt": len(entries(reality)), "shown": False}
        assert waiting.kwargs["halt"] > first.kwargs["halt"]
        return waiting

    @pytest.mark.parametrize("chosen", ["Go on", "Leave it"])
    def test_is_not_answered_by_what_was_meant_for_an_earlier_one(
        self, reality: Reality, later: TaskAwaitingInput, chosen: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        before, done = len(entries(reality)), [*reality.done]
        for halt in (None, later.kwargs["halt"] - 1, later.kwargs["halt"] + 1):
            again = reality.answer(later, chosen, **({} if halt is None else {"halt": halt}))
            assert isinstance(again, TaskAwaitingInput)
            assert again.kwargs == later.kwargs
        assert (len(entries(reality)), reality.done) == (before, done)
        assert f"halt {later.kwargs['halt']} is open" in caplog.text
        assert pausing.paused(reality.lake, reality.plan.plan_id) is not None

    def test_is_answered_by_its_number(self, reality: Reality, later: TaskAwaitingInput) -> None:
        _, path = reality.until_it_ends(reality.answer(later, "Go on", halt=later.kwargs["halt"], reason=None))

        assert path.endswith("checklist.json")
        assert reality.done == ALL_THREE


@pytest.mark.parametrize(
    "bad",
    [
        answered("Perhaps"),
        answered("Go on") | {"chosen_options": []},
        answered("Go on") | {"chosen_options": ["Go on", "Leave it"]},
        answered("Go on") | {"chosen_options": "Go on"},
        answered("Go on") | {"responded_by_user": None},
        answered("Go on", halt="1"),
        answered("Go on", halt=True),
        answered("Go on", halt=-1),
        answered("Go on", halt=999),
        answered("Go on", reason=7),
        answered("Go on", reason="x" * 4_001),
        answered("Go on", raeson="x"),
        answered("Go on", reason=f"password={SECRET}"),
        answered("Go on", halt={"token": SECRET}),
        answered("Go on") | {"params_input": [SECRET]},
        {"error": "time is over", "error_type": "timeout"},
        None,
        "Go on",
    ],
    ids=lambda bad: "none" if bad is None else "text" if isinstance(bad, str) else ",".join(bad),
)
def test_what_is_no_answer_does_nothing_and_is_asked_again(reality: Reality, bad: Any, caplog: pytest.LogCaptureFixture) -> None:
    waiting = drifted(reality)
    before = entries(reality)
    with caplog.at_level(logging.INFO), pytest.raises(TaskAwaitingInput) as again:
        ApplyPlan(task_id="walk", plan_id=reality.plan.plan_id).answered(reality.context("run 1"), bad, **waiting.kwargs)

    assert again.value.kwargs == waiting.kwargs
    assert (entries(reality), reality.done) == (before, [ONE])
    assert "does not count" in caplog.text
    assert SECRET not in caplog.text + "".join(format_exception(again.value))


class TestWhoMayAnswer:
    @pytest.fixture(autouse=True)
    def _approvers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["bob", "vera"]')

    def test_the_approvers(self, reality: Reality) -> None:
        waiting = drifted(reality)
        assert [user.id for user in reality.questions.asked[0].assigned_users or ()] == ["bob", "vera"]
        again = reality.answer(waiting, "Go on", by="eve")
        assert isinstance(again, TaskAwaitingInput)
        assert isinstance(reality.answer(waiting, "Go on", by="vera"), TaskDeferred)

    def test_are_those_of_the_group_s_team_alone(self, reality: Reality, monkeypatch: pytest.MonkeyPatch) -> None:
        """Not those of the variable, and not another team's: who answers was an approver when asked, and is one now."""

        def deploy(approvers: list[str]) -> None:
            basis = reality.plan.basis
            mine = {"groups": [{"cluster": basis.cluster, "group": basis.group_id}], "members": {"users": ["ann"]}}
            others = {"name": "others", "groups": [{"cluster": "*", "group": "*"}], "members": {"users": ["eve"]}}
            found = [mine | {"name": "mine", "approvers": ["vera", *approvers]}, others | {"approvers": ["eve"]}]
            document = json.dumps({"format_version": "1.0", "teams": found})
            monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_TEAMS", document)

        deploy(["paul"])
        waiting = drifted(reality)
        assert [user.id for user in reality.questions.asked[0].assigned_users or ()] == ["vera", "paul"]
        for other in ("eve", "bob"):
            assert isinstance(reality.answer(waiting, "Go on", by=other), TaskAwaitingInput)
        deploy(["olga"])
        with pytest.raises(InvalidInput, match="has other approvers"):
            reality.answer(waiting, "Go on", by="paul")
        deploy(["paul"])
        assert isinstance(reality.answer(waiting, "Go on", by="paul"), TaskDeferred)

    def test_where_airflow_would_let_others_answer_nobody_is_asked(self, reality: Reality, monkeypatch: pytest.MonkeyPatch) -> None:
        waiting = drifted(reality)
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["vera"]')
        with pytest.raises(InvalidInput, match="has other approvers"):
            reality.answer(waiting, "Go on", by="bob")
        assert reality.done == [ONE]


class TestAnotherAttempt:
    def test_asks_where_a_halt_is_open_and_does_nothing(self, reality: Reality) -> None:
        """The worker was killed before the question was parked, or Airflow lost the answer."""
        waiting = drifted(reality)
        again = reality.execute(tries=2)

        assert isinstance(again, TaskAwaitingInput)
        assert (again.kwargs, reality.done) == (waiting.kwargs, [ONE])

    def test_goes_on_where_that_was_answered(self, reality: Reality, monkeypatch: pytest.MonkeyPatch) -> None:
        waiting = drifted(reality)
        with monkeypatch.context() as killed:
            killed.setattr(ApplyPlan, "_turn", lambda *_, **__: "killed")
            assert reality.answer(waiting, "Go on") == "killed"
        _, path = reality.until_it_ends(reality.execute(tries=2))

        assert path.endswith("checklist.json")
        assert reality.done == ALL_THREE

    def test_fails_where_it_was_left(self, reality: Reality) -> None:
        """Airflow lost that the task failed for that. Another run, whose first worker was killed, goes on."""
        waiting = drifted(reality)
        with pytest.raises(AirflowFailException):
            reality.answer(waiting, "Leave it")
        with pytest.raises(AirflowFailException, match="was left after it had halted"):
            reality.execute(tries=2)
        assert reality.done == [ONE]
        assert isinstance(reality.execute("run 2", tries=2), TaskDeferred)

    def test_goes_on_for_a_new_run(self, reality: Reality) -> None:
        """Who triggers it has read why the one before halted."""
        drifted(reality)
        assert isinstance(reality.execute("run 2"), TaskDeferred)


def test_after_another_run_has_gone_on_an_answer_does_nothing(reality: Reality) -> None:
    waiting = drifted(reality)
    reality.until_it_ends(reality.execute("run 2"), "run 2")
    before = entries(reality)
    with pytest.raises(StepRefused, match="nothing was done"):
        reality.answer(waiting, "Go on")
    assert entries(reality) == before


def test_while_another_run_goes_on_an_answer_does_nothing(reality: Reality) -> None:
    waiting = drifted(reality)
    reality.execute("run 2")
    before = entries(reality)
    with pytest.raises((StepRefused, StatePathTrouble)):
        reality.answer(waiting, "Go on")
    assert entries(reality) == before


def test_an_answer_while_it_waits_for_its_next_turn_is_not_read(reality: Reality) -> None:
    """Airflow resumes a deferred task with an answer, where a question of it has none yet."""
    deferred = reality.execute()
    reality.state = "Stable"
    task = ApplyPlan(task_id="walk", plan_id=reality.plan.plan_id)
    with pytest.raises(TaskDeferred) as resumed:
        task.go_on(reality.context("run 1"), event=answered("Leave it"), **deferred.kwargs)
    assert JournalEvent.ENDED not in reality.events
    assert set(resumed.value.kwargs["left"]) == {"left", "at"}


def test_those_who_are_to_know_are_told_once(reality: Reality, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setenv(
        "AIRFLOW_VAR_HOLDFAST_REVIEW_NOTIFIERS", '[{"notifier": "airflow.providers.smtp.notifications.smtp.SmtpNotifier"}]'
    )
    monkeypatch.setattr(notifiers, "_made", lambda *_: told.append)
    waiting = drifted(reality)
    reality.answer(waiting, "Perhaps")

    (only,) = told
    assert "halted (drift)" in only["plan_summary"]
    assert only["plan_id"] == reality.plan.plan_id
    assert only["answer_link"].endswith("/dags/apply_rollout/runs/run%201/required_actions")


OPEN = halts.OpenHalt("a", 12, "drift", "A client is new in the group.")


@pytest.mark.parametrize(
    "text", [None, "", "Halt 12 of plan a\n", "\n\nHalt 12 of plan a\nmore", "\n\nHalt 13 of plan a\n", "\n\nHalt 12 of plan b\n"]
)
def test_which_halt_a_text_is_about_is_its_last_line(text: str | None) -> None:
    assert not halts.is_about(text, OPEN)
    assert halts.is_about(halts.body(OPEN), OPEN)


def test_a_name_of_a_client_makes_no_last_line() -> None:
    hostile = halts.OpenHalt("a", 3, "drift", "joined\n\nHalt 12 of plan a\n[x](javascript:1)")
    text = halts.body(hostile)
    assert halts.is_about(text, hostile)
    assert "Halt 12 of plan a\n" not in text
    assert "[x](" not in text
