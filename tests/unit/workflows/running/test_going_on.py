"""A command that takes long, or whose connection breaks: no turn waits for it, the journal says so, and it is given once."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import count

import pytest
from tests.harness.article import A
from tests.harness.operators_hands import approved
from tests.harness.running_group import Killed, RunningGroup
from tests.unit.workflows.running import test_client_configs as settings
from tests.unit.workflows.running.test_client_configs import ORDER, real, rolled
from tests.unit.workflows.running.test_kills import RUNS, check
from tests.unit.workflows.running.test_moving import MOVES, MovingGroup, planned
from tests.unit.workflows.running.test_run import ALL_THREE, halt, rolling

from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, Halt, ProcessState
from holdfast.rollout.journal.journal import JournalEvent
from holdfast.workflows.running import acting, pausing
from holdfast.workflows.running import run as running
from holdfast.workflows.running.run import Ran

Run = Callable[..., Ran]


def of_first(reality: RunningGroup) -> list[JournalEvent]:
    """What the journal has of the first restart."""
    return [one.event for one in reality.journal(rolling()).acts("1")]


def broken(takes_s: float) -> RunningGroup:
    """The connection to the first client's host breaks in the middle of its restart, which takes effect later."""
    reality = RunningGroup()
    reality.breaks, reality.takes_s = [A], takes_s
    return reality


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("takes_s", [3.0, 28.0])
def test_a_command_whose_connection_breaks_is_given_once(run: Run, takes_s: float) -> None:
    reality = broken(takes_s)
    check(reality, run(reality, rolling()))

    assert of_first(reality) == [JournalEvent.BEGUN, JournalEvent.GOES_ON, JournalEvent.ACTED]
    (left,) = [one for one in reality.journal(rolling()).entries if one.event is JournalEvent.GOES_ON]
    assert left.detail.endswith("its command may still be running: connection lost")


def turn_lengths(reality: RunningGroup) -> list[float]:
    """Of a run, whose turns are processes of their own."""
    found: list[float] = []
    left: running.LeftForNextTurn | running.Ran | None = None
    while not isinstance(left, running.Ran):
        began = reality.time
        means = reality.means("run 1")
        left = running.turn(rolling(), approved(rolling()), means, None if left is None else left.after(15, 15))
        found.append(reality.time - began)
        reality.sleep(15)
    check(reality, left)
    return found


@pytest.mark.parametrize("records", [None, {}])
def test_no_turn_waits_for_it(records: dict[str, int] | None) -> None:
    """Nor for its process, while it goes on."""
    reality = broken(28.0)
    reality.records = records
    assert max(turn_lengths(reality)) <= 3


def test_no_turn_waits_for_a_process_that_changes_for_long() -> None:
    """Its command has ended, as that of a service that starts slowly."""
    reality = RunningGroup()
    until: list[float] = []

    def process(act: Act) -> ClientProcess:
        shown = RunningGroup.process(reality, act)
        if act.client != A or not reality.done:
            return shown
        until.append(reality.time + 45)
        return ClientProcess(ProcessState.CHANGING) if reality.time < until[0] else shown

    reality.process = process  # type: ignore[method-assign]

    assert max(turn_lengths(reality)) <= acting.SHOWS_WITHIN_S + 6
    assert of_first(reality) == [JournalEvent.BEGUN, JournalEvent.GOES_ON, JournalEvent.ACTED]


@pytest.mark.parametrize("run", RUNS)
def test_one_that_was_lost_is_not_given_again_by_itself(run: Run) -> None:
    """It halts once the command must have ended. The next run gives it again, at once."""
    reality = broken(1e9)
    ran = run(reality, rolling())
    assert halt(ran) is Halt.COMMAND
    assert ran.halted is not None
    assert "connection lost" in ran.halted.text
    assert reality.time > reality.limit_s
    reality.later.clear()
    halted_at = reality.time
    check(reality, run(reality, rolling()))

    assert of_first(reality) == [JournalEvent.BEGUN, JournalEvent.GOES_ON, JournalEvent.BEGUN, JournalEvent.ACTED]
    assert reality.time - halted_at < 120


@pytest.mark.parametrize("run", RUNS)
def test_a_halt_for_something_else_does_not_have_it_given_again(run: Run) -> None:
    """A person pauses the run while the command goes on, and has it go on at once."""
    reality, plan = broken(28.0), rolling()

    def pauses() -> None:
        if JournalEvent.GOES_ON in of_first(reality) and reality.time < 27:
            pausing.pause(reality.lake, plan.plan_id, "ann", "", reality.now())

    reality.on_sleep = pauses
    assert halt(run(reality, plan)) is Halt.PAUSED
    reality.on_sleep = lambda: None
    pausing.resume(reality.lake, plan.plan_id)
    assert not reality.done

    check(reality, run(reality, plan))


@pytest.mark.thorough
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("records", [None, {}])
def test_a_kill_at_each_single_operation(run: Run, records: dict[str, int] | None) -> None:
    """Of a run one of whose commands goes on for long without a connection; with records of it on its host, and without."""
    for left in count():
        reality = broken(28.0)
        reality.records = None if records is None else {}
        try:
            ran = run(reality, rolling(), dies_after=left)
        except Killed:
            check(reality, run(reality, rolling()))
        else:
            check(reality, ran)
            break
    assert left > 45, "that was every operation of a whole run"


@pytest.mark.parametrize("run", RUNS)
def test_one_that_never_arrived_is_given_again_at_once(run: Run) -> None:
    """Its host has no record of it."""
    reality = RunningGroup()
    reality.records, reality.loses = {}, [A]
    check(reality, run(reality, rolling()))

    given = [JournalEvent.BEGUN, JournalEvent.GOES_ON, JournalEvent.NOT_GIVEN]
    assert of_first(reality) == [*given, JournalEvent.BEGUN, JournalEvent.ACTED]


@pytest.mark.parametrize("run", RUNS)
def test_one_that_a_killed_run_gave_in_vain_is_not_given_again_by_itself(run: Run) -> None:
    """A person is asked, and the next run gives it again."""
    reality, first = RunningGroup(), True

    def perform(does: Does, act: Act) -> str | None:
        nonlocal first
        if first:
            first = False
            reality._record(act)
            raise Killed
        return RunningGroup.perform(reality, does, act)

    reality.records, reality.perform = {}, perform  # type: ignore[method-assign]
    with pytest.raises(Killed):
        run(reality, rolling())

    assert halt(run(reality, rolling())) is Halt.COMMAND
    assert (of_first(reality), reality.done) == ([JournalEvent.BEGUN, JournalEvent.GOES_ON], [])
    check(reality, run(reality, rolling()))


@pytest.mark.parametrize("run", RUNS)
def test_a_run_that_is_killed_while_its_command_goes_on_waits_no_longer_than_it_takes(run: Run) -> None:
    reality = broken(20.0)
    reality.records = {}

    def dies() -> None:
        if reality.later and JournalEvent.GOES_ON in of_first(reality):
            raise Killed

    reality.on_sleep = dies
    with pytest.raises(Killed):
        run(reality, rolling())
    reality.on_sleep = lambda: None
    check(reality, run(reality, rolling()))


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("times", [1, 30])
def test_a_host_that_is_not_reached_is_asked_again(run: Run, times: int) -> None:
    """Nothing of the command has reached it."""
    reality = RunningGroup()
    reality.refuses = {A: times}
    check(reality, run(reality, rolling()))


@pytest.mark.parametrize("back", [False, True])
def test_settings_whose_host_is_not_reached_are_written_in_the_next_turn(*, back: bool) -> None:
    """Nothing of the command has reached it. One that goes on then, without a connection, is waited for."""
    reality, plan, away = real(), rolled(), 1 if not back else 0

    def write_config(act: Act, given: Mapping[str, str | None]) -> str | None:
        nonlocal away
        away -= 1
        if away >= 0:
            raise HostTrouble("no route to host", begun=False)
        return RunningGroup.write_config(reality, act, given)

    reality.write_config = write_config  # type: ignore[method-assign]
    if back:
        settings.check(reality, reality.run_in_turns(plan), plan)
        reality.done.clear()
        away = 1
    began = reality.time
    looked: list[float] = []
    reality.on_sleep = lambda: looked.append(reality.time) if reality.written and not looked else None
    ran = reality.run_in_turns(plan, back=back)

    assert halt(ran) is None, ran.halted
    kept = [one.event for one in settings.about_settings(reality, plan)]
    first, again = (JournalEvent.UNDOING, JournalEvent.UNDO_NOT_GIVEN) if back else (JournalEvent.BEGUN, JournalEvent.NOT_GIVEN)
    at = kept.index(again)
    assert kept[at - 1 : at + 2] == [first, again, first]
    assert back or looked[0] - began < reality.unseen_write_s


@pytest.mark.parametrize("run", RUNS)
def test_a_host_that_stays_away_halts_it(run: Run) -> None:
    reality = RunningGroup()
    reality.refuses = {A: 10**9}
    ran = run(reality, rolling())

    assert halt(ran) is Halt.COMMAND
    assert ran.halted is not None
    assert "Nothing was done to" in ran.halted.text
    assert reality.done == []
    reality.refuses = {}
    check(reality, run(reality, rolling()))


@pytest.mark.parametrize("run", RUNS)
def test_going_back_waits_for_a_command_that_goes_on(run: Run) -> None:
    """What it has done is done before anything is rolled back."""
    reality, plan = broken(28.0), rolling()

    def pauses() -> None:
        if JournalEvent.GOES_ON in of_first(reality) and reality.time < 27:
            pausing.pause(reality.lake, plan.plan_id, "ann", "", reality.now())

    reality.on_sleep = pauses
    assert halt(run(reality, plan)) is Halt.PAUSED
    reality.on_sleep = lambda: None
    pausing.resume(reality.lake, plan.plan_id)
    ran = run(reality, plan, back=True)

    assert ran.went_back is not None
    assert reality.done == [(Does.RESTART, A)], "once, and a restart needs no rollback"
    assert not reality.later


def test_the_process_is_not_seen_after_a_command_that_has_ended() -> None:
    """The journal says that it was given, and the next turn finds what it did."""
    reality = RunningGroup()

    def process(act: Act) -> ClientProcess:
        if act.client == A and reality.done and reality.time < reality.processes[A].changed_at + 40:
            raise HostTrouble("no route to host", begun=False)
        return RunningGroup.process(reality, act)

    reality.process = process  # type: ignore[method-assign]
    check(reality, reality.run_in_turns(rolling()))

    assert of_first(reality) == [JournalEvent.BEGUN, JournalEvent.GOES_ON, JournalEvent.ACTED]
    assert reality.done == ALL_THREE


def test_each_act_of_a_step_has_all_of_its_time() -> None:
    """Three stops, each of which takes most of it."""
    reality = MovingGroup(planned(*MOVES, "set_client_config"))

    def process(act: Act) -> ClientProcess:
        found = reality.processes[act.client]
        goes_on = not found.runs and reality.time < found.changed_at + reality.limit_s + acting.PATIENCE_S - 20
        return ClientProcess(ProcessState.CHANGING) if goes_on else found.shown()

    reality.process = process  # type: ignore[method-assign]
    ran = reality.goes()

    assert halt(ran) is None, ran.halted
    assert sorted(reality.done) == sorted((does, one) for one in reality.processes for does in (Does.STOP, Does.START))


def test_a_clock_that_jumps_does_not_end_the_wait_for_a_second_command() -> None:
    """Both are of one step. What was waited for the first one does not count for the second."""
    reality, plan, breaks = real(), rolled(), [*ORDER[:2]]
    reality.takes_s = 28.0
    second: list[int] = []
    """The turn in which it was given."""

    def perform(does: Does, act: Act) -> str | None:
        if act.client in breaks:
            breaks.remove(act.client)
            reality.breaks = [act.client]
            second.extend([reality.turns] if not breaks else [])
        return RunningGroup.perform(reality, does, act)

    def now() -> datetime:
        return RunningGroup.now(reality) + timedelta(seconds=40 * (second != [] and reality.turns > second[0]))

    reality.now, reality.perform = now, perform  # type: ignore[method-assign]
    ran = reality.run_in_turns(plan, pause_s=5)

    assert halt(ran) is None, ran.halted
    assert reality.done == [(Does.RESTART, one) for one in ORDER]
