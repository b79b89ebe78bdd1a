"""A person's answer to the halt of a run: to go on, to go back, or to end the run. It is about one halt, and is journaled.

The halt is named by its number in the journal. An answer to another one than the halt that is open does nothing.
"""

from dataclasses import replace
from enum import StrEnum

from holdfast.errors import StepRefused
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.acted import Halt
from holdfast.rollout.journal.journal import Entry, Event
from holdfast.rollout.json import strict
from holdfast.workflows import apply as applying
from holdfast.workflows.apply import Hands
from holdfast.workflows.running import pausing


class Answer(StrEnum):
    """What a person may answer."""

    GO_ON = "go on"
    GO_BACK = "go back"
    LEAVE = "leave it"


class NotOpen(StepRefused):
    """The halt is not the one that is open: it was answered, or a run has gone on since."""


def keep(plan: AnyPlan, number: int, answer: Answer, by: str, reason: str, hands: Hands) -> None:
    """Journal the answer to halt `number`. To go on accepts the rebalances or the divergence that it was for, and
    removes the pause that it was for.

    To go back removes the pause; the run journals it when it begins to (`going_back`), so that it is decided and begun at once.

    Raise NotOpen; StatePathTrouble while another run applies a plan for the group; InvalidInput for a secret. Nothing is kept then.
    """
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
        if answer is Answer.LEAVE:
            writing.add(hands.entry(step, Event.ENDED, f"leaves it after halt {number}{because}", by))
            return
        if answer is Answer.GO_ON:
            entry = hands.entry(step, Event.ACCEPTED, f"goes on after halt {number}{because}", by)
            rebalances = halt.rebalances if halt.halt is Halt.REBALANCES else None
            writing.add(replace(entry, halt=halt.halt, rebalances=rebalances, differences=halt.differences))
        if halt.halt is Halt.PAUSED:
            _resume(plan.plan_id, halt, hands)


def _resume(plan_id: str, halt: Entry, hands: Hands) -> None:
    """Remove the pause that the halt was for. Another one, made since, stays: that has no answer."""
    paused = pausing.paused(hands.lake, plan_id)
    if paused is not None and halt.detail.startswith(paused):
        pausing.resume(hands.lake, plan_id)
