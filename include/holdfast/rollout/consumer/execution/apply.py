"""The next actions of an approved plan for a consumer group: what `group.applying` asks of its steps.

All are the operator's: what a snapshot can show of them is seen, the rest is confirmed.
"""

from collections.abc import Sequence
from datetime import datetime

from holdfast.rollout.consumer.change.change import ConsumerItem
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.execution.drift import drifts, expected
from holdfast.rollout.consumer.execution.verify import verify
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.manual_steps import WAIT_AT_LEAST_S
from holdfast.rollout.execution.next_actions import Next, NothingLeft, WaitForOutside
from holdfast.rollout.group import applying
from holdfast.rollout.group.applying import Applying, not_shown_yet, please
from holdfast.rollout.journal.journal import Journal, JournalEvent, Sighting
from holdfast.rollout.text.format import listed, many, printable


class _Applying(Applying[ConsumerPlan, ConsumerStep, ConsumerSnapshot]):
    counted = "partition"

    def steps(self, plan: ConsumerPlan) -> Sequence[ConsumerStep]:
        return plan.steps

    def waits(self, step: ConsumerStep) -> bool:
        return isinstance(step.item, Then)

    def limit_s(self, step: ConsumerStep) -> int | None:
        return WAIT_AT_LEAST_S if self.waits(step) else None

    def stale(self, plan: ConsumerPlan, journal: Journal, step: ConsumerStep, fresh: ConsumerSnapshot) -> tuple[str, ...]:
        done = _done(plan, journal)
        explained = done if not done and _not_begun(plan, fresh) else [*done, step.item]
        return tuple(one.found for one in drifts(plan.basis, fresh, explained) if one.matters)

    def sighting(self, plan: ConsumerPlan, journal: Journal, step: ConsumerStep, fresh: ConsumerSnapshot) -> Sighting | None:
        item = step.item
        return None if isinstance(item, Then) or not item.comes_anew() else _before(plan, journal, step, item, fresh)

    def decide(self, plan: ConsumerPlan, journal: Journal, step: ConsumerStep, fresh: ConsumerSnapshot, word: str | None) -> Next:
        return _decide(plan, journal, step, fresh, word)

    def unseen(self, plan: ConsumerPlan, journal: Journal, step: ConsumerStep, fresh: ConsumerSnapshot) -> str | None:  # noqa: ARG002
        """Who was stopped is listed until its session times out; all else was seen, or confirmed, when its step was done."""
        if isinstance(step.item, Then) or not step.item.only_leaves():
            return None
        present = frozenset(member.member_id for member in fresh.members)
        still = [printable(old) for old in step.item.olds() if old in present]
        return f"The group still lists {listed(still)}, which was stopped." if still else None

    def differences(self, plan: ConsumerPlan, fresh: ConsumerSnapshot) -> tuple[str, ...] | None:
        verdict = verify(plan, fresh)
        placed = verdict.unknown or (verdict.partitions and all(one.agrees for one in verdict.partitions))
        return None if placed else verdict.differences


APPLYING = _Applying()


def next_action(plan: ConsumerPlan, journal: Journal, fresh: ConsumerSnapshot, now: datetime) -> Next:
    """Raise StalePlan where the group is not what the plan, and what was done of it, would have it be."""
    return applying.next_action(APPLYING, plan, journal, fresh, now)


def _done(plan: ConsumerPlan, journal: Journal) -> list[ConsumerItem]:
    return [one.item for one in plan.steps if journal.has(one.id, JournalEvent.DONE)]


def _before(plan: ConsumerPlan, journal: Journal, step: ConsumerStep, item: ConsumerEvent, fresh: ConsumerSnapshot) -> Sighting:
    """The members before the step. Actions done before they were requested are compared with the plan's snapshot."""
    first = not any(journal.began_with(one.id) for one in plan.steps)
    known = frozenset(member.member_id for member in plan.basis.members)
    present = frozenset(member.member_id for member in fresh.members)
    gone = all(old in known and old not in present for old in item.olds())
    seen = plan.basis if gone or (first and journal.has(step.id, JournalEvent.CONFIRMED)) else fresh
    return Sighting(seen.generation, tuple(sorted(member.member_id for member in seen.members)))


def _shown_anew(item: ConsumerEvent, began: Sighting, fresh: ConsumerSnapshot) -> tuple[bool, str]:
    """Whether the number of members that the step is about has left since, those that it names among them, and as many others
    joined."""
    present = frozenset(member.member_id for member in fresh.members)
    gone, came = frozenset(began.members) - present, present - frozenset(began.members)
    olds = item.olds()
    still = [old for old in olds if old in present]
    if still:
        return False, f"the group still lists {listed([printable(old) for old in still])}"
    if fresh.group_state not in (None, STABLE):
        return False, f"the group is {printable(fresh.group_state)}, not {STABLE}"
    done = min(len(gone), len(came))
    return done >= len(olds), f"{done} of {many(len(olds), 'consumer')} came under other member IDs"


def _not_begun(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> bool:
    """The members are those that the plan was made for: then they own what they did."""
    was, present = (frozenset(member.member_id for member in one.members) for one in (plan.basis, fresh))
    first = plan.steps[0].item
    return was == present and (isinstance(first, Then) or first.topic_changed() is None)


def _decide(plan: ConsumerPlan, journal: Journal, step: ConsumerStep, fresh: ConsumerSnapshot, word: str | None) -> Next:
    item, until = step.item, [*_done(plan, journal), step.item]
    assert not isinstance(item, Then), "a wait is decided by the steps before it"
    began = journal.began_with(step.id)
    if item.comes_anew() and began is not None:
        seen, missing = _shown_anew(item, began, fresh)
        if seen:
            return NothingLeft(step, f"{word}, and the snapshot shows it." if word else "The snapshot shows it.")
        return not_shown_yet(step, word, missing)
    if word is not None:
        return NothingLeft(step, word)
    topic = item.topic_changed()
    seen, missing = _came_and_went(plan.basis, item, until, fresh) if topic is None else _topic_is_so(topic, item, fresh)
    if seen:
        return NothingLeft(step, "The snapshot shows it.")
    return WaitForOutside(step, please(step, missing), can_confirm=not item.only_joins())


def _topic_is_so(topic: str, item: ConsumerEvent, fresh: ConsumerSnapshot) -> tuple[bool, str]:
    """Whether the topic has the partitions that the event gives it, or what it has instead."""
    wanted, has = item.partitions_wanted(), fresh.partitions_of(topic)
    if wanted is None:
        return has is None, f"{printable(topic)} is still there"
    return has == wanted, f"{printable(topic)} has {has or 0:,} partitions"


def _came_and_went(
    basis: ConsumerSnapshot, item: ConsumerEvent, until: Sequence[ConsumerItem], fresh: ConsumerSnapshot
) -> tuple[bool, str]:
    """Whether the group shows that this was done, or what it shows instead.

    A member that joined in the plan's own course has an unforeseen ID: its restart cannot be observed.
    """
    known = frozenset(member.member_id for member in basis.members)
    present = frozenset(member.member_id for member in fresh.members)
    olds = item.olds()
    if not all(old in known for old in olds):
        return False, "it is not confirmed yet"
    still = [old for old in olds if old in present]
    if still:
        return False, f"the group still lists {listed([printable(old) for old in still])}"
    came, wanted = len(present - known), expected(basis, until).new
    return came >= wanted, f"{came} of {wanted} new consumers are there"
