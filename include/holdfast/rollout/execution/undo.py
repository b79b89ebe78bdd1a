"""Going back: what is rolled back of a plan, in the reverse order in which it was done. A function of the plan and its journal.

Who did a thing rolls it back: Holdfast starts what it stopped, and stops what it started. What people did, and what no command of
Holdfast's can put back, is theirs, with the plan's own rollback.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import ActionName, WriteProcessMetadata
from holdfast.rollout.execution import rolling_settings
from holdfast.rollout.execution.acts import Act, Acts, GroupSetting
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.rolling_settings import Roll
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent


class Nature(StrEnum):
    """What going back means for a step. `NOTHING`: it only waits; `AS_BEFORE`: its client is as it was, once it runs; `LOST`: what
    it did cannot be rolled back."""

    NOTHING = "nothing"
    AS_BEFORE = "as before"
    PROCESSES = "processes"
    FILE = "file"
    CONFIGS = "configs"
    ROLL = "roll"
    PERSON = "person"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Rollback:
    """What a kind of group says of a step. `gone`: the names of clients that it takes from the group; `new`: of those that it
    brings; None: one without a lasting name. `file`, `configs`, `roll`: what it writes."""

    nature: Nature
    gone: tuple[str | None, ...] = ()
    new: tuple[str | None, ...] = ()
    file: WriteProcessMetadata | None = None
    configs: tuple[GroupSetting, ...] = ()
    roll: Roll | None = None


class WhyLeft(StrEnum):
    """Why nothing is done for a step. `WITH_OTHERS`: another step's rollback brings its own, as that step's restarts brought it."""

    WAIT = "wait"
    AS_BEFORE = "as before"
    LOST = "lost"
    OWN_ID = "own ID"
    WITH_OTHERS = "with others"


class Manual(StrEnum):
    """Why a person rolls a step back."""

    DONE_BY_PERSON = "done by a person"
    NOT_A_PROCESS = "not a process"
    FILE_UNKNOWN = "file unknown"
    CONFIGS_UNKNOWN = "configs unknown"


@dataclass(frozen=True, slots=True)
class PutBack:
    """A process-metadata file: `written` is in `directory` on `host`; `was` was there before, None: no file."""

    directory: str
    host: str | None
    written: ProcessId
    was: ProcessId | None


@dataclass(frozen=True, slots=True)
class PutConfigBack:
    """A config of the group: the step wrote `written`; `was`: the group's own value before; None, of both: the brokers' default."""

    key: str
    written: str | None
    was: str | None


@dataclass(frozen=True, slots=True)
class Undo:
    """The rollback of one step, in this order: `acts` on processes, which the policy allows by `actions`; a `file`; `configs` of
    the group; settings of clients and their restarts (`roll`); what is `manual`. `left`: nothing. `goes` and `returns`: clients
    that the group loses and gains by it, None: one without a lasting name.
    """

    step: AnyStep
    acts: tuple[Act, ...] = ()
    actions: tuple[ActionName, ...] = ()
    file: PutBack | None = None
    configs: tuple[PutConfigBack, ...] = ()
    roll: Roll | None = None
    manual: Manual | None = None
    left: WhyLeft | None = None
    goes: tuple[str | None, ...] = ()
    returns: tuple[str | None, ...] = ()


def undos(
    steps: Sequence[AnyStep],
    journal: Journal,
    rollback: Callable[[AnyStep], Rollback],
    acts: Callable[[AnyStep], Acts | None],
) -> tuple[Undo, ...]:
    """Of every step that was begun, the last one first, rolled back by now or not. `acts`: what Holdfast does of a step."""
    forward = journal.forward()
    found = (_undo(step, forward, rollback(step), acts(step)) for step in reversed(steps))
    return tuple(one for one in found if one is not None)


def remaining(found: Iterable[Undo], journal: Journal) -> tuple[Undo, ...]:
    """Those that are not rolled back yet."""
    back = journal.back()
    return tuple(one for one in found if not back.has(one.step.id, JournalEvent.DONE))


_BEGUN = (JournalEvent.BEGUN, JournalEvent.ACTED, JournalEvent.CONFIRMED, JournalEvent.DONE)


def _undo(step: AnyStep, forward: Journal, how: Rollback, acts: Acts | None) -> Undo | None:
    """None: it was not begun, or surely not done."""
    if how.nature is Nature.FILE:
        return _file(step, forward, how)
    entries = [one for one in forward.entries if one.step == step.id and one.event in _BEGUN]
    if not entries:
        return None
    match how.nature:
        case Nature.CONFIGS:
            return _configs(step, entries, how)
        case Nature.ROLL:
            return _rolled(step, forward, how)
        case Nature.NOTHING:
            return Undo(step, left=WhyLeft.WAIT)
        case Nature.LOST:
            return Undo(step, left=WhyLeft.LOST)
        case Nature.PERSON:
            return Undo(step, manual=Manual.NOT_A_PROCESS)
        case Nature.AS_BEFORE | Nature.PROCESSES:
            return _processes(step, entries, how, acts)


def _file(step: AnyStep, forward: Journal, how: Rollback) -> Undo | None:
    assert how.file is not None, "a step that writes says what"
    if forward.last_word_on(step.id) is None:
        return None
    mine = [one for one in forward.entries if one.step == step.id and one.directory is not None]
    if not mine:
        return Undo(step, manual=Manual.DONE_BY_PERSON)
    begun = forward.begun_in(step.id)
    found = next((one for one in reversed(mine) if one.before is not None), None)
    if begun is None or begun.directory is None or found is None or found.before is None or found.directory != begun.directory:
        return Undo(step, manual=Manual.FILE_UNKNOWN)
    written, was = how.file.process_id, found.before.process_id
    if was == written:
        return Undo(step, left=WhyLeft.OWN_ID)
    put_back = PutBack(begun.directory, begun.host, written, was)
    return Undo(step, actions=(ActionName.WRITE_PROCESS_METADATA,), file=put_back)


def _configs(step: AnyStep, entries: Sequence[JournalEntry], how: Rollback) -> Undo:
    found = next((one.configs for one in reversed(entries) if one.configs is not None), None)
    if found is None:
        return Undo(step, manual=Manual.CONFIGS_UNKNOWN)
    was = {one.key: one.value for one in found}
    if set(was) != {one.key for one in how.configs}:
        return Undo(step, manual=Manual.CONFIGS_UNKNOWN)
    put_back = tuple(PutConfigBack(one.key, one.after, was[one.key]) for one in how.configs)
    return Undo(step, actions=(ActionName.SET_CONFIG,), configs=put_back)


def _rolled(step: AnyStep, forward: Journal, how: Rollback) -> Undo:
    """Holdfast rolls back what it did; the rest, which a person has confirmed as done, is a person's."""
    assert how.roll is not None, "a step that gives clients settings says which"
    first = how.roll.first
    if not any(rolling_settings.has_begun(first, one, forward) for one in how.roll.clients()):
        return Undo(step, manual=Manual.NOT_A_PROCESS)
    if step.id != first:
        return Undo(step, left=WhyLeft.WITH_OTHERS)
    said = forward.has(first, JournalEvent.CONFIRMED) and not how.roll.is_done(forward)
    back = rolling_settings.back(how.roll, forward)
    manual = Manual.DONE_BY_PERSON if said else None
    if not back.batches:
        return Undo(step, left=None if said else WhyLeft.AS_BEFORE, manual=manual)
    return Undo(step, actions=back.actions, roll=back, manual=manual)


_OPPOSITE = {Does.STOP: Does.START, Does.START: Does.STOP}
_NAMES = {Does.STOP: ActionName.STOP_CLIENT, Does.START: ActionName.START_CLIENT}


def _processes(step: AnyStep, entries: Sequence[JournalEntry], how: Rollback, acts: Acts | None) -> Undo:
    """What Holdfast began is turned round; a restart that was not seen to end is brought to its end."""
    found: list[Act] = []
    actions: list[ActionName] = []
    goes: tuple[str | None, ...] = ()
    returns: tuple[str | None, ...] = ()
    turns = how.nature is Nature.PROCESSES
    by_person = turns and acts is None
    for act in reversed(() if acts is None else acts.acts):
        mine = {one.event for one in entries if one.acted and (one.acted.does, one.acted.client) == (act.does, act.kept_as)}
        if act.does is Does.RESTART:
            if JournalEvent.BEGUN in mine and JournalEvent.ACTED not in mine:
                found.append(replace(act, does=Does.START))
                actions.append(ActionName.RESTART_CLIENT)
        elif turns and JournalEvent.BEGUN in mine:
            found.append(replace(act, does=_OPPOSITE[act.does]))
            actions.append(_NAMES[_OPPOSITE[act.does]])
            goes, returns = (goes, how.gone) if act.does is Does.STOP else (how.new, returns)
        elif turns:
            by_person = by_person or JournalEvent.ACTED in mine or any(one.event in _SAID for one in entries)
    if not found and not by_person:
        return Undo(step, left=WhyLeft.AS_BEFORE)
    manual = Manual.DONE_BY_PERSON if by_person else None
    if by_person:
        goes, returns = how.new, how.gone
    return Undo(step, tuple(found), tuple(actions), manual=manual, goes=goes, returns=returns)


_SAID = (JournalEvent.CONFIRMED, JournalEvent.DONE)
