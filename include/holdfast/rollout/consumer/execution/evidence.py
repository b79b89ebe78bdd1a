"""What a new snapshot of a consumer group shows of each step of a plan; the words are those of `streams.execution.evidence`.

The broker generates the member ID of each member that joins: a member with an ID from before has not restarted. Those that joined
during a plan are known by their number only.
"""

from collections.abc import Sequence
from itertools import accumulate

from holdfast.rollout.consumer.change.change import ConsumerItem
from holdfast.rollout.consumer.events import batches
from holdfast.rollout.consumer.execution.memberships import stays
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then, batched
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence, evidence
from holdfast.rollout.facts.step_sightings import Sees


def of_plan(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> tuple[StepEvidence, ...]:
    """Every step, in order."""
    found: list[StepEvidence] = []
    items = [step.item for step in plan.steps]
    members = _Members(plan.basis, items, fresh)
    for index, step in enumerate(plan.steps):
        open_before = any(one.evidence.shown is Shown.NOT_YET for one in found)
        if isinstance(step.item, Then):
            one = _waited(fresh, open_before)
        elif (topic := step.item.topic_changed()) is not None:
            one = _topic(topic, plan.basis, items, index, fresh)
        else:
            one = _shown_of(index, items, members, plan.basis, fresh)
        found.append(StepEvidence(step.id, step.says, one))
    return tuple(found)


def _waited(fresh: ConsumerSnapshot, open_before: bool) -> Evidence:
    if fresh.group_state not in (None, STABLE):
        return evidence(Shown.NOT_YET, Sees.STATE, fresh.group_state)
    if open_before:
        return evidence(Shown.NOT_YET, Sees.STEP_BEFORE)
    return evidence(Shown.HAPPENED, Sees.STABLE, count=fresh.generation)


def _topic(topic: str, basis: ConsumerSnapshot, items: Sequence[ConsumerItem], index: int, fresh: ConsumerSnapshot) -> Evidence:
    """Later events may have changed the topic again."""
    events = [(at, item) for at, item in enumerate(items) if not isinstance(item, Then) and item.topic_changed() == topic]
    before = [basis.partitions_of(topic), *(item.partitions_wanted() for at, item in events if at < index)]
    wanted, *later = [item.partitions_wanted() for at, item in events if at >= index]
    has = fresh.partitions_of(topic)
    if has != wanted and has in later and _may_have_passed(basis, items, index, fresh):
        return evidence(Shown.CANNOT_SHOW if has in before else Shown.HAPPENED, Sees.TOPIC_LATER, topic)
    if wanted is None:
        return evidence(*((Shown.HAPPENED, Sees.TOPIC_GONE) if has is None else (Shown.NOT_YET, Sees.TOPIC_THERE)), topic)
    count, most = has or 0, max(wanted, *(one or 0 for one in later), 0)
    shown = Shown.NOT_YET if count < wanted else Shown.HAPPENED if count <= most else Shown.CONTRADICTED
    return evidence(shown, Sees.PARTITIONS, topic, count=count, wanted=wanted)


def _may_have_passed(basis: ConsumerSnapshot, items: Sequence[ConsumerItem], index: int, fresh: ConsumerSnapshot) -> bool:
    """Whether the group may have been where event number `index` leaves it: it has rebalanced so often, or its generation is
    unknown."""
    if basis.generation is None or fresh.generation is None:
        return True
    found = batched(enumerate(items[: index + 1]))
    return fresh.generation - basis.generation >= sum(not batches.causes_no_rebalance(one) for one in found)


class _Members:
    """Who joins and leaves in a plan, and who is there. `new`: after each event, how many members the group has that it had not
    before the plan; `came`: how many it has."""

    def __init__(self, basis: ConsumerSnapshot, items: Sequence[ConsumerItem], fresh: ConsumerSnapshot) -> None:
        self.stays = stays(basis, items)
        self.present = frozenset(member.member_id for member in fresh.members)
        self.came = len(self.present - {member.member_id for member in basis.members})
        change = [0] * len(items)
        for one in self.stays:
            if one.joined is not None:
                change[one.joined] += 1
                if one.left is not None:
                    change[one.left] -= 1
        self.new = list(accumulate(change))

    def still(self, index: int) -> list[str]:
        """The members from before that event number `index` ends, and that are there."""
        return [one.member_id for one in self.stays if one.left == index and one.joined is None and one.member_id in self.present]

    def ended(self, until: int) -> tuple[int, bool]:
        """The first event that ends a member from before which is there, and whether one after `until` has ended one."""
        from_before = [(one.left, one.member_id in self.present) for one in self.stays if one.joined is None]
        first = min((left for left, there in from_before if there and left is not None), default=len(self.new))
        return first, any(left is not None and left > until and not there for left, there in from_before)


def _shown_of(
    index: int, items: Sequence[ConsumerItem], all_of: _Members, basis: ConsumerSnapshot, fresh: ConsumerSnapshot
) -> Evidence:
    if still := all_of.still(index):
        return evidence(Shown.NOT_YET, Sees.STILL_NAMED, names=still)
    came, wanted = all_of.came, all_of.new[index]
    if came < wanted:
        # Not all are there yet, or later events have ended some.
        first, begun = all_of.ended(index)
        fewer = any(one <= came for one in all_of.new[index + 1 : first])
        if not fewer or not _may_have_passed(basis, items, index, fresh):
            return evidence(Shown.NOT_YET, Sees.JOINED_SO_FAR, count=came, wanted=wanted)
        return evidence(Shown.HAPPENED if begun else Shown.CANNOT_SHOW, Sees.LEFT_SINCE, count=came, wanted=wanted)
    if any(one.left == index and one.joined is not None for one in all_of.stays):
        return evidence(Shown.CANNOT_SHOW, Sees.JOINED_IN_PLAN)
    return evidence(Shown.HAPPENED, Sees.JOINED if came else Sees.LEFT, count=came or None)
