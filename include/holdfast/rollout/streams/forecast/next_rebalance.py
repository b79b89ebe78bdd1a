"""The rebalance that a decision triggers next, and the time until then."""

from holdfast.kafka.streams.group import Assignment, Group, NextRebalance
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.scene.reports import TimeBetween


def what_is_requested(decision: Assignment) -> Trigger | None:
    deadlines = [consumer.next_rebalance for consumer in decision.consumers]
    if NextRebalance.IMMEDIATE in deadlines:
        return Trigger.IMMEDIATE
    return Trigger.PROBING if NextRebalance.PROBING in deadlines else None


def until_then(pending: Trigger | None, group: Group, until: Wait) -> tuple[TimeBetween, float]:
    """What is between this rebalance and what comes next."""
    if pending is None:
        return TimeBetween.SETTLED, 0
    if pending is Trigger.IMMEDIATE or until is Wait.REBALANCE:
        return TimeBetween.NONE, 0
    milliseconds = group.config.probing_rebalance_interval_ms
    return TimeBetween.PROBING, milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000
