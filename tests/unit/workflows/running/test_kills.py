"""A run that is killed at any of its operations, again and again: each act is done once, in its order, and none is lost."""

import json
from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.article import A
from tests.harness.examples import examples
from tests.harness.operators_hands import approved
from tests.harness.running_group import TAKES_S, Killed, RunningGroup
from tests.unit.workflows.running.test_run import ALL_THREE, rolling

from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.json.strict import dumps, loads
from holdfast.workflows.running import run as running
from holdfast.workflows.running.run import Ran

MOST_RUNS = 8


RUNS = (RunningGroup.run, RunningGroup.run_in_turns)
"""In one process, and in one for each turn, which leaves its lease to the next one."""


def until_done(reality: RunningGroup, run: Callable[..., Ran], lives: list[int]) -> Ran:
    """Run after run, each killed after one of these numbers of operations; the last one goes on to the end."""
    for left in lives:
        try:
            return run(reality, rolling(), dies_after=left)
        except Killed:
            reality.sleep(1.0)
    return run(reality, rolling())


def check(reality: RunningGroup, ran: Ran) -> None:
    assert ran.halted is None, ran.halted
    assert reality.done == ALL_THREE
    entries = reality.journal(rolling()).entries
    assert [one.step for one in entries if one.event is JournalEvent.ACTED] == ["1", "3", "5"]
    assert [one.step for one in entries if one.event is JournalEvent.DONE] == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.thorough
@given(
    st.sampled_from(RUNS),
    st.lists(st.integers(0, 25), max_size=MOST_RUNS),
    st.sets(st.sampled_from([client for _, client in ALL_THREE])),
)
@settings(max_examples=examples(30), deadline=None)
def test_each_restart_is_done_once_whenever_its_run_is_killed(run: Callable[..., Ran], lives: list[int], breaks: set[str]) -> None:
    reality = RunningGroup()
    reality.breaks = sorted(breaks)
    check(reality, until_done(reality, run, lives))


@pytest.mark.thorough
@pytest.mark.parametrize("run", RUNS)
def test_a_kill_at_each_single_operation(run: Callable[..., Ran]) -> None:
    for left in count():
        reality = RunningGroup()
        try:
            ran = run(reality, rolling(), dies_after=left)
        except Killed:
            check(reality, run(reality, rolling()))
        else:
            check(reality, ran)
            break
    assert left > 40, "that was every operation of a whole run"


@pytest.mark.parametrize("identity", ["same", "another", "down"])
def test_after_a_crash_the_process_says_whether_it_was_restarted(identity: str) -> None:
    """Killed right after the journal has who it was, before the command."""
    reality = RunningGroup()
    while not any(one.acted for one in reality.journal(rolling()).entries):
        left = getattr(reality, "left", 0)
        reality.left = left + 1  # type: ignore[attr-defined]
        with pytest.raises(Killed):
            reality.run(rolling(), dies_after=left)
    assert reality.done == []
    if identity != "same":
        reality.take_effect(Does.STOP if identity == "down" else Does.RESTART, A)
        reality.done.clear()
    reality.run(rolling())

    first = {"same": [(Does.RESTART, A)], "another": [], "down": [(Does.START, A)]}[identity]
    assert reality.done == [*first, *ALL_THREE[1:]]


def killed_in_a_command(reality: RunningGroup, run: Callable[..., Ran]) -> None:
    """Right before it takes effect, which it then does by itself, or never does."""

    def perform(does: Does, act: Act) -> None:
        reality.later.append((reality.time + TAKES_S, does, act.client))
        reality.lake.life.left = 0
        raise Killed

    with pytest.MonkeyPatch.context() as here:
        here.setattr(reality, "perform", perform)
        with pytest.raises(Killed):
            run(reality, rolling())


@pytest.mark.parametrize("run", RUNS)
def test_runs_that_are_killed_in_one_wait_use_up_few_attempts(run: Callable[..., Ran]) -> None:
    """The one before was killed in the middle of a command, which is lost. Each attempt dies after a third of the time for which it
    may still be running, and the next one waits for the rest."""
    reality = RunningGroup()
    killed_in_a_command(reality, run)
    reality.later.clear()
    attempts = 0
    while not reality.done and attempts < 9:
        attempts += 1
        dies_at = reality.time + RunningGroup.limit_s / 3 + 1

        def dies(dies_at: float = dies_at) -> None:
            if reality.time >= dies_at:
                reality.lake.life.left = 0
                raise Killed

        reality.on_sleep = dies
        with pytest.raises(Killed):
            run(reality, rolling())
    reality.on_sleep = lambda: None

    assert attempts == (3 if run is RunningGroup.run else 4), "one more where the rest of the wait is the next turn's"
    check(reality, run(reality, rolling()))


@pytest.mark.parametrize("run", RUNS)
def test_a_command_that_is_given_again_is_waited_for_anew(run: Callable[..., Ran]) -> None:
    """The first one was lost. The second one is killed with its run, takes effect late, and is not given a third time."""
    reality = RunningGroup()
    killed_in_a_command(reality, run)
    reality.later.clear()
    killed_in_a_command(reality, run)
    assert not reality.done
    ((_, does, client),) = reality.later
    reality.later = [(reality.time + RunningGroup.limit_s - 1, does, client)]

    check(reality, run(reality, rolling()))


@pytest.mark.thorough
def test_a_run_that_is_killed_leaves_a_checklist_of_what_is_done() -> None:
    """As it was after the last step that was done: a killed run writes none at its end."""
    for left in count(1, 7):
        reality, plan = RunningGroup(), rolling()
        try:
            reality.run(plan, dies_after=left)
        except Killed:
            done = [one.step for one in reality.journal(plan).entries if one.event is JournalEvent.DONE]
            kept = reality.lake.files.get(("plans", plan.plan_id, "checklist.json"))
            document = {"checklist": [], "done": False} if kept is None else json.loads(kept)
            listed = [one["step"] for one in document["checklist"] if one["done"]]
            assert listed in (done, done[:-1]), "a kill may come between the journal and the checklist"
            assert document["done"] is (len(listed) == len(plan.steps))
        else:
            break
    assert left > 40


@pytest.mark.thorough
def test_members_that_come_back_under_other_ids_are_no_restart() -> None:
    """As after an outage of the broker, in the moment between the begin of a step and its act."""
    for left in range(8, 13):
        reality = RunningGroup()
        with suppress(Killed):
            reality.run(rolling(), dies_after=left)
        if len(reality.done) < len(ALL_THREE):
            client = ALL_THREE[len(reality.done)][1]
            listed = dumps(reality.document["clients"][client])
            reality.document["clients"][client] = loads(listed.replace("0f6d8a3e-0000-4000-8", "0f6d8a3e-0000-4000-9"))
        reality.sleep(1.0)
        reality.run(rolling())

        assert reality.done == ALL_THREE, left


def test_no_worker_is_held_while_the_command_of_a_killed_run_may_still_be_running() -> None:
    """It is waited for between turns, each of which is over at once, for as long as it may run, and not longer."""
    reality = RunningGroup()
    killed_in_a_command(reality, RunningGroup.run_in_turns)
    reality.later.clear()
    killed_at, slept = reality.time, 0.0
    performed_at: list[float] = []

    def sleeps() -> None:
        if not reality.done:
            performed_at[:] = [reality.time]

    reality.on_sleep = sleeps
    left = running.turn(rolling(), approved(rolling()), reality.means("run 1"), None)
    while isinstance(left, running.LeftForNextTurn) and not reality.done:
        began = reality.time
        slept += 15
        reality.sleep(15)
        left = running.turn(rolling(), approved(rolling()), reality.means("run 1"), left.after(15, 15))
        assert reality.done or reality.time == began + 15, "no turn sleeps while it may be running"

    assert performed_at[0] - killed_at == slept == 45, "the first turn after 30 s of waiting, of which the journal rounds one off"
