"""Answers to the halt of a run: each is about the halt that is open, by its number, and is journaled."""

import pytest
from tests.harness.article import AFTER, A, B, client, group
from tests.harness.operators_hands import STRANGER, waits_for
from tests.harness.plans import planned
from tests.harness.running_group import RunningGroup
from tests.unit.workflows.running.test_going_back import fewer, forward
from tests.unit.workflows.running.test_run import ALL_THREE, ROLLING, halt, rolling
from tests.unit.workflows.test_apply_restarts import in_generation

from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows.running import answers, pausing
from holdfast.workflows.running.answers import GivenAnswer, HaltAnswer, NotItsStep, NotOpen

PLAN = rolling()


def answer(
    reality: RunningGroup, number: int, chosen: HaltAnswer = HaltAnswer.GO_ON, by: str = "bob", reason: str = ""
) -> JournalEntry:
    answers.keep(PLAN, GivenAnswer(number, chosen, by, reason), reality.means("run 1").hands)
    return reality.journal(PLAN).entries[-1]


def open_number(reality: RunningGroup) -> int:
    found = reality.journal(PLAN).open_halt()
    assert found is not None
    return found[0]


@pytest.fixture
def reality() -> RunningGroup:
    """A run has halted after one act, because a person paused it."""
    found = RunningGroup()

    def pauses() -> None:
        if len(found.done) == 1 and pausing.paused(found.lake, PLAN.plan_id) is None:
            pausing.pause(found.lake, PLAN.plan_id, "ann", "lunch", found.now())

    found.on_sleep = pauses
    assert halt(found.run_in_turns(PLAN)) is Halt.PAUSED
    found.on_sleep = lambda: None
    return found


def test_to_go_on_removes_the_pause_that_it_halted_for(reality: RunningGroup) -> None:
    number = open_number(reality)
    kept = answer(reality, number, reason="back from lunch")

    assert (kept.event, kept.by, kept.detail) == (JournalEvent.ACCEPTED, "bob", f"goes on after halt {number}: back from lunch")
    assert pausing.paused(reality.lake, PLAN.plan_id) is None
    assert halt(reality.run_in_turns(PLAN)) is None
    assert reality.done == ALL_THREE


def test_a_pause_that_was_made_since_stays(reality: RunningGroup) -> None:
    pausing.pause(reality.lake, PLAN.plan_id, "vera", "an incident", reality.now())
    answer(reality, open_number(reality))

    assert "vera" in str(pausing.paused(reality.lake, PLAN.plan_id))
    assert halt(reality.run_in_turns(PLAN)) is Halt.PAUSED
    assert reality.done == ALL_THREE[:1]


@pytest.mark.parametrize("later", [b"stop", b"do not go on"])
def test_a_pause_is_told_from_another_by_its_file_not_by_its_words(later: bytes) -> None:
    """Of two files that cannot be read the words are the same."""
    place, found = ("plans", PLAN.plan_id, "pause.json"), RunningGroup()

    def pauses() -> None:
        if len(found.done) == 1:
            found.lake.files[place] = b"stop"

    found.on_sleep = pauses
    assert halt(found.run_in_turns(PLAN)) is Halt.PAUSED
    found.on_sleep = lambda: None
    found.lake.files[place] = later
    answer(found, open_number(found))

    assert (place in found.lake.files) is (later != b"stop")


def test_another_halt_than_the_open_one_is_not_answered(reality: RunningGroup) -> None:
    first = open_number(reality)
    for other in (first - 1, first + 1, 0):
        with pytest.raises(NotOpen, match="nothing was done"):
            answer(reality, other)
    assert pausing.paused(reality.lake, PLAN.plan_id) is not None

    answer(reality, first)
    reality.strangers = {STRANGER: client(STRANGER, ((), ()))}
    assert halt(reality.run_in_turns(PLAN)) is Halt.DRIFT
    with pytest.raises(NotOpen):
        answer(reality, first)
    assert open_number(reality) > first


def test_a_halt_is_answered_once(reality: RunningGroup) -> None:
    number = open_number(reality)
    answer(reality, number, HaltAnswer.LEAVE)
    for chosen in HaltAnswer:
        with pytest.raises(NotOpen):
            answer(reality, number, chosen)
    last = reality.journal(PLAN).entries[-1]
    assert (last.event, last.by, last.detail) == (JournalEvent.ENDED, "bob", f"leaves it after halt {number}")
    assert pausing.paused(reality.lake, PLAN.plan_id) is not None, "who leaves it removes no pause"


def test_what_another_run_went_on_from_is_not_open(reality: RunningGroup) -> None:
    number = open_number(reality)
    pausing.resume(reality.lake, PLAN.plan_id)
    assert halt(reality.run_in_turns(PLAN, run="run 2")) is None
    with pytest.raises(NotOpen):
        answer(reality, number)


def test_while_another_run_has_the_lease_nothing_is_answered(reality: RunningGroup) -> None:
    number = open_number(reality)
    other = reality.means("run 2").hands.leases(PLAN).take(forced=False, same_run=True)
    with pytest.raises(StatePathTrouble, match="run 2"):
        answer(reality, number)
    other.release()
    assert open_number(reality) == number


def test_a_secret_is_not_kept(reality: RunningGroup) -> None:
    number = open_number(reality)
    with pytest.raises(InvalidInput):
        answer(reality, number, reason="password=oPen-5esame")
    assert open_number(reality) == number


@pytest.mark.thorough
def test_extra_rebalances_are_accepted_with_it() -> None:
    document = in_generation(7, group(AFTER))
    plan = planned(document, *ROLLING, policy=Policy(exclude=("relabel",), acts=("restart_client",)))
    reality = RunningGroup(document)

    def others() -> None:
        reality.extra = 50 * bool(reality.done)

    reality.on_sleep = others
    assert halt(reality.run_in_turns(plan)) is Halt.REBALANCES
    found = reality.journal(plan).open_halt()
    assert found is not None
    answers.keep(plan, GivenAnswer(found[0], HaltAnswer.GO_ON, "bob", ""), reality.means("run 1").hands)

    assert reality.journal(plan).accepted_rebalances() == 51
    assert halt(reality.run_in_turns(plan)) is None
    assert reality.done == ALL_THREE


@pytest.mark.thorough
def test_the_rebalances_of_a_client_that_joined_are_accepted_with_it() -> None:
    """One answer is enough: it joined and left, and the run goes on."""
    document = in_generation(7, group(AFTER))
    plan = planned(document, *ROLLING, policy=Policy(exclude=("relabel",), acts=("restart_client",)))
    reality = RunningGroup(document)

    def joins() -> None:
        if reality.done:
            reality.strangers, reality.extra = {STRANGER: client(STRANGER, ((), ()))}, 1

    reality.on_sleep = joins
    assert halt(reality.run_in_turns(plan)) is Halt.DRIFT
    found = reality.journal(plan).open_halt()
    assert found is not None
    reality.on_sleep, reality.strangers = (lambda: None), {}
    reality.extra = 2
    answers.keep(plan, GivenAnswer(found[0], HaltAnswer.GO_ON, "bob", "it is gone"), reality.means("run 1").hands)

    assert reality.journal(plan).accepted_rebalances() == 2
    assert halt(reality.run_in_turns(plan)) is None
    assert reality.done == ALL_THREE


def test_a_halt_is_open_until_something_else_happens() -> None:
    def entry(event: JournalEvent) -> JournalEntry:
        return JournalEntry("2026-11-20T12:00:00Z", "1", event, "holdfast", "")

    halted = (entry(JournalEvent.BEGUN), entry(JournalEvent.HALTED))
    assert Journal("p").open_halt() is None
    for later in JournalEvent:
        found = Journal("p", (*halted, entry(later))).open_halt()
        number = {JournalEvent.HALTED: 3, JournalEvent.TAKEN_OVER: 2, JournalEvent.FORCED: 2}.get(later)
        assert (None if found is None else found[0]) == number, later


class TestARollbackByHand:
    """The policy lets Holdfast stop clients, and start none: each rollback is a person's, who is asked by a halt."""

    PLAN = fewer("stop_client")

    @pytest.fixture
    def reality(self) -> RunningGroup:
        found = RunningGroup()
        found.asks = True
        forward(found, self.PLAN)
        assert halt(found.run_in_turns(self.PLAN, back=True)) is Halt.PERSON
        return found

    def answer(
        self, reality: RunningGroup, step: str | None, chosen: HaltAnswer = HaltAnswer.GO_ON, number: int | None = None
    ) -> None:
        given = GivenAnswer(number or self.open(reality)[0], chosen, "bob", "started it", step)
        answers.keep(self.PLAN, given, reality.means("run 1").hands)

    def open(self, reality: RunningGroup) -> tuple[int, JournalEntry]:
        found = reality.journal(self.PLAN).open_halt()
        assert found is not None
        return found

    def test_halts_and_says_what_is_to_do(self, reality: RunningGroup) -> None:
        _, entry = self.open(reality)

        assert (entry.step, entry.halt) == ("3", Halt.PERSON)
        assert "does not let Holdfast do this (start_client)" in entry.detail
        assert f"start {B}" in entry.detail.lower()

    def test_is_confirmed_by_the_answer_that_names_its_step(self, reality: RunningGroup) -> None:
        for step, client_id in (("3", B), ("1", A)):
            number, entry = self.open(reality)
            assert entry.step == step
            reality.take_effect(Does.START, client_id)
            reality.sleep(30)
            self.answer(reality, step)
            kept = reality.journal(self.PLAN).entries[-1]
            assert (kept.event, kept.step, kept.by) == (JournalEvent.UNDO_CONFIRMED, step, "bob")
            assert kept.detail == f"rolled back by hand after halt {number}: started it"
            ran = reality.run_in_turns(self.PLAN, back=True)
        assert (halt(ran), ran.went_back is not None and ran.went_back.clients.in_place) == (None, True)

    def test_stays_open_without_it(self, reality: RunningGroup) -> None:
        """What was lacking may be there now: then Holdfast does it."""
        number, _ = self.open(reality)
        self.answer(reality, None)

        assert halt(reality.run_in_turns(self.PLAN, back=True)) is Halt.PERSON
        again, entry = self.open(reality)
        assert (again > number, entry.step) == (True, "3")

    @pytest.mark.parametrize(
        ("step", "chosen"), [("1", HaltAnswer.GO_ON), ("9", HaltAnswer.GO_ON), ("3", HaltAnswer.LEAVE), ("3", HaltAnswer.GO_BACK)]
    )
    def test_is_not_confirmed_by_another_answer(self, reality: RunningGroup, step: str, chosen: HaltAnswer) -> None:
        before = reality.journal(self.PLAN)
        with pytest.raises(NotItsStep):
            self.answer(reality, step, chosen)
        with pytest.raises(NotOpen):
            self.answer(reality, "3", number=self.open(reality)[0] - 1)
        assert reality.journal(self.PLAN) == before

    def test_is_not_asked_by_a_run_that_asks_nothing(self) -> None:
        found = RunningGroup()
        forward(found, self.PLAN)
        ran = found.run_in_turns(self.PLAN, back=True)

        assert (halt(ran), waits_for(ran.applied)) == (None, "3")


def test_a_halt_that_names_no_rollback_confirms_none(reality: RunningGroup) -> None:
    number = open_number(reality)
    with pytest.raises(NotItsStep, match="asks a person to roll back no step"):
        answers.keep(PLAN, GivenAnswer(number, HaltAnswer.GO_ON, "bob", "", "1"), reality.means("run 1").hands)
    assert open_number(reality) == number
