"""An approval of a plan, and its append-only journal."""

from dataclasses import replace
from enum import StrEnum
from typing import Self

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.facts.differences import DIFFERENCES, Difference
from holdfast.rollout.journal.acted import Acted, Halt
from holdfast.rollout.journal.back import ClientConfigured, ClientSeen, ConfigHeld, HeldProcessId
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.journal.started import Started
from holdfast.rollout.json import contracts
from holdfast.rollout.json.codec import BOOLEAN, COUNT, INSTANT, NAME, TEXT, TEXTS, choice, integer, items, nullable
from holdfast.rollout.json.record import codec_of, member, record, spread
from holdfast.rollout.json.strict import FORMAT_VERSION

MOST_ENTRIES = 99_999
"""Of one plan's journal."""


class DecidedBy(StrEnum):
    """Whose decision it is. `TIME_OUT`: none was made in time; it is never an approval."""

    PERSON = "person"
    POLICY = "policy"
    TIME_OUT = "time-out"


def _is_an_approval(value: object) -> None:
    contracts.refuse_another(value, "Approval")


def _says_what_to_change(approval: "Approval") -> None:
    if approval.changes_requested and (approval.approved or not approval.reason.strip()):
        raise InvalidInput("a plan that is approved needs no changes, and a request for changes says which", "changes_requested")


@record(
    version=FORMAT_VERSION,
    also={"signature": SIGNATURE},
    first=_is_an_approval,
    check=_says_what_to_change,
    about="The answer to one plan, and to no other.",
)
class Approval:
    """The answer to one plan, and to no other. `at` is ISO 8601, UTC.

    `by_id`: the user's ID where they were logged in; `plan_fingerprint`: what was shown (`approval.fingerprint`); `asked_by`: who
    requested the plan, `approval.NOBODY` where no person did. None: not given. `changes_requested`: not approved, nor rejected: it
    goes back to the requester, and `reason` gives the requested changes.
    """

    plan_id: str = member(NAME)
    approved: bool = member(BOOLEAN)
    by: str = member(NAME)
    reason: str = member(TEXT)
    at: str = member(INSTANT)
    by_id: str | None = member(nullable(NAME), "The user's ID where they were logged in.", default=None)
    decided_by: DecidedBy = member(
        choice(DecidedBy),
        "A person, the policy, or the timeout of the request: never an approval then.",
        default=DecidedBy.PERSON,
    )
    plan_fingerprint: str | None = member(
        nullable(NAME), "`sha256:` and 64 digits of what was shown: it is approved, and no other.", default=None
    )
    asked_by: str | None = member(nullable(NAME), "The user who requested the plan, or `nobody`.", default=None)
    changes_requested: bool = member(
        BOOLEAN,
        "Neither approved nor rejected: it goes back, and the reason says what is to change.",
        default=False,
        omit=True,  # former versions read the other fields only
    )

    @property
    def says(self) -> str:
        """In two words at most."""
        return "approved" if self.approved else "changes requested" if self.changes_requested else "rejected"


class JournalEvent(StrEnum):
    """`BEGUN` is written before Holdfast acts; `CONFIRMED` is an operator's word; `DONE` closes a step; `STOPPED` is a refusal.

    `TAKEN_OVER`: the earlier run is gone, or did not renew in time; `FORCED`: an operator released the lease of the run. `ACTED`:
    what Holdfast began to do to a process is done; `GOES_ON`: the command for it was given, and is left to go on: it has not ended,
    or may not have; `NOT_GIVEN`: nothing of it has reached its host. `HALTED`: a run stopped before its next act;
    `ACCEPTED`: an operator goes on in spite of it; `ENDED`: an operator ends the run after a halt.

    `GOING_BACK`: an operator has the plan rolled back; the steps are not continued any more. From then on `UNDOING`, `UNDO_ACTED`,
    `UNDO_GOES_ON`, `UNDO_NOT_GIVEN` and `UNDO_CONFIRMED` are of the rollback of a step what `BEGUN`, `ACTED`, `GOES_ON`,
    `NOT_GIVEN` and `CONFIRMED` are of a step; `UNDONE` closes it, and `LEFT` where there was nothing to roll back, or nothing can.
    """

    BEGUN = "begun"
    CONFIRMED = "confirmed"
    DONE = "done"
    STOPPED = "stopped"
    TAKEN_OVER = "taken over"
    FORCED = "forced"
    ACTED = "acted"
    GOES_ON = "goes on"
    NOT_GIVEN = "not given"
    HALTED = "halted"
    ACCEPTED = "accepted"
    ENDED = "ended"
    GOING_BACK = "going back"
    UNDOING = "rolling back"
    UNDO_ACTED = "rollback acted"
    UNDO_GOES_ON = "rollback goes on"
    UNDO_NOT_GIVEN = "rollback not given"
    UNDO_CONFIRMED = "rollback confirmed"
    UNDONE = "rolled back"
    LEFT = "left as it is"


UNDO_OF = {
    JournalEvent.BEGUN: JournalEvent.UNDOING,
    JournalEvent.ACTED: JournalEvent.UNDO_ACTED,
    JournalEvent.GOES_ON: JournalEvent.UNDO_GOES_ON,
    JournalEvent.NOT_GIVEN: JournalEvent.UNDO_NOT_GIVEN,
    JournalEvent.CONFIRMED: JournalEvent.UNDO_CONFIRMED,
}
_OF_STEP = {undo: event for event, undo in UNDO_OF.items()} | {
    JournalEvent.UNDONE: JournalEvent.DONE,
    JournalEvent.LEFT: JournalEvent.DONE,
}


@record
class Sighting:
    """Who was there when a step began, or is listed although its process has ended: the members that it concerns (sorted), and the
    generation (None: unknown)."""

    generation: int | None = member(nullable(integer(0, java.INT_MAX)))
    members: tuple[str, ...] = member(TEXTS)


def _without_directory(entry: "JournalEntry") -> bool:
    return entry.directory is None


@record
class JournalEntry:
    """One entry of a journal: when, which step, what happened, by whom, in what words.

    `directory`, on `host`: where a process ID was about to be written, or may have been; None where it surely was not. `seen`: who
    was there when the step began; with `CONFIRMED`, who of those that were stopped is listed still. `before`: what the directory
    held, `configs`: the group's own configs before they were set; `configured`: a client whose settings are written (`begun`), or
    have been (`acted`); `clients`: who was in the group when going back began. `pause`: a digest of the pause that a run stopped
    for. `started`: with `DONE` of a wait, the clients that had come by then, where a run found the group as forecast.
    """

    at: str = member(INSTANT)
    step: str = member(NAME)
    event: JournalEvent = member(choice(JournalEvent))
    by: str = member(NAME)
    detail: str = member(TEXT)
    directory: str | None = member(
        nullable(TEXT), "Where a process ID was about to be written, or may have been.", default=None, omit=True
    )
    host: str | None = member(nullable(TEXT), "The machine that this directory is on.", default=None, omit=_without_directory)
    seen: Sighting | None = member(
        nullable(codec_of(Sighting)),
        "Who was there when the step began: a restart is over when none of them is any more. With `confirmed`: who was stopped, and"
        " is listed until the session times out.",
        default=None,
        omit=True,
    )
    acted: Acted | None = member(
        nullable(codec_of(Acted)),
        "What Holdfast does to a client's process, and who that was before or after.",
        default=None,
        omit=True,
    )
    halt: Halt | None = member(
        nullable(choice(Halt)), "Why a run stopped; with `accepted`, what was accepted.", default=None, omit=True
    )
    rebalances: int | None = member(
        nullable(COUNT), "Completed rebalances since the plan's snapshot when a run stopped.", default=None, omit=True
    )
    before: HeldProcessId | None = member(
        nullable(codec_of(HeldProcessId)), "The process ID that the directory held before.", default=None, omit=True
    )
    configs: tuple[ConfigHeld, ...] | None = member(
        nullable(items(codec_of(ConfigHeld))), "The configs of the group before a step set them.", default=None, omit=True
    )
    configured: ClientConfigured | None = member(
        nullable(codec_of(ClientConfigured)),
        "The client whose settings Holdfast writes, and what they were before.",
        default=None,
        omit=True,
    )
    clients: tuple[ClientSeen, ...] | None = member(
        nullable(items(codec_of(ClientSeen))),
        "The clients of the group when going back began; null: the group was rebalancing.",
        default=None,
        omit=True,
    )
    differences: tuple[Difference, ...] = member(
        DIFFERENCES, "Where the group is not as in the forecast when a run stopped.", default=(), omit=True
    )
    pause: str | None = member(
        nullable(NAME), "The digest of the pause that a run stopped for (`sha256:` and 64 digits).", default=None, omit=True
    )
    started: tuple[Started, ...] = member(
        items(codec_of(Started)),
        "With `done` of a wait: which members the clients are that steps started, where the group is as forecast with them.",
        default=(),
        omit=True,
    )


@record(version=FORMAT_VERSION, about="What happened to a plan, in order. In the lake each entry is a file of its own.")
class Journal:
    """All that happened to a plan, in order."""

    plan_id: str = member(NAME)
    entries: tuple[JournalEntry, ...] = member(items(codec_of(JournalEntry)), default=(), needed=True)

    def with_entry(self, entry: JournalEntry) -> Self:
        return replace(self, entries=(*self.entries, entry))

    def has(self, step: str, event: JournalEvent) -> bool:
        return any(entry.step == step and entry.event is event for entry in self.entries)

    def begun_in(self, step: str) -> JournalEntry | None:
        """The entry that names the one directory in which this step was begun, and may have been done; None: it is open which."""
        for entry in reversed(self.entries):
            if entry.event is JournalEvent.FORCED:
                return None
            if entry.step == step and entry.event in (JournalEvent.BEGUN, JournalEvent.STOPPED):
                return entry if entry.directory is not None else None
        return None

    def last_word_on(self, step: str) -> JournalEntry | None:
        """The entry that says how far a step came: begun, confirmed or done; None: it was not begun, or surely not done."""
        events = (JournalEvent.BEGUN, JournalEvent.CONFIRMED, JournalEvent.DONE, JournalEvent.STOPPED)
        entry = next((one for one in reversed(self.entries) if one.step == step and one.event in events), None)
        stopped = entry is not None and entry.event is JournalEvent.STOPPED and entry.directory is None
        return None if stopped else entry

    def began_with(self, step: str) -> Sighting | None:
        """The group when a step began, as late as it was kept; None: not kept."""
        begun = (one.seen for one in reversed(self.entries) if one.step == step and one.event is JournalEvent.BEGUN)
        return next((seen for seen in begun if seen is not None), None)

    def ended(self) -> frozenset[str]:
        """The members whose processes were seen to have ended, and that the group listed still."""
        seen = (one.seen for one in self.entries if one.event is JournalEvent.CONFIRMED and one.seen is not None)
        return frozenset(member for one in seen for member in one.members)

    def acts(self, step: str) -> tuple["JournalEntry", ...]:
        """The entries about processes in this step, in order."""
        return tuple(entry for entry in self.entries if entry.step == step and entry.acted is not None)

    def configured(self, step: str, client: str) -> tuple["JournalEntry", ...]:
        """The entries about the settings of a client in this step, in order."""
        mine = (one for one in self.entries if one.step == step and one.configured is not None)
        return tuple(one for one in mine if one.configured is not None and one.configured.client == client)

    def started(self) -> tuple[Started, ...]:
        """The clients that steps have started, the last word on each step."""
        found = {one.step: one for entry in self.forward().entries for one in entry.started}
        return tuple(found.values())

    def last_halt(self) -> "JournalEntry | None":
        """Where the last run stopped. None: none did, or it has gone on since."""
        ends = (
            JournalEvent.HALTED,
            JournalEvent.ACCEPTED,
            JournalEvent.DONE,
            JournalEvent.GOING_BACK,
            JournalEvent.UNDO_CONFIRMED,
            JournalEvent.UNDONE,
            JournalEvent.LEFT,
        )
        last = next((one for one in reversed(self.entries) if one.event in ends), None)
        return last if last is not None and last.event is JournalEvent.HALTED else None

    def open_halt(self) -> "tuple[int, JournalEntry] | None":
        """The halt without an answer, and its number in the journal. None: there is none, or a run has gone on since."""
        numbered = reversed(tuple(enumerate(self.entries, start=1)))
        last = next((one for one in numbered if one[1].event not in (JournalEvent.TAKEN_OVER, JournalEvent.FORCED)), None)
        return last if last is not None and last[1].event is JournalEvent.HALTED else None

    def accepted_rebalances(self) -> int:
        """The most rebalances that an operator has accepted; 0: none."""
        return max((one.rebalances or 0 for one in self.entries if one.event is JournalEvent.ACCEPTED), default=0)

    def went_back(self) -> JournalEntry | None:
        """Since when the plan is rolled back, by whose decision. None: it is not."""
        return next((one for one in self.entries if one.event is JournalEvent.GOING_BACK), None)

    def forward(self) -> Self:
        """What happened until it was rolled back."""
        turn = next((number for number, one in enumerate(self.entries) if one.event is JournalEvent.GOING_BACK), len(self.entries))
        return replace(self, entries=self.entries[:turn])

    def back(self) -> Self:
        """What happened since, with the events of rollbacks as those of steps."""
        since = self.entries[len(self.forward().entries) :]
        return replace(self, entries=tuple(replace(one, event=_OF_STEP.get(one.event, one.event)) for one in since))

    def is_rolled_back(self) -> bool:
        """Whether every step that was done, or may have been, is rolled back."""
        forward, back = self.forward(), self.back()
        done = [step for step in {one.step for one in forward.entries} if forward.last_word_on(step) is not None]
        return self.went_back() is not None and all(back.has(step, JournalEvent.DONE) for step in done)

    def last_done_at(self) -> str | None:
        return next((entry.at for entry in reversed(self.entries) if entry.event is JournalEvent.DONE), None)


@record(version=FORMAT_VERSION, also={"signature": SIGNATURE})
class Link:
    """A stored entry: a file of its own, never changed, that names the digest of the one before. `lease`: the number of the group's
    lease under which it was added; 0: not kept."""

    plan_id: str = member(NAME)
    number: int = member(integer(1, MOST_ENTRIES))
    previous: str = member(NAME)
    entry: JournalEntry = spread(codec_of(JournalEntry))
    lease: int = member(COUNT, default=0)


@record(version=FORMAT_VERSION, also={"signature": SIGNATURE})
class Head:
    """How long the journal is at least, and the digest of that entry: so that it cannot be cut."""

    plan_id: str = member(NAME)
    entries: int = member(integer(0, MOST_ENTRIES))
    last: str = member(TEXT)
