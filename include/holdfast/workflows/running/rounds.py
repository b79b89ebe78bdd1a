"""A run compares the group with the forecast after each batch of acts, and before the next one.

The forecast is that of the plan's events for the group as it was before them. A plan has all of that group only for some kinds; for
the others the run keeps it before it begins anything, `plans/<plan id>/basis.json`, and so it does after a divergence that a person
accepted. It is not signed: what is in it changes whether a run halts, no act.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.rollout.execution import rounds_words
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.rounds import Agrees, NotCompared, RoundCompared, not_compared
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.journal.started import Started
from holdfast.rollout.json.codec import COUNT, NAME, TEXT, Codec, as_it_is
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION, LARGEST_DOCUMENT, dumps, loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of, kind_of_both
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Writing

FILE = "basis.json"
REST = 10
"""While something is waited for, comparisons take at most one part of this many of the time."""
_ANYTHING: Codec[Any] = Codec(as_it_is, as_it_is, dict)


@record(version=FORMAT_VERSION)
class _Kept:
    """`after`: the wait after which the group was so; empty: before the first step. `entries`: of the journal then."""

    plan_id: str = member(NAME)
    after: str = member(TEXT)
    entries: int = member(COUNT)
    snapshot: Any = member(_ANYTHING)


@dataclass(frozen=True, slots=True)
class _Basis:
    after: str
    entries: int
    snapshot: AnySnapshot | None


@dataclass(frozen=True, slots=True)
class RoundSeen:
    """A comparison. `until`: the wait that it is about; `is_new`: it was not shown yet."""

    until: AnyStep
    compared: RoundCompared
    text: str
    is_new: bool

    def differs(self, *, act_is_next: bool) -> bool:
        """So that nothing else may be begun. A group that goes on rebalancing may heal; before an act it has had its time."""
        return self.compared.agrees is Agrees.DIFFERENT and (act_is_next or self.compared.settled is True)


class Rounds:
    """Of one run, or one turn of it. `shown`: a digest of the comparison that was shown last."""

    def __init__(self, plan: AnyPlan, writing: Writing, shown: int | None, elapsed: Callable[[], float]) -> None:
        self._plan, self._writing, self._kind, self._elapsed = plan, writing, kind_of(plan), elapsed
        self._known: _Basis | None = None
        self._not_before = elapsed()
        self._last: RoundSeen | None = None
        self.shown = shown

    def look(self, step: AnyStep, fresh: AnySnapshot, *, needed: bool) -> RoundSeen | None:
        """None: there is nothing to compare now. `step`: what is due. `needed`: something is begun next; else one that takes
        long is not made at every look."""
        self._last = None
        if not needed and self._elapsed() < self._not_before:
            return None
        self._keep(fresh)
        self._begin_anew(step, fresh)
        found = self._compare(step, fresh)
        if found is None:
            return None
        until, one = found
        text = f"After step {until.id}: {rounds_words.sentence(one)}"
        digest = zlib.crc32(text.encode())
        is_new, self.shown = digest != self.shown, digest
        self._last = RoundSeen(until, one, text, is_new)
        return self._last

    def started(self, step: AnyStep) -> tuple[Started, ...]:
        """For the journal, with the end of a wait: which clients have come, by the comparison at the last look."""
        return () if self._last is None or self._last.until.id != step.id else self._last.compared.started

    def _keep(self, fresh: AnySnapshot) -> None:
        """The group before the first step, where the plan does not have all of it."""
        if self._basis().snapshot is None and self._kind.at_rest(fresh) and not any(map(_acts, self._writing.journal.entries)):
            self._write("", fresh)

    def _compare(self, step: AnyStep, fresh: AnySnapshot) -> tuple[AnyStep, RoundCompared] | None:
        """With the wait that it is about. `step`: what is due. None: there is nothing to compare now."""
        until = self._until(step)
        if until is None or until.id == self._basis().after:
            return None
        basis = self._basis()
        if self._accepted(basis):
            return until, not_compared(NotCompared.ACCEPTED)
        if basis.snapshot is None:
            return until, not_compared(NotCompared.NO_BASIS)
        began = self._elapsed()
        found = self._compared(basis.snapshot, basis.after, until, fresh)
        self._not_before = self._elapsed() + REST * (self._elapsed() - began)
        return None if found is None else (until, found)

    def _compared(self, basis: AnySnapshot, after: str, until: AnyStep, fresh: AnySnapshot) -> RoundCompared | None:
        try:
            with self._writing.held.kept():
                return self._kind.compared(self._plan, self._writing.journal, basis, after, until, fresh)
        except HoldfastError as refusal:
            return not_compared(NotCompared.UNKNOWN, str(refusal))

    def _begin_anew(self, step: AnyStep, fresh: AnySnapshot) -> None:
        """After an accepted divergence, once the group is at rest: what follows is compared with the forecast from here on."""
        until = self._until(step)
        if until is not None and self._accepted(self._basis()) and self._kind.at_rest(fresh):
            self._write(until.id, fresh)

    def is_accepted_end(self, step: AnyStep, fresh: AnySnapshot) -> bool:
        """Whether the last wait is over although the plan's own end is not reached: it follows from an accepted divergence."""
        basis = self._basis()
        if not basis.after or step.id != self._plan.steps[-1].id or not self._kind.at_rest(fresh):
            return False
        found = self._compare(step, fresh)
        agrees = found is not None and found[1].agrees is Agrees.AS_FORECAST and found[1].round == found[1].rounds
        return agrees or basis.after == step.id

    def _until(self, step: AnyStep) -> AnyStep | None:
        """The wait whose batch is over when this step is due, or that is due. None: acts of this step have begun, or of one before
        that no wait follows."""
        if self._kind.waits(step):
            return step
        place = [one.id for one in self._plan.steps].index(step.id)
        before = self._plan.steps[place - 1] if place else None
        journal = self._writing.journal
        begun = journal.acts(step.id) or journal.has(step.id, JournalEvent.CONFIRMED)
        return before if before is not None and self._kind.waits(before) and not begun else None

    def _accepted(self, basis: _Basis) -> bool:
        later = self._writing.journal.entries[basis.entries :]
        return any(one.event is JournalEvent.ACCEPTED and one.halt is Halt.DIVERGENCE for one in later)

    def _basis(self) -> _Basis:
        if self._known is None:
            self._known = self._read() or _Basis("", 0, self._kind.basis(self._plan))
        return self._known

    def _read(self) -> _Basis | None:
        lake, place = self._writing.hands.lake, (plans.FOLDER, self._plan.plan_id, FILE)
        try:
            if not lake.exists(place):
                return None
            kept = codec_of(_Kept).read(loads(lake.read(place, LARGEST_DOCUMENT)))
            snapshot = any_document.snapshot_from_json(kept.snapshot)
            kind_of_both(self._plan, snapshot, "The kept group is of another kind than plan {} is for: {}")
        except HoldfastError:
            return None
        ours = (snapshot.cluster, snapshot.group_id) == (self._plan.basis.cluster, self._plan.basis.group_id)
        return _Basis(kept.after, kept.entries, snapshot) if ours and kept.plan_id == self._plan.plan_id else None

    def _write(self, after: str, fresh: AnySnapshot) -> None:
        entries = len(self._writing.journal.entries)
        kept = _Kept(self._plan.plan_id, after, entries, any_document.snapshot_to_json(fresh))
        self._writing.held.keep()
        place = (plans.FOLDER, self._plan.plan_id, FILE)
        self._writing.hands.lake.write(place, dumps(codec_of(_Kept).write(kept)).encode())
        self._known = _Basis(after, entries, fresh)


def _acts(entry: JournalEntry) -> bool:
    """Whether something was done by then, or may have been."""
    if entry.event is JournalEvent.BEGUN:
        return any(one is not None for one in (entry.acted, entry.directory, entry.configured))
    return entry.event in (JournalEvent.CONFIRMED, JournalEvent.DONE, JournalEvent.ACTED)
