"""What a new snapshot of a consumer group shows of each step of a plan; the words are those of `streams.execution.evidence`.

The broker generates the member ID of each member that joins: a member with an ID from before has not restarted.
"""

from collections.abc import Sequence

from holdfast.rollout.consumer.change.change import ConsumerItem
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.execution.drift import expected
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence, evidence
from holdfast.rollout.facts.seen import Sees


def of_plan(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> tuple[StepEvidence, ...]:
    """Every step, in order."""
    found: list[StepEvidence] = []
    for index, step in enumerate(plan.steps):
        until = [one.item for one in plan.steps[: index + 1] if not isinstance(one.item, Then)]
        open_before = any(one.evidence.shown is Shown.NOT_YET for one in found)
        one = _waited(fresh, open_before) if isinstance(step.item, Then) else _shown(plan.basis, step.item, until, fresh)
        found.append(StepEvidence(step.id, step.says, one))
    return tuple(found)


def _waited(fresh: ConsumerSnapshot, open_before: bool) -> Evidence:
    if fresh.group_state not in (None, STABLE):
        return evidence(Shown.NOT_YET, Sees.STATE, fresh.group_state)
    if open_before:
        return evidence(Shown.NOT_YET, Sees.STEP_BEFORE)
    return evidence(Shown.HAPPENED, Sees.STABLE, count=fresh.generation)


def _shown(basis: ConsumerSnapshot, item: ConsumerEvent, until: Sequence[ConsumerItem], fresh: ConsumerSnapshot) -> Evidence:
    topic = item.topic_changed()
    return _members(basis, item, until, fresh) if topic is None else _topic(topic, item, fresh)


def _topic(topic: str, item: ConsumerEvent, fresh: ConsumerSnapshot) -> Evidence:
    wanted, has = item.partitions_wanted(), fresh.partitions_of(topic)
    if wanted is None:
        return evidence(*((Shown.HAPPENED, Sees.TOPIC_GONE) if has is None else (Shown.NOT_YET, Sees.TOPIC_THERE)), topic)
    count = has or 0
    shown = Shown.HAPPENED if count == wanted else Shown.CONTRADICTED if count > wanted else Shown.NOT_YET
    return evidence(shown, Sees.PARTITIONS, topic, count=count, wanted=wanted)


def _members(basis: ConsumerSnapshot, item: ConsumerEvent, until: Sequence[ConsumerItem], fresh: ConsumerSnapshot) -> Evidence:
    known = frozenset(member.member_id for member in basis.members)
    present = frozenset(member.member_id for member in fresh.members)
    still = [old for old in item.olds() if old in known and old in present]
    if still:
        return evidence(Shown.NOT_YET, Sees.STILL_NAMED, names=still)
    came, wanted = len(present - known), expected(basis, until).new
    if came < wanted:
        return evidence(Shown.NOT_YET, Sees.JOINED_SO_FAR, count=came, wanted=wanted)
    if any(old not in known for old in item.olds()):
        return evidence(Shown.CANNOT_SHOW, Sees.JOINED_IN_PLAN)
    return evidence(Shown.HAPPENED, Sees.JOINED if came else Sees.LEFT, count=came or None)
