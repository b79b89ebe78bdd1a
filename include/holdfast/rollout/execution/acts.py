"""Acts on clients' processes, and what comes next of one: a function of what its journal has and what its host shows now.

The journal has the identity of the process before the act. After a crash at any moment the identity now decides: another one, and
running: a restart was done; the same: it was not. Nothing is concluded while a command may still be running on the host.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.journal.acted import ClientProcess, Does, Halt, ProcessState
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent

_ROUNDED_S = 1.0
"""Of the time between two entries, whose times are whole seconds."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a step. `client`: as the plan names it, empty for one that has no name before it starts; `names`: by which else
    it may be known (`group.instance.id`, client ID). `called`: the plan and the step, in a run of them: the same in every run, and
    of no other step. `moves`: the client of that name was on another host until this plan. `number`: where the plan's journal has
    the newest begin of it that has no end; of settings: how long the journal is. 0: it was not begun, or is not of a run."""

    does: Does
    client: str
    host: str | None
    names: tuple[str, ...] = ()
    called: str = ""
    moves: bool = False
    number: int = 0

    @property
    def listed_as(self) -> tuple[str, ...]:
        """By what it may be listed where commands are, the best first. One that moves only by its host: its name is listed with
        the host that it comes from."""
        host = (self.host or "").removeprefix("/")
        return tuple(name for name in ((host,) if self.moves else (self.client, *self.names, host)) if name)

    @property
    def shown(self) -> str:
        """For people."""
        return " on ".join(part for part in (self.client, self.host) if part) or "a new client"

    @property
    def kept_as(self) -> str:
        """What the journal calls the client."""
        return self.client or self.host or ""


@dataclass(frozen=True, slots=True)
class Acts:
    """What Holdfast would do for a step, in order. `actions`: what the policy must allow for it."""

    actions: tuple[ActionName, ...]
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class GroupSetting:
    """A config of a group, as text: what it is before an act, its own or the brokers', and after it; None: not set."""

    key: str
    before: str | None
    after: str | None


class Ask(StrEnum):
    """Why a person must look before anything else is done to a process."""

    NOT_RUNNING = "not running"
    NO_IDENTITY = "no identity"
    CAME_BACK = "came back"
    STILL_THE_SAME = "still the same"


@dataclass(frozen=True, slots=True)
class Begin:
    """Keep who it is, then perform. `does`: what remains to be done."""

    does: Does


@dataclass(frozen=True, slots=True)
class Perform:
    """The journal has who it was: do it, again after a crash."""

    does: Does


@dataclass(frozen=True, slots=True)
class Watch:
    """A command may still be running: look again."""


@dataclass(frozen=True, slots=True)
class Finished:
    """It is done."""


NextMove = Begin | Perform | Watch | Finished | Ask


@dataclass(frozen=True, slots=True)
class Waited:
    """For how many seconds a run has waited for a command of an earlier one, in all of its turns, and the time now. What it has
    counted is kept outside of the journal, so it counts no further than the times in the journal let it.
    """

    seconds: float
    now: datetime


def next_move(act: Act, entries: Sequence[JournalEntry], now: ClientProcess, *, may_be_running: bool, performed: bool) -> NextMove:
    """`entries`: those of the step about processes. `may_be_running`: a command that an earlier run began, or whose connection
    broke, may not have ended. `performed`: it was done, and what comes after `may_be_running` is its end."""
    mine = [one for one in entries if one.acted is not None and (one.acted.does, one.acted.client) == (act.does, act.kept_as)]
    if any(one.event is JournalEvent.ACTED for one in mine):
        return Finished()
    if now.state is ProcessState.CHANGING:
        return Watch()
    begun = next((one.acted.process for one in mine if one.event is JournalEvent.BEGUN and one.acted is not None), None)
    match act.does:
        case Does.STOP | Does.START:
            move = _towards(act.does, begun, now)
        case Does.RESTART:
            move = _restarted(begun, now)
    if not isinstance(move, Perform):
        return move
    if may_be_running:
        return Watch()
    return Ask.STILL_THE_SAME if performed else move


def may_run_s(act: Act, step: str, journal: Journal, limit_s: float, waited: Waited | None = None) -> float:
    """For how many seconds from now on the command of an act may still be running, where none takes longer than `limit_s`. 0: it
    was not begun, or the journal has its end or that of its run.
    """
    return _may_run_s(step, journal, limit_s, waited, _is_of(act))


def went_on(act: Act, step: str, journal: Journal) -> JournalEntry | None:
    """Since when a run knows that the command of an act was given, and not how it has ended. None: none does."""
    open_ = _open(step, journal, _is_of(act))
    return None if open_ is None else open_.went_on


def begun_at(act: Act, step: str, journal: Journal) -> int:
    """The number of the entry with which its command was begun, in the given journal. 0: none is open."""
    open_ = _open(step, journal, _is_of(act))
    return 0 if open_ is None else open_.number


def _is_of(act: Act) -> Callable[[JournalEntry], bool]:
    acted = (act.does, act.kept_as)
    return lambda one: one.acted is not None and (one.acted.does, one.acted.client) == acted


def may_write_s(client: Act, step: str, journal: Journal, limit_s: float, waited: Waited | None = None) -> float:
    """The same of what writes the settings of a client."""
    name = client.kept_as
    return _may_run_s(step, journal, limit_s, waited, lambda one: one.configured is not None and one.configured.client == name)


def _may_run_s(
    step: str, journal: Journal, limit_s: float, waited: Waited | None, is_of_it: Callable[[JournalEntry], bool]
) -> float:
    """A run that takes over looks on for that time. If it is killed meanwhile, the time between its takeover and the next one
    counts for the next one, but never more than half of `limit_s`: no clock that was set in between ends the wait by itself.
    """
    open_ = _open(step, journal, is_of_it)
    if open_ is None:
        return 0.0
    between = ((later - one).total_seconds() - _ROUNDED_S for one, later in pairwise(open_.taken_over))
    left_s = limit_s - sum(min(max(0.0, one), limit_s / 2) for one in between)
    return max(0.0, left_s - (0.0 if waited is None else _counted_s(waited, open_.since)))


@dataclass(frozen=True, slots=True)
class _Open:
    """A command without an end in the journal. `number`: of the entry that began it, 0: unknown; `since`: the newest entry that its
    time counts from; `went_on`: the one that says that it was given."""

    number: int
    since: datetime
    taken_over: tuple[datetime, ...] = ()
    went_on: JournalEntry | None = None

    def halted(self, why: Halt | None) -> "_Open | None":
        """A run that began it has seen its end, unless it has left it to go on; one that took over has not. A run
        that halts for the command itself has waited until it must have ended."""
        if self.went_on is not None:
            return None if why is Halt.COMMAND else self
        return self if self.taken_over else None


def _open(step: str, journal: Journal, is_of_it: Callable[[JournalEntry], bool]) -> _Open | None:
    found: _Open | None = None
    for number, entry in enumerate(journal.entries, start=1):
        if entry.event in (JournalEvent.TAKEN_OVER, JournalEvent.FORCED):
            if found is not None:
                since = datetime.fromisoformat(entry.at)
                found = replace(found, since=since, taken_over=(*found.taken_over, since))
        elif entry.event is JournalEvent.HALTED:
            found = None if found is None else found.halted(entry.halt)
        elif entry.step == step and is_of_it(entry):
            found = _begun(entry, number, found)
    return found


def _begun(entry: JournalEntry, number: int, before: _Open | None) -> _Open | None:
    match entry.event:
        case JournalEvent.BEGUN:
            return _Open(number, datetime.fromisoformat(entry.at))
        case JournalEvent.GOES_ON:
            return _Open(0 if before is None else before.number, datetime.fromisoformat(entry.at), went_on=entry)
        case _:
            return None


def _counted_s(waited: Waited, since: datetime) -> float:
    """A clock that was set back to before `since` says nothing: then what was counted has to do."""
    passed = (waited.now - since).total_seconds()
    return waited.seconds if passed < 0 else min(waited.seconds, max(0.0, passed - _ROUNDED_S))


def _towards(does: Does, begun: ClientProcess | None, now: ClientProcess) -> NextMove:
    if now.state is does.goal:
        return Finished()
    if begun is None:
        return Begin(does)
    if does is Does.STOP and begun.state is ProcessState.RUNNING and begun.identity != now.identity:
        return Ask.CAME_BACK
    return Perform(does)


def _restarted(begun: ClientProcess | None, now: ClientProcess) -> NextMove:
    if now.state is ProcessState.RUNNING and now.identity is None:
        return Ask.NO_IDENTITY
    if begun is None:
        return Begin(Does.RESTART) if now.state is ProcessState.RUNNING else Ask.NOT_RUNNING
    if now.state is ProcessState.STOPPED:
        return Perform(Does.START)
    return Perform(Does.RESTART) if now.identity == begun.identity else Finished()
