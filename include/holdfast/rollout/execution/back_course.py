"""Whether a group is what going back makes of it: compared with who was there when going back began, not with the forecast."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.execution.undo import Undo
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.back import ClientSeen
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent


@dataclass(frozen=True, slots=True)
class Strayed:
    """Clients that joined and left since going back began, and that no rollback explains."""

    joined: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MovedOn:
    """Other clients than the last run left the group with. `halted_at`: when it halted, with the clients that the group had then;
    None: those that the steps make of the plan's."""

    clients: Strayed
    halted_at: str | None


@dataclass(frozen=True, slots=True)
class BuiltUpon:
    """Another plan for the group, of which something was done later: first `step`, then (`at`). `going_back`: it is being rolled
    back, and is not done with that."""

    plan_id: str
    step: str
    at: str
    going_back: bool


class Open(StrEnum):
    """What a group does not show of a rollback yet."""

    MISSING = "missing"
    STILL_THERE = "still there"
    OLD_MEMBERS = "old members"


@dataclass(frozen=True, slots=True)
class Unsettled:
    """`name` None: a client without a lasting name."""

    what: Open
    name: str | None


@dataclass(frozen=True, slots=True)
class ClientsCompared:
    """The clients of a group after going back with those that the plan was made for. `renamed`: as many of them have other names,
    as consumers have that were started anew."""

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    renamed: bool

    @property
    def in_place(self) -> bool:
        return self.renamed or not (self.missing or self.extra)


@dataclass(frozen=True, slots=True)
class WentBack:
    """The end of going back: the clients, and all else in which the group differs from the plan's snapshot."""

    clients: ClientsCompared
    differs: Staleness


def strayed(undos: Iterable[Undo], journal: Journal, planned: Sequence[str], now: Sequence[ClientSeen]) -> Strayed | None:
    """`undos`: all of them. None: no client did, or who was there is unknown."""
    entries = (one for one in reversed(journal.back().entries) if one.event is not JournalEvent.HALTED)
    began = next((one.clients for one in entries if one.clients is not None), None)
    if began is None:
        return None
    named, unnamed = _touched(undos)
    then, here = {one.name for one in began}, {one.name for one in now}
    return _strayed(here - then - named - set(planned), then - here - named, unnamed)


def moved_on(
    undos: Iterable[Undo], journal: Journal, planned: Sequence[str], now: Sequence[ClientSeen], *, lasting: bool
) -> MovedOn | None:
    """Before going back begins. `undos`: all of them; `lasting`: clients of this kind of group keep their names over restarts, else
    they are counted. None: the group has the clients that the last run left it with, or more of the plan's."""
    halt = _halt(journal)
    named, unnamed = _touched(undos)
    then = set(planned) if halt is None or halt.clients is None else {one.name for one in halt.clients}
    here = {one.name for one in now}
    joined, left = here - then - named, then - here - named
    if lasting:  # what brings the group back to the plan's is no surprise: a person has put it right after the halt
        joined, left = joined - set(planned), left & set(planned)
    else:
        unnamed += min(len(joined), len(left))
    found = _strayed(joined, left, unnamed)
    return None if found is None else MovedOn(found, None if halt is None or halt.clients is None else halt.at)


_DID = (JournalEvent.BEGUN, JournalEvent.ACTED, JournalEvent.CONFIRMED, JournalEvent.DONE)


def _halt(journal: Journal) -> JournalEntry | None:
    """The halt after which nothing was done. None: something was."""
    last = next((one for one in reversed(journal.entries) if one.event is JournalEvent.HALTED or one.event in _DID), None)
    return last if last is not None and last.event is JournalEvent.HALTED else None


def _touched(undos: Iterable[Undo]) -> tuple[set[str], int]:
    """The clients that come or go by rollbacks, or did so by their steps: names, and how many have none."""
    named: set[str] = set()
    unnamed = 0
    for undo in undos:
        for name in (*undo.goes, *undo.returns):
            unnamed += name is None
            named |= set() if name is None else {name}
        unnamed += 0 if undo.goes or undo.returns else len(undo.acts)
        named |= {one.client.client for one in (undo.roll.clients() if undo.roll else ()) if one.acts}
    return named, unnamed


def _strayed(joined: set[str], left: set[str], unnamed: int) -> Strayed | None:
    found = Strayed(tuple(sorted(joined)) if len(joined) > unnamed else (), tuple(sorted(left)) if len(left) > unnamed else ())
    return found if found.joined or found.left else None


def unsettled(undone: Iterable[Undo], journal: Journal, now: Sequence[ClientSeen]) -> Unsettled | None:
    """What the group does not show of these. None: it shows all that can be seen."""
    back = journal.back()
    turn = journal.went_back()
    then = {one.name: one.members for one in (() if turn is None else turn.clients or ())}
    here = {one.name: one.members for one in now}
    came, went = 0, 0
    named: set[str] = set()
    undone = tuple(undone)
    returns = {name for undo in undone for name in undo.returns}
    for undo in undone:
        began = {one.acted.does for one in back.acts(undo.step.id) if one.event is JournalEvent.BEGUN and one.acted is not None}
        named |= {name for name in (*undo.goes, *undo.returns) if name is not None}
        came += sum(name is None for name in undo.returns) if Does.START in began else 0
        went += sum(name is None for name in undo.goes) if Does.STOP in began else 0
        for name in undo.returns:
            if name is not None and name not in here:
                return Unsettled(Open.MISSING, name)
            if name is not None and Does.START in began and set(here[name]) & set(then.get(name, ())):
                return Unsettled(Open.OLD_MEMBERS, name)
        for name in undo.goes:
            if name is not None and name in here and name not in returns:
                return Unsettled(Open.STILL_THERE, name)
    if turn is None or turn.clients is None:
        return None
    if len(then.keys() - here.keys() - named) < went:
        return Unsettled(Open.STILL_THERE, None)
    return Unsettled(Open.MISSING, None) if len(here.keys() - then.keys() - named) < came else None


def compared(planned: Sequence[str], now: Sequence[ClientSeen], *, lasting: bool) -> ClientsCompared:
    """`lasting`: clients of this kind of group keep their names over restarts."""
    here = {one.name for one in now}
    missing, extra = tuple(sorted(set(planned) - here)), tuple(sorted(here - set(planned)))
    return ClientsCompared(missing, extra, not lasting and len(missing) == len(extra))
