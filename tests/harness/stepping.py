"""Plans carried out and rolled back in a model: clients that run, and the process IDs that directories hold."""

from dataclasses import dataclass, field, replace

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.execution.next_actions import AnyStep
from holdfast.rollout.execution.undo import Nature, Undo, WhyLeft, remaining, undos
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.acted import Acted, ClientProcess, Does, ProcessState
from holdfast.rollout.journal.back import HeldProcessId
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.kinds.registry import kind_of

AT = "2026-11-20T12:00:00Z"
RUNS, DOWN = ClientProcess(ProcessState.RUNNING, "one"), ClientProcess(ProcessState.STOPPED)


@dataclass
class Model:
    """`running`: client and host. `files`: by directory; None: there is none."""

    running: set[tuple[str, str | None]] = field(default_factory=set)
    files: dict[str, ProcessId | None] = field(default_factory=dict)

    def perform(self, act: Act) -> None:
        who = (act.kept_as, act.host)
        if act.does is Does.STOP:
            self.running.discard(who)
        else:
            self.running.add(who)


def before(plan: AnyPlan) -> Model:
    """Who runs before the plan: all that it stops or restarts, and does not start before."""
    kind, found, started = kind_of(plan), Model(), set()
    for step in plan.steps:
        acts = kind.acts(plan, step)
        for act in () if acts is None else acts.acts:
            who = (act.kept_as, act.host)
            if act.does is Does.START:
                started.add(who)
            elif who not in started:
                found.running.add(who)
    return found


def directory(step: AnyStep) -> str:
    return f"/state/{step.id}"


def done(plan: AnyPlan, steps: int, model: Model) -> Journal:
    """The journal of a run that carried out the first steps; what no run does, a person did and confirmed."""
    kind, entries = kind_of(plan), []
    for step in plan.steps[:steps]:
        how, acts = kind.rollback(plan, step), kind.acts(plan, step)
        if how.nature is Nature.FILE:
            assert isinstance(how.file, WriteProcessMetadata)
            place = directory(step)
            held = model.files.setdefault(place, None)
            entries.append(replace(_entry(step, JournalEvent.BEGUN), directory=place, before=HeldProcessId(held)))
            model.files[place] = how.file.process_id
        elif acts is None and not kind.waits(step):
            entries.append(_entry(step, JournalEvent.CONFIRMED))
        for act in () if acts is None else acts.acts:
            first, last = (DOWN, RUNS) if act.does is Does.START else (RUNS, RUNS if act.does is Does.RESTART else DOWN)
            entries.append(replace(_entry(step, JournalEvent.BEGUN), acted=Acted(act.does, act.kept_as, first)))
            entries.append(replace(_entry(step, JournalEvent.ACTED), acted=Acted(act.does, act.kept_as, last)))
            model.perform(act)
        entries.append(_entry(step, JournalEvent.DONE))
    return Journal(plan.plan_id, tuple(entries))


def all_undos(plan: AnyPlan, journal: Journal) -> tuple[Undo, ...]:
    kind = kind_of(plan)
    return undos(plan.steps, journal, lambda step: kind.rollback(plan, step), lambda step: kind.acts(plan, step))


def rolled_back(plan: AnyPlan, journal: Journal, model: Model) -> Journal:
    """One rollback after the other, each from the journal so far."""
    journal = journal.with_entry(_entry(plan.steps[0], JournalEvent.GOING_BACK))
    while left := remaining(all_undos(plan, journal), journal):
        undo = left[0]
        for act in undo.acts:
            model.perform(act)
        if undo.file is not None:
            assert model.files[undo.file.directory] == undo.file.written
            model.files[undo.file.directory] = undo.file.was
        event = JournalEvent.UNDONE if undo.left is None else JournalEvent.LEFT
        journal = journal.with_entry(_entry(undo.step, event))
    return journal


def own_ids(plan: AnyPlan, journal: Journal) -> list[str]:
    return [one.step.id for one in all_undos(plan, journal) if one.left is WhyLeft.OWN_ID]


def _entry(step: AnyStep, event: JournalEvent) -> JournalEntry:
    return JournalEntry(AT, step.id, event, "holdfast", "")
