"""What was decided about a plan and what was done: an approval, and a journal that is only ever added to."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self


class Decider(StrEnum):
    """Whose decision it is. `TIME_OUT`: nobody's, in time; it is never an approval."""

    PERSON = "person"
    POLICY = "policy"
    TIME_OUT = "time-out"


@dataclass(frozen=True, slots=True)
class Approval:
    """The answer to one plan, and to no other. `at` is ISO 8601, UTC.

    `by_id`: the user's ID where they were logged in; `plan_fingerprint`: what was shown (`approval.fingerprint`); `asked_by`: who
    asked for the plan, `approval.NOBODY` where no person did. None: not said.
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


class Event(StrEnum):
    """`BEGUN` is written before Holdfast acts; `CONFIRMED` is an operator's word; `DONE` closes a step; `STOPPED` is a refusal."""

    BEGUN = "begun"
    CONFIRMED = "confirmed"
    DONE = "done"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal: when, which step, what happened, by whom, in what words."""

    at: str
    step: str
    event: Event
    by: str
    detail: str


@dataclass(frozen=True, slots=True)
class Journal:
    """All that happened to a plan, in order."""

    plan_id: str
    entries: tuple[Entry, ...] = ()

    def with_entry(self, entry: Entry) -> Self:
        return replace(self, entries=(*self.entries, entry))

    def has(self, step: str, event: Event) -> bool:
        return any(entry.step == step and entry.event is event for entry in self.entries)

    def last_done_at(self) -> str | None:
        return next((entry.at for entry in reversed(self.entries) if entry.event is Event.DONE), None)
