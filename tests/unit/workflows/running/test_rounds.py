"""A run compares the group with its forecast after each batch of acts, and begins nothing else where a task is elsewhere."""

from collections.abc import Callable

import pytest
from tests.harness.article import AFTER, A, B, C, group
from tests.harness.operators_hands import approved
from tests.harness.running_group import Killed, RunningGroup
from tests.unit.workflows.running.test_run import ALL_THREE, halt, rolling

from holdfast.rollout.facts.differences import Differs
from holdfast.rollout.journal.acted import Does, Halt
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.workflows import apply as applying
from holdfast.workflows.apply import Confirmation
from holdfast.workflows.running import answers
from holdfast.workflows.running.progress import Tells
from holdfast.workflows.running.run import Ran

(A_ONE, A_TWO), (B_ONE, B_TWO) = AFTER[A], AFTER[B]
SWAPPED = AFTER | {A: ((*A_ONE[:-1], B_ONE[-1]), A_TWO), B: ((*B_ONE[:-1], A_ONE[-1]), B_TWO)}
"""A task of each of two clients is the other's."""
RUNS = (RunningGroup.run, RunningGroup.run_in_turns)


def texts(reality: RunningGroup) -> list[str]:
    return [one.text for one in reality.told if one.event is Tells.ROUND]


def swapped_after(reality: RunningGroup, acts: int, then: object = SWAPPED) -> RunningGroup:
    """`then`: where all is after one act more."""

    def swaps() -> None:
        if len(reality.done) >= acts:
            reality.document = group(SWAPPED if len(reality.done) == acts else then)  # type: ignore[arg-type]

    reality.on_sleep = swaps
    return reality


@pytest.mark.parametrize("run", RUNS)
def test_each_round_is_told_once(run: Callable[..., Ran]) -> None:
    reality = RunningGroup()
    run(reality, rolling())

    assert texts(reality) == [f"After step {step}: rebalance 1 of 1: as forecast." for step in (2, 4, 6)]


@pytest.mark.parametrize("run", RUNS)
def test_a_task_elsewhere_halts_it_before_the_next_act(run: Callable[..., Ran]) -> None:
    reality, plan = swapped_after(RunningGroup(), 1), rolling()
    ran = run(reality, plan)

    assert (halt(ran), reality.done) == (Halt.DIVERGENCE, ALL_THREE[:1])
    last = reality.journal(plan).entries[-1]
    assert (last.event, last.halt, last.step) == (JournalEvent.HALTED, Halt.DIVERGENCE, "2")
    assert [(one.kind, one.of, one.expected, one.found) for one in last.differences] == sorted(
        [(Differs.OWNER, A_ONE[-1], (A,), (B,)), (Differs.OWNER, B_ONE[-1], (B,), (A,))], key=lambda one: str(one[1])
    )
    assert f"Task {A_ONE[-1]} is on {B}; forecast: {A}." in last.detail
    assert halt(run(reality, plan)) is Halt.DIVERGENCE, "without a word it stays so"


@pytest.mark.parametrize("run", RUNS)
def test_a_person_may_go_on_and_what_follows_is_compared_anew(run: Callable[..., Ran]) -> None:
    """The next rebalance brings both tasks back: that is what follows from where they are."""
    reality, plan = swapped_after(RunningGroup(), 1, AFTER), rolling()
    run(reality, plan)
    ran = run(reality, plan, accept=True)

    assert halt(ran) is None
    assert (ran.applied.waiting_for, reality.done) == (None, ALL_THREE)
    accepted = [one for one in reality.journal(plan).entries if one.event is JournalEvent.ACCEPTED]
    assert [(one.halt, one.step, len(one.differences)) for one in accepted] == [(Halt.DIVERGENCE, "2", 2)]
    assert all("as forecast" in one for one in texts(reality)[-2:])


@pytest.mark.parametrize("run", RUNS)
def test_another_divergence_halts_it_again(run: Callable[..., Ran]) -> None:
    c_one, c_two = AFTER[C]
    elsewhere = AFTER | {A: ((*A_ONE[:-1], c_one[-1]), A_TWO), C: ((*c_one[:-1], A_ONE[-1]), c_two)}
    reality, plan = swapped_after(RunningGroup(), 1, elsewhere), rolling()
    run(reality, plan)

    assert halt(run(reality, plan, accept=True)) is Halt.DIVERGENCE
    assert reality.done == ALL_THREE[:2]


@pytest.mark.thorough
def test_the_end_that_follows_from_what_was_accepted_is_the_end() -> None:
    """Accepted in the last wait: there is nothing left to compare with."""
    reality, plan = swapped_after(RunningGroup(), 3), rolling()
    reality.run(plan)
    ran = reality.run(plan, accept=True)

    assert (halt(ran), ran.applied.waiting_for) == (None, None)
    assert "accepted" in reality.journal(plan).entries[-1].detail


def test_what_a_single_look_shows_halts_nothing() -> None:
    reality = RunningGroup()

    def swaps() -> None:
        reality.document = group(SWAPPED if 4 <= reality.time < 6 else AFTER)

    reality.on_sleep = swaps

    assert halt(reality.run(rolling())) is None
    assert reality.done == ALL_THREE
    assert any("Task" in one for one in texts(reality))


@pytest.mark.thorough
def test_the_end_is_compared_too() -> None:
    reality = swapped_after(RunningGroup(), 3)

    assert halt(reality.run(rolling())) is Halt.DIVERGENCE
    assert reality.time > 600, "nothing is begun after it, and whether it is at rest is unknown: it had its time"
    assert reality.done == ALL_THREE
    assert any("Task" in one for one in texts(reality))


@pytest.mark.thorough
def test_before_a_paused_run_goes_on_it_is_compared_again() -> None:
    """The wait is over, and while the run was away a task has moved."""
    reality, plan = RunningGroup(), rolling()
    for left in range(10, 200):
        reality, plan = RunningGroup(), rolling()
        try:
            reality.run(plan, dies_after=left)
        except Killed:
            if reality.journal(plan).has("2", JournalEvent.DONE) and not reality.journal(plan).acts("3"):
                break
    reality.document = group(SWAPPED)

    assert halt(reality.run(plan)) is Halt.DIVERGENCE
    assert reality.done == ALL_THREE[:1]


@pytest.mark.parametrize("content", [b"{", b'{"format_version": "1.0"}', None])
def test_without_the_group_from_before_it_says_that_nothing_was_compared(content: bytes | None) -> None:
    reality, plan = swapped_after(RunningGroup(), 1), rolling()
    kept = ("plans", plan.plan_id, "basis.json")
    reality.take_effect(Does.RESTART, A)
    reality.sleep(10)
    if content is not None:
        reality.lake.files[kept] = content
    reality.document = group(AFTER)
    reality.on_sleep = lambda: None
    means = reality.means()
    by_hand = (Confirmation("1", "ann", "done"),)
    applying.apply(plan, means.look(1.0), approved(plan), by_hand, means.hands)

    assert halt(reality.run(plan)) is None
    assert texts(reality)[0] == ("After step 2: the placement was not compared: there is no snapshot from before the first step.")


def test_a_group_of_another_name_is_no_basis() -> None:
    reality, plan = RunningGroup(), rolling()
    reality.run(plan)
    kept = ("plans", plan.plan_id, "basis.json")
    again = swapped_after(RunningGroup(), 1)
    again.lake.files[kept] = reality.lake.files[kept].replace(b'"group_id":"', b'"group_id":"not-')

    assert halt(again.run(plan)) is Halt.DIVERGENCE, "it is kept anew: nothing was done yet"


def test_an_answer_to_the_halt_goes_on_as_well() -> None:
    reality, plan = swapped_after(RunningGroup(), 1, AFTER), rolling()
    reality.run(plan)
    number, _ = reality.journal(plan).open_halt() or (0, None)
    answers.keep(plan, answers.GivenAnswer(number, answers.HaltAnswer.GO_ON, "bob", "it is fine"), reality.means().hands)

    assert halt(reality.run(plan)) is None
    assert reality.done == ALL_THREE
