"""Carry out an approved plan as far as it goes now: journal, act, look, and again.

The journal is written before Holdfast acts, and after. What an operator must do is waited for, one call at a time; calling again
with a fresh snapshot, after a crash or after a coffee, goes on where it stopped.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import assert_never

from holdfast.errors import HoldfastError, InvalidInput, StepRefused
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import Lake, ProcessMetadataFiles
from holdfast.rollout import step_words
from holdfast.rollout.apply import AnyStep, Do, Done, Next, Note, Stop, Wait, next_action
from holdfast.rollout.approval import refuse_unapproved
from holdfast.rollout.codec import plan as codec_plan
from holdfast.rollout.codec.any_kind import AnyPlan, AnySnapshot
from holdfast.rollout.consumer import apply as consumer_apply
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.consumer.steps import ConsumerStep
from holdfast.rollout.consumer_snapshot import ConsumerSnapshot
from holdfast.rollout.journal import Approval, Entry, Event, Journal
from holdfast.rollout.steps import Step, StopClient, Who, WriteProcessMetadata
from holdfast.workflows import plan as plans
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
    """How far a plan is. `waiting_for` None: it is done."""

    plan: AnyPlan
    approval: Approval
    journal: Journal
    waiting_for: Wait | None


@dataclass(frozen=True, slots=True)
class Hands:
    """What apply acts with: the lake for the journal, the files, the directories it was told of, and the clock."""

    lake: Lake
    files: ProcessMetadataFiles
    state_dirs: Mapping[ProcessId, str]
    now: Callable[[], datetime]

    def entry(self, step: AnyStep, event: Event, detail: str, by: str = HOLDFAST) -> Entry:
        at = self.now().astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
        return Entry(at, step.id, event, by, detail)


def apply(plan: AnyPlan, fresh: AnySnapshot, approval: Approval, confirmations: tuple[Confirmation, ...], hands: Hands) -> Applied:
    """Go on with the plan until it is done or somebody else must do something.

    Raise StalePlan where the group is another than planned for, StepRefused where the next step would do harm or the plan was not
    approved. Nothing is done then.
    """
    refuse_unapproved(plan, approval)
    journal = plans.journal_of(hands.lake, plan.plan_id)
    _next(plan, journal, fresh, hands.now())
    _keep_plan_and_approval(plan, approval, hands.lake)
    journal = _confirmed(plan, journal, confirmations, hands)
    for _ in range(2 * len(plan.steps) + 1):
        found = _next(plan, journal, fresh, hands.now())
        match found:
            case Done():
                return Applied(plan, approval, journal, None)
            case Wait():
                return Applied(plan, approval, journal, found)
            case Stop(step, reason):
                plans.add_entry(hands.lake, journal, hands.entry(step, Event.STOPPED, reason))
                raise StepRefused(f"Step {step.id} of plan {plan.plan_id} was not done. {reason}")
            case Note(step, evidence):
                journal = plans.add_entry(hands.lake, journal, hands.entry(step, Event.DONE, evidence))
            case Do(step, action):
                directory = hands.state_dirs.get(action.process_id)
                if directory is None:
                    return Applied(plan, approval, journal, _by_hand(step, action))
                journal = _write(journal, step, action, directory, hands)
            case _:
                assert_never(found)
    raise AssertionError("every step is begun and done at most once")


def _next(plan: AnyPlan, journal: Journal, fresh: AnySnapshot, now: datetime) -> Next:
    """What comes next, of a plan for whichever kind of group."""
    if isinstance(plan, ConsumerPlan):
        if isinstance(fresh, ConsumerSnapshot):
            return consumer_apply.next_action(plan, journal, fresh, now)
    elif not isinstance(fresh, ConsumerSnapshot):
        return next_action(plan, journal, fresh, now)
    raise InvalidInput(of_another_kind(plan))


def _write(journal: Journal, step: Step, action: WriteProcessMetadata, directory: str, hands: Hands) -> Journal:
    """Journal, write, look, journal. A crash in between leaves a step that is begun; doing it again changes nothing."""
    if not journal.has(step.id, Event.BEGUN):
        begun = f"writing process ID {action.process_id} into {directory}"
        journal = plans.add_entry(hands.lake, journal, hands.entry(step, Event.BEGUN, begun))
    try:
        hands.files.write(directory, action.process_id, action.replaces)
        found = hands.files.read(directory)
    except HoldfastError as refusal:
        plans.add_entry(hands.lake, journal, hands.entry(step, Event.STOPPED, str(refusal)))
        raise StepRefused(f"Step {step.id} was not done. {refusal}") from None
    if found != action.process_id:
        raise StepRefused(f"Step {step.id}: {directory} holds process ID {found} right after another was written.")
    return plans.add_entry(hands.lake, journal, hands.entry(step, Event.DONE, f"{directory} holds process ID {found}"))


def _by_hand(step: Step, action: WriteProcessMetadata) -> Wait:
    return Wait(
        step,
        f"Nobody has said which directory is meant: give --state-dir-of {action.process_id}=DIRECTORY, or do it by hand"
        f" ({step_words.by_hand(action)}) and confirm step {step.id}. Before: {step.check_before}",
        can_confirm=True,
    )


def _keep_plan_and_approval(plan: AnyPlan, approval: Approval, lake: Lake) -> None:
    if plan.plan_id not in plans.ids(lake):
        plans.keep(lake, plan)
    plans.keep_approval(lake, approval)


def _confirmed(plan: AnyPlan, journal: Journal, confirmations: tuple[Confirmation, ...], hands: Hands) -> Journal:
    """The journal with the operator's words. Only a step that is due can be confirmed, or one that is done already."""
    for word in confirmations:
        step = next((one for one in plan.steps if one.id == word.step), None)
        if step is None:
            raise InvalidInput(f"plan {plan.plan_id} has no step {word.step!r}; it has 1 to {len(plan.steps)}")
        if journal.has(step.id, Event.DONE) or journal.has(step.id, Event.CONFIRMED):
            continue
        said = (one for one in plan.steps if not (journal.has(one.id, Event.DONE) or journal.has(one.id, Event.CONFIRMED)))
        earlier = next(said, step)
        if earlier.id != step.id:
            raise InvalidInput(f"step {step.id} cannot be confirmed before step {earlier.id} is done")
        journal = plans.add_entry(hands.lake, journal, hands.entry(step, Event.CONFIRMED, word.detail, word.by))
    return journal


def refuse_if_asked_too_early(applied: Applied, hands: Hands) -> None:
    """Raise StepRefused where a process ID was to be written (its directory was given) and its owner is still in the group."""
    waiting = applied.waiting_for
    plan = applied.plan
    if waiting is None or isinstance(plan, ConsumerPlan) or isinstance(waiting.step, ConsumerStep):
        return
    if not isinstance(waiting.step.action, StopClient):
        return
    source = waiting.step.action.process_id
    asked = (step.action for step in plan.steps if isinstance(step.action, WriteProcessMetadata))
    if any(action.source == source and action.process_id in hands.state_dirs for action in asked):
        raise StepRefused(
            f"Nothing was written: the client {source} is still in the group, and two clients with one process ID are one to Kafka."
            f" Stop it and give a fresh snapshot without it; or, if its process has ended and only its session has not,"
            f" say so with --confirm {waiting.step.id}."
        )


def _what(step: AnyStep) -> str:
    return step.says if isinstance(step, ConsumerStep) else step_words.describe(step.action)


def applied_to_json(applied: Applied) -> dict[str, object]:
    """The Journal document of the contract: entries, and the checklist of all steps with how far each is."""
    waiting = applied.waiting_for
    return codec_plan.journal_to_json(applied.journal) | {
        "approval": codec_plan.approval_to_json(applied.approval),
        "done": waiting is None,
        "waiting_for": None
        if waiting is None
        else {"step": waiting.step.id, "needed": waiting.needed, "can_be_confirmed": waiting.can_confirm},
        "checklist": [
            {
                "step": step.id,
                "what": _what(step),
                "who": Who.OPERATOR.value if isinstance(step, ConsumerStep) else step.who.value,
                "done": applied.journal.has(step.id, Event.DONE),
                "check_before": step.check_before,
                "check_after": step.check_after,
                "undo": step.undo,
            }
            for step in applied.plan.steps
        ],
    }
