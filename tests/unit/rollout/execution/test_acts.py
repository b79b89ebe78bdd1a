"""What comes next of an act, from the journal and the state of its process."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.rollout.execution.acts import Act, Ask, Begin, Finished, NextMove, Perform, Waited, Watch, may_run_s, next_move
from holdfast.rollout.journal.acted import Acted, ClientProcess, Does, ProcessState
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.json.record import codec_of

OLD, NEW = ClientProcess(ProcessState.RUNNING, "old"), ClientProcess(ProcessState.RUNNING, "new")
NAMELESS, DOWN, CHANGING = (ClientProcess(state) for state in (ProcessState.RUNNING, ProcessState.STOPPED, ProcessState.CHANGING))
STOP, START, RESTART = (Act(does, "one", "app-1") for does in Does)


def entry(event: JournalEvent, act: Act, process: ClientProcess, step: str = "1") -> JournalEntry:
    acted = Acted(act.does, act.kept_as, process)
    return JournalEntry("2026-11-20T12:00:00Z", step, event, "holdfast", "", acted=acted)


def move(act: Act, now: ClientProcess, begun: ClientProcess | None = None, **how: bool) -> NextMove:
    entries = () if begun is None else (entry(JournalEvent.BEGUN, act, begun),)
    return next_move(act, entries, now, **({"may_be_running": False, "performed": False} | how))


@pytest.mark.parametrize(
    ("act", "now", "begun", "expected"),
    [
        (RESTART, OLD, None, Begin(Does.RESTART)),
        (RESTART, OLD, OLD, Perform(Does.RESTART)),
        (RESTART, NEW, OLD, Finished()),
        (RESTART, DOWN, OLD, Perform(Does.START)),
        (RESTART, DOWN, None, Ask.NOT_RUNNING),
        (RESTART, NAMELESS, None, Ask.NO_IDENTITY),
        (RESTART, NAMELESS, OLD, Ask.NO_IDENTITY),
        (RESTART, CHANGING, OLD, Watch()),
        (STOP, OLD, None, Begin(Does.STOP)),
        (STOP, OLD, OLD, Perform(Does.STOP)),
        (STOP, NEW, OLD, Ask.CAME_BACK),
        (STOP, DOWN, OLD, Finished()),
        (STOP, DOWN, None, Finished()),
        (START, DOWN, None, Begin(Does.START)),
        (START, DOWN, DOWN, Perform(Does.START)),
        (START, NEW, DOWN, Finished()),
        (START, NEW, None, Finished()),
    ],
)
def test_the_identity_of_the_process_decides(act: Act, now: ClientProcess, begun: ClientProcess | None, expected: NextMove) -> None:
    assert move(act, now, begun) == expected


def test_nothing_is_repeated_while_a_command_may_be_running() -> None:
    assert move(RESTART, OLD, OLD, may_be_running=True) == Watch()
    assert move(RESTART, NEW, OLD, may_be_running=True) == Finished()


def test_a_command_that_changed_nothing_is_not_repeated() -> None:
    assert move(RESTART, OLD, OLD, performed=True) is Ask.STILL_THE_SAME


def test_what_is_done_is_done() -> None:
    """Also where the same process is restarted later, by whom ever."""
    entries = (entry(JournalEvent.BEGUN, RESTART, OLD), entry(JournalEvent.ACTED, RESTART, NEW))
    other = (entry(JournalEvent.ACTED, Act(Does.RESTART, "other", None), NEW),)

    assert next_move(RESTART, entries, DOWN, may_be_running=False, performed=False) == Finished()
    assert next_move(RESTART, other, OLD, may_be_running=False, performed=False) == Begin(Does.RESTART)


def test_a_command_may_be_running_until_its_end_or_that_of_its_run_is_kept() -> None:
    begun, acted = entry(JournalEvent.BEGUN, RESTART, OLD), entry(JournalEvent.ACTED, RESTART, NEW)
    halted = JournalEntry("2026-11-20T12:00:00Z", "1", JournalEvent.HALTED, "holdfast", "")

    for entries, expected in (
        ((), False),
        ((begun,), True),
        ((begun, acted), False),
        ((begun, halted), False),
        ((halted, begun), True),
    ):
        assert may_run_s(RESTART, "1", Journal("p", entries), 130) == (130 if expected else 0)
    assert may_run_s(RESTART, "2", Journal("p", (begun,)), 130) == 0


@pytest.mark.parametrize(
    ("entries", "left_s"),
    [
        ("begun 0, taken over 600", 130),
        ("begun 0, taken over 600, taken over 640", 91),
        ("begun 0, taken over 600, taken over 640, forced 680", 52),
        ("begun 0, taken over 600, taken over 4200", 65),
        ("begun 0, taken over 600, taken over 3, taken over 43", 91),
        ("begun 0, taken over 600, taken over 4200, taken over 9000", 0),
        ("begun 0, taken over 600, taken over 640, begun 700", 130),
        ("begun 0, taken over 600, taken over 640, begun 700, taken over 800", 130),
        ("begun 0, taken over 600, acted 610, taken over 640", 0),
        ("begun 0, taken over 600, halted 610", 130),
        ("begun 0, taken over 600, begun 640, halted 700, taken over 710", 0),
    ],
)
def test_a_run_that_takes_over_waits_for_what_those_before_it_have_not(entries: str, left_s: float) -> None:
    """Of a wait of 130 s. The time between two takeovers counts, of none more than half of it, and none where the clock went back;
    the next command begins it anew. What a run that took over halts for is not the end of the command."""

    def one(name: str, at_s: str) -> JournalEntry:
        at = (datetime(2026, 11, 20, 12, tzinfo=UTC) + timedelta(seconds=int(at_s))).isoformat().replace("+00:00", "Z")
        event = JournalEvent(name)
        has = event in (JournalEvent.BEGUN, JournalEvent.ACTED)
        return JournalEntry(at, "1", event, "holdfast", "", acted=Acted(Does.RESTART, "one", OLD) if has else None)

    journal = Journal("p", tuple(one(*entry.rsplit(" ", 1)) for entry in entries.split(", ")))
    assert may_run_s(RESTART, "1", journal, 130) == left_s


@pytest.mark.parametrize(
    ("waited_s", "now_s", "left_s"),
    [(60, 700, 70), (130, 731, 0), (1_000, 610, 121), (45, 9_000, 85), (60, 3, 70)],
    ids=["as counted", "all of it", "forged", "clock set forward", "clock set back"],
)
def test_what_a_run_has_waited_over_turns_counts_as_far_as_the_journal_lets_it(waited_s: int, now_s: int, left_s: float) -> None:
    at = "2026-11-20T12:{:02}:00Z".format
    begun = replace(entry(JournalEvent.BEGUN, RESTART, OLD), at=at(0))
    journal = Journal("p", (begun, replace(begun, at=at(10), event=JournalEvent.TAKEN_OVER, acted=None)))
    now = datetime(2026, 11, 20, 12, tzinfo=UTC) + timedelta(seconds=now_s)

    assert may_run_s(RESTART, "1", journal, 130, Waited(waited_s, now)) == left_s


def test_an_act_is_named_by_what_is_known_of_its_client() -> None:
    assert (RESTART.shown, RESTART.kept_as) == ("one on app-1", "one")
    assert (Act(Does.START, "", "app-9").shown, Act(Does.START, "", "app-9").kept_as) == ("app-9", "app-9")
    assert Act(Does.START, "", None).shown == "a new client"


def test_entries_about_processes_are_read_as_they_are_written() -> None:
    for one in (entry(JournalEvent.BEGUN, RESTART, OLD), entry(JournalEvent.ACTED, STOP, DOWN)):
        assert codec_of(JournalEntry).read(codec_of(JournalEntry).write(one)) == one
