"""What the run of a plan does, in a word. By the journal first, then by what the run shows, then by what Airflow has of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum

from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.journal.run_progress import RunProgress, RunState

SILENT_S = 180
"""A run whose last sign is older may have ended; a command on a host may take two minutes."""


class Now(Enum):
    """What the run does: a word, and the tone of its badge."""

    READY = ("not started", "calm")
    RUNNING = ("running", "ask")
    SILENT = ("no sign of life", "warn")
    ENDED = ("ended", "bad")
    PAUSED = ("paused", "warn")
    HALTED = ("halted", "bad")
    PERSON = ("waits for a person", "warn")
    FINISHED = ("all steps done", "good")
    GOING_BACK = ("going back", "warn")
    BACK = ("rolled back", "calm")

    @property
    def word(self) -> str:
        return self.value[0]

    @property
    def tone(self) -> str:
        return self.value[1]


class Ended(Enum):
    """How the run in Airflow ended before the plan's run did."""

    FAILED = "The run in Airflow has failed"
    SUCCESS = "The run in Airflow was marked as a success"
    DELETED = "The run in Airflow was deleted"


NEXT: Mapping[Now, str] = {
    Now.RUNNING: "Nothing to do while the run goes on: it does the next step, or says why not.",
    Now.SILENT: "Find out whether the run is still there; see below.",
    Now.ENDED: "The run has ended before the plan's last step, and does nothing else. Start it again; see below.",
    Now.PAUSED: "The run is paused and does nothing. See below how it goes on.",
    Now.HALTED: "The run has halted and does nothing else. Decide how it goes on; the choices are below.",
    Now.FINISHED: "verify_rollout compares the group with the forecast.",
    Now.BACK: "Nothing to do: what was done is rolled back. The plan is not continued; create a new one.",
}
_AFTER = {Halt.PAUSED: Now.PAUSED, Halt.PERSON: Now.PERSON}
"""Halts that have a word of their own."""


def state(
    found: RunProgress | None, halt: JournalEntry | None, now: datetime, entries: Sequence[JournalEntry], *, paused: bool
) -> Now:
    """By the journal first; a run that shows itself after the halt has gone on, and one that a person had go on will."""
    running = found if found is not None and found.state is RunState.RUNNING else None
    if running is not None and (at(running.at) - now).total_seconds() > SILENT_S:
        running = None  # no clock is so far ahead: what it claims is worth nothing
    if halt is not None and (running is None or at(running.at) <= at(halt.at)):
        return _AFTER.get(halt.halt, Now.HALTED) if halt.halt is not None else Now.HALTED
    if running is not None:
        return Now.SILENT if (now - at(running.at)).total_seconds() > SILENT_S else Now.RUNNING
    if paused:
        return Now.PAUSED
    if entries and entries[-1].event is JournalEvent.ACCEPTED:
        return Now.SILENT if (now - at(entries[-1].at)).total_seconds() > SILENT_S else Now.RUNNING
    return Now.PERSON if found is not None and found.state is RunState.PERSON else Now.READY


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)
