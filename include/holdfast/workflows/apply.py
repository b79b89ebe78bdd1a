"""Apply the steps of an approved plan that can be applied now: journal, act, check, repeat.

The journal is written before Holdfast acts, and after. What an operator must do is waited for, one call at a time; calling again
with a fresh snapshot, after a crash or after a coffee, goes on where it stopped.

One at a time holds the lease of the plan's group. Before a process ID is written, the journal names the one directory that it is
for: a run that continues later, after a crash or because a lease ran out, writes into that one or not at all.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from holdfast.errors import HoldfastError, InvalidInput, StepRefused
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import Lake, ProcessMetadataFiles
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.disks import process_metadata
from holdfast.rollout.execution.next_actions import AnyStep, Begin, Do, Done, Next, NothingLeft, Stop, WaitForOutside
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal import back as journal_back
from holdfast.rollout.journal.journal import Approval, Journal, JournalEntry, JournalEvent, Sighting
from holdfast.rollout.journal.lease import Lease, LeaseOwner
from holdfast.rollout.journal.seal import NO_KEYS, SigningKeys
from holdfast.rollout.json import instants, strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds.approval import refuse_unapproved
from holdfast.rollout.kinds.freshness import refuse_old
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of, kind_of_both
from holdfast.rollout.text.format import many, printable
from holdfast.workflows import journals, other_plans, seed_places
from holdfast.workflows import plan as plans
from holdfast.workflows.journals import Kept
from holdfast.workflows.leases import HeldLease, Leases
from holdfast.workflows.verify import of_another_kind

HOLDFAST = "holdfast"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """An operator's word that a step is done."""

    step: str
    by: str
    detail: str


@dataclass(frozen=True, slots=True)
class Applied:
    """How far a plan is. `waiting_for` None: it is done. `signed`: what the journal's signatures say."""

    plan: AnyPlan
    approval: Approval
    journal: Journal
    waiting_for: WaitForOutside | None
    signed: str = "not signed"


@dataclass(frozen=True, slots=True)
class Hands:
    """What apply acts with: the lake for the journal, the files, the configured directories, and the clock.

    `keys` sign what is written. `me` holds the lease; `has_ended`: whether the process of another owner is surely gone. `force`:
    take the lease from its holder, and let a step be done elsewhere than where it was begun; once a run, whose later
    attempts have what the first one took. `same_run`: a lease that this run holds already is this call's: its earlier turns and
    attempts have ended, or lose it.
    """

    lake: Lake
    files: ProcessMetadataFiles
    state_dirs: Mapping[ProcessId, str]
    now: Callable[[], datetime]
    keys: SigningKeys = NO_KEYS
    me: LeaseOwner = field(default_factory=lambda: LeaseOwner(HOLDFAST))
    has_ended: Callable[[LeaseOwner], bool] = lambda _: False
    force: bool = False
    same_run: bool = False

    def host_of(self, directory: str) -> str | None:
        """Where a path is on: this host; None: a URL names the host itself."""
        return other_plans.host_of(directory, self.me.host)

    def entry(self, step: AnyStep, event: JournalEvent, detail: str, by: str = HOLDFAST) -> JournalEntry:
        at = instants.to_second(self.now())
        return JournalEntry(at, step.id, event, by, detail)

    def leases(self, plan: AnyPlan) -> Leases:
        group = (plan.basis.cluster, plan.basis.group_id)
        return Leases(self.lake, plan.plan_id, group, self.keys, self.me, self.has_ended, self.now)


@dataclass
class Writing:
    """The journal while the lease is held: nothing is added to it, and nothing done, without. `stays`: it is not released at the
    end."""

    hands: Hands
    held: HeldLease
    kept: Kept
    stays: bool = False

    @property
    def journal(self) -> Journal:
        return self.kept.journal

    def add(self, entry: JournalEntry) -> None:
        """Raise StatePathTrouble where the lease is lost, or another run added an entry."""
        self.held.keep()
        self.kept = journals.append(self.hands.lake, self.kept, entry, self.hands.keys, self.held.number)

    def begin(self, step: AnyStep, seen: Sighting) -> None:
        entry = self.hands.entry(step, JournalEvent.BEGUN, f"{many(len(seen.members), 'member')} seen that it is about")
        self.add(replace(entry, seen=seen))


def apply(
    plan: AnyPlan,
    fresh: AnySnapshot,
    approval: Approval,
    confirmations: tuple[Confirmation, ...],
    hands: Hands,
    *,
    approved_here: bool = False,
) -> Applied:
    """Continue the plan until it is done or someone else must act. Store the checklist.

    `approved_here`: the approval is given together with the snapshot (`freshness`).

    Raise StalePlan where the group is another than planned for, StepRefused where the next step would do harm, the plan was not
    approved, the snapshot is not current, or the stored plan is not what this deployment signed. StatePathTrouble while another run
    else applies it. Nothing is done then.
    """
    refuse_secrets(confirmations, hands)
    journal = begin(plan, fresh, approval, hands, approved_here=approved_here)
    next_of(plan, journal, fresh, hands.now())
    keep_plan_and_approval(plan, approval, hands)
    with under_lease(plan, hands) as writing:
        _confirmed(plan, confirmations, writing)
        waiting = _as_far_as_it_goes(plan, fresh, writing)
        return keep_checklist(plan, approval, writing, waiting)


def begin(
    plan: AnyPlan, fresh: AnySnapshot | None, approval: Approval, hands: Hands, *, approved_here: bool = False, back: bool = False
) -> Journal:
    """The journal, where the plan may be applied; raise as `apply`. `fresh` None: it was seen to be current, and goes on. `back`:
    it is rolled back."""
    plans.refuse_secrets_in(approval)
    refuse_unapproved(plan, approval)
    if fresh is not None:
        refuse_old(plan, fresh, approval, hands.now(), approved_here=approved_here)
    plans.refuse_broken(hands.lake, plan.plan_id)
    kept = journals.read(hands.lake, plan.plan_id, hands.keys)
    journals.refuse_broken(kept, hands.keys)
    turned = kept.journal.went_back()
    if turned is not None and not back:
        raise StepRefused(
            f"Plan {plan.plan_id} is being rolled back since {turned.at} (by {printable(turned.by, 200)}): its steps are not"
            " continued. Finish going back (holdfast apply --run --back; Roll back in the form of apply_rollout), then create a new"
            " plan."
        )
    return kept.journal


def keep_checklist(plan: AnyPlan, approval: Approval, writing: Writing, waiting: WaitForOutside | None) -> Applied:
    applied = Applied(plan, approval, writing.journal, waiting, writing.kept.standing)
    content = dumps(applied_to_json(applied), indent=2)
    writing.hands.lake.write((plans.FOLDER, plan.plan_id, "checklist.json"), content.encode())
    return applied


def keep_checklist_so_far(plan: AnyPlan, approval: Approval, writing: Writing) -> None:
    """In the middle of a run: it goes on by itself, and if it is killed, the checklist has the steps that are done."""
    step = due(plan, writing.journal)
    if step is not None:
        keep_checklist(plan, approval, writing, WaitForOutside(step, IN_A_RUN, can_confirm=False))


IN_A_RUN = "A run of the plan continues here."


def refuse_secrets(confirmations: tuple[Confirmation, ...], hands: Hands) -> None:
    """What people type goes into the journal and the lease. Raise InvalidInput."""
    typed = {
        "confirmed": [[word.step, word.by, word.detail] for word in confirmations],
        "directories": [*seed_places.as_given(hands.state_dirs)],
        "run ID": hands.me.run,
    }
    strict.refuse_secrets(typed)


@contextmanager
def under_lease(plan: AnyPlan, hands: Hands, *, goes_on: bool = False) -> Iterator[Writing]:
    """The journal, under the lease. It begins with the end of the previous lease. `goes_on`: that was this run's, by intention."""
    leases = hands.leases(plan)
    owns = hands.force and leases.was_forced_by_this_run()
    forcing = hands.force and not owns and not goes_on
    forced = leases.force() if forcing else None
    held = leases.take(forced=hands.force, same_run=hands.same_run)
    writing: Writing | None = None
    try:
        kept = journals.read(hands.lake, plan.plan_id, hands.keys)
        journals.refuse_broken(kept, hands.keys)
        if kept.head_is_behind:
            kept = journals.write_head(hands.lake, kept, hands.keys)
        writing = Writing(hands, held, kept)
        step = due(plan, kept.journal)
        if forcing and step is not None:
            writing.add(hands.entry(step, JournalEvent.FORCED, _forced(forced, hands.me), hands.me.name))
        elif held.before is not None and step is not None and not (goes_on and leases.is_mine(held.before)):
            writing.add(hands.entry(step, JournalEvent.TAKEN_OVER, f"after {_named(held.before)}"))
        yield writing
    finally:
        if writing is None or not writing.stays:
            held.release()


def _forced(lease: Lease | None, by: LeaseOwner) -> str:
    run = f" in run {printable(by.run, 300)}" if by.run else ""
    return f"released by force{run}" + ("" if lease is None else f": it was held by {_named(lease)}")


def _named(lease: Lease) -> str:
    owner = lease.owner
    where = f" on {printable(owner.host, 200)}, process {owner.pid}" if owner.host else ""
    return f"{printable(owner.name, 200)}{where}, which held the lease from {lease.at} until {lease.until}"


def due(plan: AnyPlan, journal: Journal) -> AnyStep | None:
    return next((step for step in plan.steps if not journal.has(step.id, JournalEvent.DONE)), None)


def _as_far_as_it_goes(plan: AnyPlan, fresh: AnySnapshot, writing: Writing) -> WaitForOutside | None:
    hands = writing.hands
    for _ in range(2 * len(plan.steps) + 1):
        found = next_of(plan, writing.journal, fresh, hands.now())
        match found:
            case Done():
                return None
            case WaitForOutside():
                return found
            case Stop(step, reason):
                writing.add(hands.entry(step, JournalEvent.STOPPED, reason))
                raise StepRefused(f"Step {step.id} of plan {plan.plan_id} was not done. {reason}")
            case NothingLeft(step, evidence):
                writing.add(hands.entry(step, JournalEvent.DONE, evidence))
            case Begin(step, seen):
                writing.begin(step, seen)
            case Do(step, action):
                directory = hands.state_dirs.get(action.process_id)
                if directory is None:
                    return by_hand(step, action, plan.basis.group_id)
                write(step, action, directory, writing)
            case _:
                assert_never(found)
    raise AssertionError("every step is begun and done at most once")


def next_of(plan: AnyPlan, journal: Journal, fresh: AnySnapshot, now: datetime) -> Next:
    """What comes next, of a plan for whichever kind of group."""
    seen = move.seen_for(plan, fresh)
    return kind_of_both(plan, seen, of_another_kind(plan)).next_action(plan, journal, seen, now)


def write(step: AnyStep, action: WriteProcessMetadata, directory: str, writing: Writing) -> None:
    """Journal, write, look, journal. A crash in between leaves a step that is begun, in one directory, and can be done again."""
    hands = writing.hands
    begun = writing.journal.begun_in(step.id)
    if begun is None:
        _refuse_given_elsewhere(step, action, directory, writing)
        detail = f"writing process ID {action.process_id} into {directory}"
        entry = replace(hands.entry(step, JournalEvent.BEGUN, detail), directory=directory, host=hands.host_of(directory))
        writing.add(replace(entry, before=_held_before(directory, hands)))
    elif (str(begun.directory).rstrip("/"), begun.host) != (directory.rstrip("/"), hands.host_of(directory)):
        raise StepRefused(_begun_elsewhere(step, action, directory, begun, hands))
    writing.held.keep()
    try:
        hands.files.write(directory, action.process_id, action.replaces)
        found = hands.files.read(directory)
    except HoldfastError as refusal:
        stopped = hands.entry(step, JournalEvent.STOPPED, str(refusal))
        writing.add(
            stopped
            if _surely_not(action, directory, hands)
            else replace(stopped, directory=directory, host=hands.host_of(directory))
        )
        raise StepRefused(f"Step {step.id} was not done. {refusal}") from None
    if found != action.process_id:
        raise StepRefused(f"Step {step.id}: {directory} holds process ID {found} right after another was written.")
    writing.add(hands.entry(step, JournalEvent.DONE, f"{directory} holds process ID {found}"))


def _refuse_given_elsewhere(step: AnyStep, action: WriteProcessMetadata, directory: str, writing: Writing) -> None:
    """Raise StepRefused where another plan for the group gave the process ID to another directory, and is not done."""
    hands = writing.hands
    if hands.force:
        return
    elsewhere = other_plans.wrote_elsewhere(writing.held.leases, hands.files, action.process_id, directory, hands.keys)
    if elsewhere is not None:
        raise StepRefused(f"Step {step.id} was not done. {elsewhere}")


def _held_before(directory: str, hands: Hands) -> journal_back.HeldProcessId | None:
    """None: it cannot be read, and writing will say why."""
    try:
        return journal_back.HeldProcessId(hands.files.read(directory))
    except HoldfastError:
        return None


def _surely_not(action: WriteProcessMetadata, directory: str, hands: Hands) -> bool:
    """Whether a directory does not hold the process ID, after writing it there was refused."""
    try:
        return hands.files.read(directory) != action.process_id
    except HoldfastError:
        return False


def _begun_elsewhere(step: AnyStep, action: WriteProcessMetadata, directory: str, begun: JournalEntry, hands: Hands) -> str:
    on = f" on {printable(begun.host, 200)}" if begun.host else ""
    host = hands.host_of(directory)
    here = f" on {host}" if host and begun.host != host else ""
    return (
        f"Step {step.id} was begun at {begun.at} in {printable(str(begun.directory), 500)}{on}; whether it wrote process ID"
        f" {action.process_id} there is unknown. It was not written into {directory}{here} as well: Kafka takes two clients with"
        " one process ID for one. Check the first directory. If it holds the ID, continue with that directory, or confirm the step."
        " If it does not, and no other run will write it, release the lease by force (--force-lease) and give the new directory."
    )


def by_hand(step: AnyStep, action: WriteProcessMetadata, group_id: str) -> WaitForOutside:
    return WaitForOutside(
        step,
        f"No state directory is given for process ID {action.process_id}: give --state-dir-of {action.process_id}=DIRECTORY, or run"
        f" {process_metadata.by_hand(action.process_id, group_id)} and confirm step {step.id}. Before: {step.check_before}",
        can_confirm=True,
    )


def keep_plan_and_approval(plan: AnyPlan, approval: Approval, hands: Hands) -> None:
    if plan.plan_id not in plans.ids(hands.lake):
        plans.keep(hands.lake, plan, hands.keys)
    plans.keep_approval(hands.lake, approval, hands.keys)


def _confirmed(plan: AnyPlan, confirmations: tuple[Confirmation, ...], writing: Writing) -> None:
    """Add the operator's words. Only a step that is due can be confirmed, or one that is done already."""
    for word in confirmations:
        journal = writing.journal
        step = next((one for one in plan.steps if one.id == word.step), None)
        if step is None:
            raise InvalidInput(f"plan {plan.plan_id} has no step {word.step!r}; it has 1 to {len(plan.steps)}")
        if journal.has(step.id, JournalEvent.DONE) or journal.has(step.id, JournalEvent.CONFIRMED):
            continue
        remaining = (
            one for one in plan.steps if not (journal.has(one.id, JournalEvent.DONE) or journal.has(one.id, JournalEvent.CONFIRMED))
        )
        earlier = next(remaining, step)
        if earlier.id != step.id:
            raise InvalidInput(f"step {step.id} cannot be confirmed before step {earlier.id} is done")
        writing.add(writing.hands.entry(step, JournalEvent.CONFIRMED, word.detail, word.by))


def refuse_if_requested_too_early(applied: Applied, hands: Hands) -> None:
    """Raise StepRefused where a process ID was to be written (its directory was given) and its owner is still in the group."""
    if applied.waiting_for is not None:
        problem = kind_of(applied.plan).too_early(applied.plan, applied.waiting_for.step, hands.state_dirs)
        if problem is not None:
            raise StepRefused(problem)


def applied_to_json(applied: Applied) -> dict[str, object]:
    """The Journal document of the contract: entries, and the checklist of all steps with how far each is."""
    waiting = applied.waiting_for
    return codec_of(Journal).write(applied.journal) | {
        "approval": codec_of(Approval).write(applied.approval),
        "signed": applied.signed,
        "done": waiting is None and applied.journal.went_back() is None,
        "waiting_for": None
        if waiting is None
        else {"step": waiting.step.id, "needed": waiting.needed, "can_be_confirmed": waiting.can_confirm},
        "checklist": [
            {
                "step": step.id,
                "what": kind_of(applied.plan).step_text(step),
                "who": step.who.value,
                "done": applied.journal.has(step.id, JournalEvent.DONE),
                "check_before": step.check_before,
                "check_after": step.check_after,
                "undo": step.undo,
            }
            | ({"rolled_back": applied.journal.has(step.id, JournalEvent.UNDONE)} if applied.journal.went_back() else {})
            for step in applied.plan.steps
        ],
    }
