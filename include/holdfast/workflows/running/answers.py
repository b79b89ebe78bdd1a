"""A person's answer to the halt of a run: to go on, to go back, or to end the run. It is about one halt, and is journaled.

The halt is named by its number in the journal. An answer to another one than the halt that is open does nothing.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from holdfast.errors import InvalidInput, StepRefused
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.json import strict
from holdfast.rollout.text.format import printable
from holdfast.workflows import apply as applying
from holdfast.workflows.apply import Hands
from holdfast.workflows.running import pausing


class HaltAnswer(StrEnum):
    """What a person may answer."""

    GO_ON = "go on"
    GO_BACK = "go back"
    LEAVE = "leave it"


class NotItsStep(InvalidInput):
    """What is confirmed is not what the open halt asks for."""


class NotOpen(StepRefused):
    """The halt is not the one that is open: it was answered, or a run has gone on since."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A person's answer to the halt with this number. `rolled_back`: the step that they have rolled back by hand; None: none."""

    number: int
    answer: HaltAnswer
    by: str
    reason: str
    rolled_back: str | None = None


def keep(plan: AnyPlan, given: GivenAnswer, hands: Hands) -> None:
    """Journal the answer. To go on accepts the divergence that the halt was for, and the rebalances that were completed by a halt
    for them, for drift or for a divergence. It removes the pause that the halt was for, and confirms the rollback that it was for
    where the answer names its step.

    To go back removes the pause; the run journals it when it begins to (`going_back`), so that it is decided and begun at once.

    Raise NotOpen; NotItsStep; StatePathTrouble while another run applies a plan for the group; InvalidInput for a secret. Nothing
    is kept then.
    """
    number, answer, by, reason = given.number, given.answer, given.by, given.reason
    strict.refuse_secrets({"by": by, "reason": reason})
    with applying.under_lease(plan, hands) as writing:
        found = writing.journal.open_halt()
        step = None if found is None else next((one for one in plan.steps if one.id == found[1].step), None)
        if found is None or found[0] != number or step is None:
            raise NotOpen(
                f"halt {number} of plan {plan.plan_id} was answered already, or a run has gone on since: nothing was done"
            )
        halt = found[1]
        because = f": {reason}" if reason else ""
        if given.rolled_back is not None:
            _refuse_another_step(given, halt)
            writing.add(hands.entry(step, JournalEvent.UNDO_CONFIRMED, f"rolled back by hand after halt {number}{because}", by))
            return
        if answer is HaltAnswer.LEAVE:
            writing.add(hands.entry(step, JournalEvent.ENDED, f"leaves it after halt {number}{because}", by))
            return
        if answer is HaltAnswer.GO_ON:
            entry = hands.entry(step, JournalEvent.ACCEPTED, f"goes on after halt {number}{because}", by)
            writing.add(replace(entry, halt=halt.halt, rebalances=halt.rebalances, differences=halt.differences))
        if halt.halt is Halt.PAUSED:
            _resume(plan.plan_id, halt, hands)


def _refuse_another_step(given: GivenAnswer, halt: JournalEntry) -> None:
    step = printable(str(given.rolled_back), 100)
    if given.answer is not HaltAnswer.GO_ON:
        raise NotItsStep(
            f"confirming that step {step} is rolled back takes the answer to go on; the answer is to {given.answer.value}"
        )
    if halt.halt is not Halt.PERSON or halt.step != given.rolled_back:
        asked = f"step {halt.step}" if halt.halt is Halt.PERSON else "no step"
        raise NotItsStep(f"halt {given.number} asks a person to roll back {asked}; the answer confirms step {step}")


def _resume(plan_id: str, halt: JournalEntry, hands: Hands) -> None:
    """Remove the pause that the halt was for. Another one, made since, stays: that has no answer."""
    pause = pausing.found(hands.lake, plan_id)
    if pause is not None and pause.mark is not None and pause.mark == halt.pause:
        pausing.resume(hands.lake, plan_id)
