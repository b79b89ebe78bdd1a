"""The next actions of an approved plan for a consumer group whose broker assigns: what `group.applying` asks of its steps.

All are the operator's. What a snapshot shows of them is noted, the rest is confirmed. Steps that must follow one another within
the assignment interval are done in one go: the group may show later ones of them before an earlier one is noted.
"""

from collections.abc import Sequence
from datetime import datetime

from holdfast.rollout.broker_consumer.change.change import Item
from holdfast.rollout.broker_consumer.execution import evidence, starts
from holdfast.rollout.broker_consumer.execution.drift import drifts
from holdfast.rollout.broker_consumer.execution.verify import verify
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.steps.steps import GroupStep
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.contract.manual_steps import WAIT_AT_LEAST_S
from holdfast.rollout.execution.next_actions import Next, NothingLeft
from holdfast.rollout.execution.next_actions import WaitForOutside as WaitFor
from holdfast.rollout.execution.step_evidence import Shown
from holdfast.rollout.group import applying
from holdfast.rollout.group.applying import Applying, not_shown_yet, please
from holdfast.rollout.journal.journal import Journal, JournalEvent, Sighting
from holdfast.rollout.text.format import listed, printable


class _Applying(Applying[GroupPlan, GroupStep, BrokerConsumerSnapshot]):
    counted = "partition"

    def steps(self, plan: GroupPlan) -> Sequence[GroupStep]:
        return plan.steps

    def waits(self, step: GroupStep) -> bool:
        return isinstance(step.item, Then)

    def limit_s(self, step: GroupStep) -> int | None:
        return WAIT_AT_LEAST_S if self.waits(step) else None

    def stale(self, plan: GroupPlan, journal: Journal, step: GroupStep, fresh: BrokerConsumerSnapshot) -> tuple[str, ...]:
        done = [one.item for one in plan.steps if journal.has(one.id, JournalEvent.DONE)]
        if not done and not any(one.matters for one in drifts(plan.basis, fresh)):
            return ()  # every member has what it had
        return tuple(one.found for one in drifts(plan.basis, fresh, done + _due(plan, step)) if one.matters)

    def sighting(self, plan: GroupPlan, journal: Journal, step: GroupStep, fresh: BrokerConsumerSnapshot) -> Sighting | None:  # noqa: ARG002
        """Every member that a step ends is one of the plan's snapshot, or has an ID that the plan gives."""
        return None

    def rests(self, plan: GroupPlan, step: GroupStep, fresh: BrokerConsumerSnapshot) -> bool:
        items = [one.item for one in plan.steps[: plan.steps.index(step)]]
        return super().rests(plan, step, fresh) or starts.without_members(plan.basis, items, fresh)

    def decide(self, plan: GroupPlan, journal: Journal, step: GroupStep, fresh: BrokerConsumerSnapshot, word: str | None) -> Next:  # noqa: ARG002
        return _decide(plan, step, fresh, word)

    def unseen(self, plan: GroupPlan, journal: Journal, step: GroupStep, fresh: BrokerConsumerSnapshot) -> str | None:  # noqa: ARG002
        """A consumer that was stopped without leaving is listed until its session is over."""
        if isinstance(step.item, Then):
            return None
        still = [printable(one) for one in evidence.still_listed(step.item, fresh)]
        return f"The group still lists {listed(still)}, which was stopped." if still else None

    def differences(self, plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> tuple[str, ...] | None:
        verdict = verify(plan, fresh)
        placed = verdict.partitions and all(one.agrees for one in verdict.partitions)
        empty = starts.without_members(plan.basis, [one.item for one in plan.steps], fresh)
        return None if placed or empty or verdict.unknown else verdict.differences


APPLYING = _Applying()


def next_action(plan: GroupPlan, journal: Journal, fresh: BrokerConsumerSnapshot, now: datetime) -> Next:
    """Raise StalePlan where the group is not what the plan, and what was done of it, would have it be."""
    return applying.next_action(APPLYING, plan, journal, fresh, now)


def _due(plan: GroupPlan, step: GroupStep) -> list[Item]:
    """The event that is due, and those that follow it without a wait until the group is stable."""
    due: list[Item] = []
    for one in plan.steps[plan.steps.index(step) :]:
        due.append(one.item)
        if isinstance(one.item, Then) and one.item.wait is Wait.STABLE:
            break
    return due


def _decide(plan: GroupPlan, step: GroupStep, fresh: BrokerConsumerSnapshot, word: str | None) -> Next:
    found = evidence.shown(plan.basis, [one.item for one in plan.steps], plan.steps.index(step), fresh)
    if found.shown is Shown.HAPPENED:
        return NothingLeft(step, f"{word}, and the snapshot shows it." if word else "The snapshot shows it.")
    if found.shown is Shown.CANNOT_SHOW:
        return NothingLeft(step, word) if word else WaitFor(step, please(step, "no snapshot shows it"), can_confirm=True)
    return not_shown_yet(step, word, found.text.rstrip("."))
