"""A run in turns: each ends where something must be waited for, leaves its lease to the next one, and that one looks afresh."""

from dataclasses import replace

import pytest
from tests.harness.article import AFTER, client, group
from tests.harness.operators_hands import STRANGER, approved
from tests.harness.plans import planned
from tests.harness.running_group import RunningGroup
from tests.unit.workflows.running.test_run import ALL_THREE, ROLLING, halt, rolling
from tests.unit.workflows.test_apply_restarts import in_generation

from holdfast.errors import StatePathTrouble
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows.running import run as running
from holdfast.workflows.running.progress import Tells


def turn(reality: RunningGroup, left: running.LeftForNextTurn | None, run: str = "run 1") -> running.Ran | running.LeftForNextTurn:
    return running.turn(rolling(), approved(rolling()), reality.means(run), left)


def test_a_rolling_restart_goes_in_turns() -> None:
    reality = RunningGroup()
    ran = reality.run_in_turns(rolling())

    assert (ran.halted, ran.applied.waiting_for) == (None, None)
    assert reality.done == ALL_THREE
    assert reality.turns >= 3, "one after each restart at least"
    events = [one.event for one in reality.journal(rolling()).entries]
    assert JournalEvent.TAKEN_OVER not in events, "its own lease is no other run's"


def test_between_two_turns_no_other_run_begins() -> None:
    reality = RunningGroup()
    left = turn(reality, None)
    assert isinstance(left, running.LeftForNextTurn)
    reality.sleep(15)

    with pytest.raises(StatePathTrouble, match="run 1"):
        turn(reality, None, "run 2")
    assert reality.done == ALL_THREE[:1]


def test_a_turn_that_comes_late_takes_its_lease_again() -> None:
    reality = RunningGroup()
    ran = reality.run_in_turns(rolling(), pause_s=400)

    assert (halt(ran), reality.done) == (None, ALL_THREE)


def test_a_turn_that_comes_after_another_run_finds_what_that_did() -> None:
    reality = RunningGroup()
    left = turn(reality, None)
    assert isinstance(left, running.LeftForNextTurn)
    reality.sleep(100)
    other = turn(reality, None, "run 2")
    assert isinstance(other, running.LeftForNextTurn)
    with pytest.raises(StatePathTrouble, match="run 2"):
        turn(reality, left.after(100, 15))
    ran = reality.run_in_turns(rolling(), run="run 2")

    assert (halt(ran), reality.done) == (None, ALL_THREE)
    taken = [one.detail for one in reality.journal(rolling()).entries if one.event is JournalEvent.TAKEN_OVER]
    assert len(taken) == 2, "from the first run; and by the last one from its own turn, which ended without saying so"


def test_a_client_that_joins_between_two_turns_halts_it_before_the_next_act() -> None:
    reality = RunningGroup()

    def joins() -> None:
        if reality.done:
            reality.strangers = {STRANGER: client(STRANGER, ((), ()))}

    reality.on_sleep = joins

    assert halt(reality.run_in_turns(rolling())) is Halt.DRIFT
    assert reality.done == ALL_THREE[:1]
    reality.on_sleep, reality.strangers = (lambda: None), {}
    assert halt(reality.run_in_turns(rolling(), run="run 2")) is None, "the lease of a run that has ended is free"


@pytest.mark.thorough
def test_waits_are_measured_over_turns() -> None:
    reality = RunningGroup()

    def ends() -> None:
        if len(reality.done) == 1:
            reality.state = "PreparingRebalance"

    reality.on_sleep = ends

    assert halt(reality.run_in_turns(rolling())) is Halt.TIME
    assert reality.done == ALL_THREE[:1]
    assert 10 < reality.turns < 90


@pytest.mark.thorough
def test_a_cluster_that_is_away_is_waited_for_over_turns() -> None:
    reality = RunningGroup()
    reality.away_after_the_first_act(120)
    assert halt(reality.run_in_turns(rolling())) is None

    reality = RunningGroup()

    def stays() -> None:
        reality.away_until = 1e9

    reality.on_sleep = stays
    assert halt(reality.run_in_turns(rolling())) is Halt.CLUSTER
    assert 300 < reality.time < 500


@pytest.mark.thorough
def test_rebalances_are_told_once_and_accepted_once() -> None:
    document = in_generation(7, group(AFTER))
    plan = planned(document, *ROLLING, policy=Policy(exclude=("relabel",), acts=("restart_client",)))
    reality = RunningGroup(document)

    def others() -> None:
        reality.extra = 50 * bool(reality.done)

    reality.on_sleep = others

    assert halt(reality.run_in_turns(plan)) is Halt.REBALANCES
    assert halt(reality.run_in_turns(plan, run="run 2", accept=True)) is None
    assert reality.done == ALL_THREE
    told = [one.rebalances for one in reality.told if one.event is Tells.REBALANCE]
    assert told == [51, 51, 52, 53], "once by the run that halted, then by the one that goes on"


def test_force_is_used_by_the_first_turn_only() -> None:
    """A later one takes the lease from no one."""
    reality = RunningGroup()
    left = turn(reality, None)
    assert isinstance(left, running.LeftForNextTurn)
    means = reality.means("run 2")
    forced = replace(means, hands=replace(means.hands, force=True))
    other = running.turn(rolling(), approved(rolling()), forced, None)
    assert isinstance(other, running.LeftForNextTurn)
    assert any(one.event is JournalEvent.FORCED for one in reality.journal(rolling()).entries)

    with pytest.raises(StatePathTrouble, match="run 2"):
        turn(reality, left.after(1, 1))
    forced = replace(means, hands=replace(means.hands, force=True, me=replace(means.hands.me, run="run 1")))
    with pytest.raises(StatePathTrouble, match="run 2"):
        running.turn(rolling(), approved(rolling()), forced, left.after(1, 1))
