"""What was decided about a plan and what was done: an approval, and a journal that is only ever added to."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

MOST_ENTRIES = 99_999
"""Of one plan's journal."""


class Decider(StrEnum):
    """Whose decision it is. `TIME_OUT`: nobody's, in time; it is never an approval."""

    PERSON = "person"
    POLICY = "policy"
    TIME_OUT = "time-out"


@dataclass(frozen=True, slots=True)
class Approval:
    """The answer to one plan, and to no other. `at` is ISO 8601, UTC.

    `by_id`: the user's ID where they were logged in; `plan_fingerprint`: what was shown (`approval.fingerprint`); `asked_by`: who
    asked for the plan, `approval.NOBODY` where no person did. None: not said. `changes_requested`: not approved, nor rejected: it
    goes back to whoever asked for it, and `reason` says what is to be different.
    """

    plan_id: str
    approved: bool
    by: str
    reason: str
    at: str
    by_id: str | None = None
    decided_by: Decider = Decider.PERSON
    plan_fingerprint: str | None = None
    asked_by: str | None = None
    changes_requested: bool = False

    @property
    def says(self) -> str:
        """In two words at most."""
        return "approved" if self.approved else "changes requested" if self.changes_requested else "rejected"


class Event(StrEnum):
    """`BEGUN` is written before Holdfast acts; `CONFIRMED` is an operator's word; `DONE` closes a step; `STOPPED` is a refusal.

    `TAKEN_OVER`: who applied before is gone, or was not heard of in time; `FORCED`: somebody released the lease of whoever applied.
    """

    BEGUN = "begun"
    CONFIRMED = "confirmed"
    DONE = "done"
    STOPPED = "stopped"
    TAKEN_OVER = "taken over"
    FORCED = "forced"


@dataclass(frozen=True, slots=True)
class Sighting:
    """Who was there when a step began: the members that it concerns (sorted), and the generation (None: not known)."""

    generation: int | None
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a journal: when, which step, what happened, by whom, in what words.

    `directory`, on `host`: where a process ID was about to be written, or may have been; None where it surely was not. `seen`: what
    was there when the step began.
    """

    at: str
    step: str
    event: Event
    by: str
    detail: str
    directory: str | None = None
    host: str | None = None
    seen: Sighting | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """All that happened to a plan, in order."""

    plan_id: str
    entries: tuple[Entry, ...] = ()

    def with_entry(self, entry: Entry) -> Self:
        return replace(self, entries=(*self.entries, entry))

    def has(self, step: str, event: Event) -> bool:
        return any(entry.step == step and entry.event is event for entry in self.entries)

    def begun_in(self, step: str) -> Entry | None:
        """The entry that names the one directory in which this step was begun, and may have been done; None: it is open which."""
        for entry in reversed(self.entries):
            if entry.event is Event.FORCED:
                return None
            if entry.step == step and entry.event in (Event.BEGUN, Event.STOPPED):
                return entry if entry.directory is not None else None
        return None

    def began_with(self, step: str) -> Sighting | None:
        """What was there when a step began; None: nobody kept that."""
        return next((entry.seen for entry in self.entries if entry.step == step and entry.seen is not None), None)

    def last_done_at(self) -> str | None:
        return next((entry.at for entry in reversed(self.entries) if entry.event is Event.DONE), None)


@dataclass(frozen=True, slots=True)
class Link:
    """An entry as it is kept: a file of its own, never changed, that names the digest of the one before."""

    plan_id: str
    number: int
    previous: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Head:
    """How long the journal is at least, and the digest of that entry: so that it cannot be cut."""

    plan_id: str
    entries: int
    last: str
