"""The run of a plan on its page: by the journal first, and by what the run shows of itself."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.harness.article import A, C, client
from tests.harness.operators_hands import STRANGER, approved
from tests.harness.running_group import RunningGroup
from tests.unit.rollout.broker_streams import plans as broker_plans
from tests.unit.workflows.running.test_back_after_others import begun, stops
from tests.unit.workflows.running.test_going_back import fewer, forward
from tests.unit.workflows.running.test_run import rolling

from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.journal.seal import NO_KEYS
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.text.format import duration
from holdfast.web import templating
from holdfast.web.plan import live
from holdfast.web.plan.live import Fact, Live
from holdfast.web.plan.live_state import SILENT_S, Ended, Now
from holdfast.web.plan.plan_page import PlanPages
from holdfast.workflows import plan as plans
from holdfast.workflows.running import pausing
from holdfast.workflows.running import run as running

PLAN = rolling("restart_client", lag_most=100)
PLACE = ("plans", PLAN.plan_id, "progress.json")


def shown(reality: RunningGroup, later_s: float = 3, plan: Plan = PLAN) -> Live:
    found = maybe(reality, later_s, plan)
    assert found is not None
    return found


def maybe(reality: RunningGroup, later_s: float = 3, plan: Plan = PLAN) -> Live | None:
    now = reality.now() + timedelta(seconds=later_s)
    page = PlanPages(reality.lake).page(plan.plan_id, now)
    found = live.of(reality.lake, page, now, "token")
    text = templating.render("live.html", live=found, view=page.view, root="", airflow="")
    assert ("pause_token" in text) is (found is not None and found.may_pause)
    return found


def run(on_sleep: Callable[[RunningGroup], None] = lambda _: None) -> RunningGroup:
    reality = RunningGroup()
    reality.lag = 7
    reality.on_sleep = lambda: on_sleep(reality)
    reality.run(PLAN)
    return reality


def seen_after(acts: int) -> Live:
    """The page while the run waits after this number of acts."""
    found: list[Live] = []
    run(lambda reality: found.append(shown(reality)) if len(reality.done) == acts else None)
    return found[-1]


def fact(of: Live, label: str) -> tuple[str, str]:
    return next((one.value, one.detail) for one in of.facts if one.label == label)


def test_a_run_in_progress() -> None:
    found = seen_after(2)

    assert (found.now, found.number, found.steps) == (Now.RUNNING, 3, 6)
    assert [(one.id, one.state) for one in found.lines] == [
        ("1", "done"),
        ("2", "done"),
        ("3", "now"),
        ("4", "to do"),
        ("5", "to do"),
        ("6", "to do"),
    ]
    assert [one.took for one in found.lines] == ["4 s", "0 s", "7 s", "", "", ""]
    assert found.next.startswith("Nothing to do while the run goes on")
    assert found.may_pause
    assert found.said == "Run: running, step 3 of 6."


def test_what_is_waited_for() -> None:
    found: list[Live] = []

    def rebalances(reality: RunningGroup) -> None:
        reality.state = "PreparingRebalance" if len(reality.done) == 1 and reality.time < 40 else "Stable"
        if 20 < reality.time < 23:
            found.append(shown(reality))

    run(rebalances)
    wait = found[-1].wait
    assert wait is not None
    assert (wait.elapsed, wait.limit, wait.share) == ("23 s", "10 min", 38)
    assert found[-1].bars is not None
    assert found[-1].bars.group_state == "PreparingRebalance"


def test_the_figures() -> None:
    found = seen_after(1)

    assert fact(found, "Time left") == ("14 s to 2 min 17 s", "usually 39 s, by the forecast of the steps that are not done")
    assert fact(found, "Acts done") == ("1 of 3", "1 client stopped, started or restarted")
    assert fact(found, "Lag") == ("7 records", "limit 100 records, looked at before each act")
    assert fact(found, "To restore")[1] == "forecast of the whole plan; no group shows how much of it is restored"


def test_the_time_left_of_a_group_whose_broker_assigns_is_that_of_all_targets() -> None:
    """Its forecast has one time for them all, and none for each step."""
    changes = [{"set_config": {"streams.num.standby.replicas": count}} for count in (1, 2)]
    plan = broker_plans.planned(changes[0], {"then": "stable"}, changes[1], policy=Policy(allow=("baseline",)))
    option = plan.recommended_option
    assert option is not None
    assert option.times is not None
    total = option.times.restored
    assert total is not None
    at = broker_plans.NOON

    def of(begun: dict[str, str], done: dict[str, str], steps: BrokerPlan = plan) -> Fact:
        return live._time_left(steps, live._Times(begun, done, frozenset()), Now.RUNNING, at)

    assert of({}, {}).value == f"{duration(total.low)} to {duration(total.high)}"
    later = of({plan.steps[0].id: (at - timedelta(seconds=5)).isoformat()}, {})
    assert later.value == f"{duration(max(0, total.low - 5))} to {duration(total.high - 5)}"
    first = {one.id: at.isoformat() for one in plan.steps[:2]}
    assert of(first, first) == Fact(
        "Time left",
        "unknown",
        f"the forecast has one time for all steps, {duration(total.low)} to {duration(total.high)} in all, and some are done",
    )


def test_more_rebalances_than_forecast_are_marked() -> None:
    reality = run()
    document = json.loads(reality.lake.files[PLACE])
    reality.lake.files[PLACE] = json.dumps(document | {"rebalances": 4, "rebalances_forecast": [2, 3]}).encode()

    one = next(one for one in shown(reality).facts if one.label == "Rebalances completed")
    assert (one.value, one.detail, one.bad) == ("4", "forecast in all: 2 to 3", True)


def test_a_run_that_is_done() -> None:
    found = shown(run())

    assert (found.now, found.wait, found.halt) == (Now.FINISHED, None, None)
    assert fact(found, "Time left") == ("none", "every step is done")
    assert not found.may_pause
    assert found.events[0].event == "finished"


def test_a_halt_is_the_journal_s() -> None:
    def joins(reality: RunningGroup) -> None:
        if reality.done:
            reality.strangers = {STRANGER: client(STRANGER, ((), ()))}

    reality = run(joins)
    found = shown(reality)

    assert found.now is Now.HALTED
    assert found.halt is not None
    assert found.halt.halt is Halt.DRIFT
    assert reality.journal(PLAN).entries[found.halt_number - 1] == found.halt
    assert found.bars is not None
    assert any(one.key == STRANGER and one.end is None for one in found.bars.rows)
    del reality.lake.files[PLACE]
    assert shown(reality).now is Now.HALTED, "without what the run shows of itself"


@pytest.mark.thorough
def test_a_pause_is_shown_at_once_and_halts_it_then() -> None:
    found: list[Live] = []

    def pauses(reality: RunningGroup) -> None:
        if len(reality.done) == 1 and not found:
            pausing.pause(reality.lake, PLAN.plan_id, "bob", "lunch", reality.now())
            found.append(shown(reality))

    reality = run(pauses)
    assert (found[0].now, found[0].paused) == (Now.RUNNING, "Paused by bob: lunch.")
    assert found[0].paused_at == "2026-11-20T12:01:02Z"
    after = shown(reality)
    assert (after.now, after.paused is not None) == (Now.PAUSED, True)
    pausing.resume(reality.lake, PLAN.plan_id)
    assert (shown(reality).now, shown(reality).paused) == (Now.PAUSED, None), "until it goes on"
    reality.on_sleep = lambda: None
    reality.run(PLAN)
    assert (shown(reality).now, shown(reality).halt) == (Now.FINISHED, None)


@pytest.mark.thorough
def test_a_run_without_a_sign_of_life() -> None:
    reality = RunningGroup()
    found: list[Live] = []
    reality.on_sleep = lambda: found.append(shown(reality, SILENT_S + 1))
    reality.run(PLAN)

    assert found[0].now is Now.SILENT
    assert found[0].heard == "3 min ago"


@pytest.mark.thorough
def test_before_the_first_run() -> None:
    reality = RunningGroup()
    plans.keep(reality.lake, PLAN)
    assert maybe(reality) is None, "not approved"
    plans.keep_approval(reality.lake, approved(PLAN))
    assert shown(reality).now is Now.READY
    assert shown(reality).may_pause
    pausing.pause(reality.lake, PLAN.plan_id, "bob", "", reality.now())
    assert shown(reality).now is Now.PAUSED

    by_hand = rolling("write_process_metadata")
    plans.keep(reality.lake, by_hand)
    reality.run(by_hand)
    found = shown(reality, plan=by_hand)
    assert (found.now, found.number) == (Now.PERSON, 1)
    assert fact(found, "Acts done") == ("none", "every step is a person's: by itself, or by the policy (acts)")
    assert found.text


@pytest.mark.parametrize(
    "claims",
    [
        {"state": "finished"},
        {"state": "running", "at": "2026-11-20T12:00:00Z"},
        {"state": "running", "at": "2026-11-20T13:00:00Z"},
        {"state": "halted", "at": "9999-12-31T23:59:59Z", "since": "0001-01-01T00:00:00Z"},
        {"plan_id": "0" * 16},
    ],
)
def test_what_a_file_claims_hides_no_halt(claims: dict[str, Any]) -> None:
    def breaks(reality: RunningGroup) -> None:
        if reality.done:
            reality.unknown = set(reality.processes)

    reality = run(breaks)
    reality.unknown = set()
    document = json.loads(reality.lake.files[PLACE])
    reality.lake.files[PLACE] = json.dumps(document | claims).encode()

    assert shown(reality).now is Now.HALTED
    assert A in json.dumps([one.title for one in shown(reality).lines])


def test_a_plan_that_is_rolled_back() -> None:
    """The steps that were begun, the last one first."""
    reality = run(lambda reality: setattr(reality, "unknown", set(reality.processes) if len(reality.done) == 2 else set()))
    assert shown(reality).now is Now.HALTED
    reality.unknown = set()
    journal = reality.journal(PLAN)
    for event in (JournalEvent.GOING_BACK, JournalEvent.UNDONE):
        journal = plans.add_entry(reality.lake, journal, JournalEntry("2026-11-20T12:02:00Z", "5", event, "bob", ""))
    found = shown(reality)

    assert found.back is not None
    assert (found.back.since.by, found.back.done, found.back.of) == ("bob", 1, 5)
    assert [one.state for one in found.lines] == ["done", "done", "done", "now", "rolled back", "to do"]
    assert (found.now, found.halt, fact(found, "Time left")[0]) == (Now.GOING_BACK, None, "unknown")
    assert found.bars is not None
    assert found.bars.goal == "Before"
    for step in ("4", "3", "2", "1"):
        journal = plans.add_entry(
            reality.lake, journal, JournalEntry("2026-11-20T12:02:00Z", step, JournalEvent.LEFT, "holdfast", "")
        )
    assert (shown(reality).now, shown(reality).may_pause) == (Now.BACK, False)


def test_a_person_s_word_that_ends_it_is_shown() -> None:
    def breaks(reality: RunningGroup) -> None:
        reality.unknown = set(reality.processes)

    reality = run(breaks)
    left = JournalEntry("2026-11-20T12:02:00Z", "1", JournalEvent.ENDED, "bob", "leaves it")
    plans.add_entry(reality.lake, reality.journal(PLAN), left)

    assert (shown(reality).now, shown(reality).left) == (Now.HALTED, left)


def test_a_run_that_a_person_had_go_on_is_running_before_its_next_turn() -> None:
    def breaks(reality: RunningGroup) -> None:
        reality.unknown = set(reality.processes)

    reality = run(breaks)
    assert shown(reality).next.startswith("The run has halted"), "nothing is to be done by hand"
    accepted = JournalEntry(reality.now().isoformat(), "1", JournalEvent.ACCEPTED, "bob", "goes on after halt 3", halt=Halt.PROCESS)
    plans.add_entry(reality.lake, reality.journal(PLAN), accepted)

    assert (shown(reality).now, shown(reality, 200).now) == (Now.RUNNING, Now.SILENT)


@pytest.mark.thorough
def test_a_rollback_that_is_a_person_s() -> None:
    reality = run(lambda reality: setattr(reality, "unknown", set(reality.processes) if len(reality.done) == 2 else set()))
    reality.unknown = set()
    journal, at = reality.journal(PLAN), "2026-11-20T12:02:00Z"
    journal = plans.add_entry(reality.lake, journal, JournalEntry(at, "5", JournalEvent.GOING_BACK, "bob", ""))
    halted = JournalEntry(at, "5", JournalEvent.HALTED, "holdfast", "Roll back step 5.", halt=Halt.PERSON)
    journal = plans.add_entry(reality.lake, journal, halted)
    found = shown(reality)

    assert (found.now, found.halt, found.halt_number) == (Now.GOING_BACK, halted, len(journal.entries))
    now = reality.now()
    page = PlanPages(reality.lake).page(PLAN.plan_id, now)
    text = templating.render("live.html", live=found, view=page.view, root="", airflow="")
    assert "A person has to roll back step 5" in text
    assert "holdfast apply --back --confirm 5" in text
    plans.add_entry(reality.lake, journal, JournalEntry(at, "5", JournalEvent.UNDO_CONFIRMED, "bob", ""))
    assert shown(reality).halt is None, "it was confirmed"


class TestARunThatEndedInAirflow:
    """The journal has it in progress, and so has what the run shows of itself: only Airflow knows."""

    def in_airflow(self, reality: RunningGroup, ended: Ended | None, later_s: float = 3) -> tuple[Live, str, list[str]]:
        """`ended`: what Airflow says."""
        now = reality.now() + timedelta(seconds=later_s)
        asked = list[str]()
        page = PlanPages(reality.lake).page(PLAN.plan_id, now)
        found = live.of(reality.lake, page, now, "token", lambda run: asked.append(run) or ended)
        assert found is not None
        return found, templating.render("live.html", live=found, view=page.view, root="", airflow=""), asked

    @pytest.fixture
    def reality(self) -> RunningGroup:
        """A turn has ended, and no other one comes."""
        reality = RunningGroup()
        reality.lag = 0
        assert isinstance(running.turn(PLAN, approved(PLAN), reality.means("manual__1"), None), running.LeftForNextTurn)
        return reality

    @pytest.mark.parametrize(
        ("ended", "says", "later_s"),
        [
            (Ended.FAILED, "has failed", 3),
            (Ended.FAILED, "has failed", SILENT_S + 1),
            (Ended.SUCCESS, "was marked as a success", 3),
            (Ended.DELETED, "was deleted", SILENT_S + 1),
        ],
    )
    def test_is_shown_and_how_it_goes_on(self, reality: RunningGroup, ended: Ended, says: str, later_s: float) -> None:
        assert self.in_airflow(reality, None)[0].now is Now.RUNNING
        found, text, asked = self.in_airflow(reality, ended, later_s)

        assert (found.now, found.ended, asked) == (Now.ENDED, ended, ["manual__1"])
        assert f"The run in Airflow {says}</h3>" in text
        assert "Trigger <code>apply_rollout</code> for the plan again, with <code>run</code>: it continues" in text
        assert ("Its log says why" in text) is (ended is Ended.FAILED)
        assert found.may_pause
        assert "Start it again" in found.next

    def test_one_that_airflow_does_not_have_and_that_gives_signs_goes_on(self, reality: RunningGroup) -> None:
        """It may be in another Airflow with the same lake."""
        assert self.in_airflow(reality, Ended.DELETED, 3)[0].now is Now.RUNNING

    def test_no_question_of_it_is_open_after_a_halt(self, reality: RunningGroup) -> None:
        pausing.pause(reality.lake, PLAN.plan_id, "bob", "", reality.now())
        running.turn(PLAN, approved(PLAN), reality.means("manual__1"), None)
        assert "Answer the question" in self.in_airflow(reality, None)[1]
        found, text, _ = self.in_airflow(reality, Ended.DELETED)

        assert (found.now, found.ended) == (Now.PAUSED, Ended.DELETED)
        assert "Answer the question" not in text
        assert "no question is open in Airflow" in text

    def test_one_that_ends_as_it_should_is_not_asked_about(self) -> None:
        reality = run()
        found, _, asked = self.in_airflow(reality, Ended.SUCCESS)

        assert (found.now, found.ended, asked) == (Now.FINISHED, None, [])


def test_another_plan_that_was_begun_since_is_named() -> None:
    reality, plan = RunningGroup(), fewer()
    forward(reality, plan)
    pages = PlanPages(reality.lake)
    assert pages.built_upon(pages.page(plan.plan_id, reality.now()), reality.now(), NO_KEYS) == ""
    other = stops(reality, C)
    begun(reality, other)
    page = pages.page(plan.plan_id, reality.now())
    says = pages.built_upon(page, reality.now(), NO_KEYS)
    found = live.of(reality.lake, page, reality.now(), built_upon=says)

    assert f"plan {other.plan_id} for the same group was begun since" in says
    text = templating.render("live.html", live=found, view=page.view, root="", airflow="")
    assert f"<b>Go back:</b> refused. {says}" in text
