"""The next actions of an approved plan for a consumer group: a pure function of the plan, its journal and a new snapshot.

As `streams.execution.apply`, whose words it uses. All steps are the operator's: what a snapshot can show of them is seen, the
rest is confirmed.
"""

from collections.abc import Sequence
from datetime import datetime

from holdfast.errors import StalePlan
from holdfast.rollout.consumer.change.change import ConsumerItem
from holdfast.rollout.consumer.events.add_consumer import AddConsumer
from holdfast.rollout.consumer.events.add_partitions import AddPartitions
from holdfast.rollout.consumer.events.add_topic import AddTopic
from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.consumer.events.remove_topic import RemoveTopic
from holdfast.rollout.consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.events.set_assignors import SetAssignors
from holdfast.rollout.consumer.execution.drift import drifts, expected
from holdfast.rollout.consumer.execution.verify import verify
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import WAIT_AT_LEAST_S, ConsumerStep
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.group_state import REBALANCING, STABLE
from holdfast.rollout.execution.next_actions import Begin, Done, Next, Note, Wait, refuse_expired, still_waiting
from holdfast.rollout.journal.journal import Event, Journal, Sighting
from holdfast.rollout.text.wording import listed, many, printable


def next_action(plan: ConsumerPlan, journal: Journal, fresh: ConsumerSnapshot, now: datetime) -> Next:
    """Raise StalePlan where the group is not what the plan, and what was done of it, would have it be."""
    open_steps = [step for step in plan.steps if not journal.has(step.id, Event.DONE)]
    if not open_steps:
        return Done()
    step = open_steps[0]
    refuse_expired(plan.plan_id, plan.expires_at, journal, now)
    limit_s = WAIT_AT_LEAST_S if isinstance(step.item, Then) else None
    if fresh.group_state in REBALANCING:
        why = f"The group is {fresh.group_state}: its assignment is not visible until it is stable."
        return still_waiting(journal, step, now, limit_s, why)
    done = [one.item for one in plan.steps if journal.has(one.id, Event.DONE)]
    explained = done if not done and _not_begun(plan, fresh) else [*done, step.item]
    stale = tuple(one.found for one in drifts(plan.basis, fresh, explained) if one.matters)
    if stale:
        raise StalePlan(plan.plan_id, stale)
    if isinstance(step.item, ANEW) and journal.began_with(step.id) is None:
        return Begin(step, _before(plan, journal, step, step.item, fresh))
    return _decide(plan, journal, step, [*done, step.item], fresh, now)


ANEW = ReplaceConsumer | RestartConsumer | SetAssignors
"""Consumers that join under other member IDs in the place of those that were there."""


def _before(plan: ConsumerPlan, journal: Journal, step: ConsumerStep, item: ConsumerEvent, fresh: ConsumerSnapshot) -> Sighting:
    """Who is there before it. What was done before anybody asked for it is compared with the plan's own basis."""
    first = not any(journal.began_with(one.id) for one in plan.steps)
    known = frozenset(member.member_id for member in plan.basis.members)
    there = frozenset(member.member_id for member in fresh.members)
    gone = all(old in known and old not in there for old in item.olds())
    seen = plan.basis if gone or (first and journal.has(step.id, Event.CONFIRMED)) else fresh
    return Sighting(seen.generation, tuple(sorted(member.member_id for member in seen.members)))


def _shown_anew(
    item: ReplaceConsumer | RestartConsumer | SetAssignors, began: Sighting, fresh: ConsumerSnapshot
) -> tuple[bool, str]:
    """Whether as many as it is about are gone since, those that it names among them, and as many others are there."""
    there = frozenset(member.member_id for member in fresh.members)
    gone, came = frozenset(began.members) - there, there - frozenset(began.members)
    olds = item.olds()
    still = [old for old in olds if old in there]
    if still:
        return False, f"the group still lists {listed([printable(old) for old in still])}"
    if fresh.group_state not in (None, STABLE):
        return False, f"the group is {printable(fresh.group_state)}, not {STABLE}"
    done = min(len(gone), len(came))
    return done >= len(olds), f"{done} of {many(len(olds), 'consumer')} came under other member IDs"


def _not_begun(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> bool:
    """The members are those that the plan was made for: then they own what they did."""
    was, there = (frozenset(member.member_id for member in one.members) for one in (plan.basis, fresh))
    return was == there and not isinstance(plan.steps[0].item, AddPartitions | AddTopic | RemoveTopic)


def _decide(
    plan: ConsumerPlan,
    journal: Journal,
    step: ConsumerStep,
    until: Sequence[ConsumerItem],
    fresh: ConsumerSnapshot,
    now: datetime,
) -> Next:
    item = step.item
    if isinstance(item, Then):
        return _waited(plan, journal, step, fresh, now)
    confirmed = next((one for one in journal.entries if one.step == step.id and one.event is Event.CONFIRMED), None)
    word = f"{confirmed.by} says so: {confirmed.detail}" if confirmed else None
    began = journal.began_with(step.id)
    if isinstance(item, ANEW) and began is not None:
        seen, missing = _shown_anew(item, began, fresh)
        if seen:
            return Note(step, f"{word}, and the snapshot shows it." if word else "The snapshot shows it.")
        if word:
            return Wait(step, f"{word}. The group does not show it yet: {missing}. Take another snapshot in a while.", False)
        return Wait(step, _please(step, missing), can_confirm=True)
    if word is not None:
        return Note(step, word)
    match item:
        case AddPartitions(topic, partitions) | AddTopic(topic, partitions):
            has = next((len(one.partitions) for one in fresh.topics if one.name == topic), 0)
            seen, missing = has == partitions, f"{printable(topic)} has {has:,} partitions"
        case RemoveTopic(topic):
            seen, missing = all(one.name != topic for one in fresh.topics), f"{printable(topic)} is still there"
        case _:
            seen, missing = _came_and_went(plan.basis, item, until, fresh)
    if seen:
        return Note(step, "The snapshot shows it.")
    return Wait(step, _please(step, missing), can_confirm=not isinstance(item, AddConsumer))


def _please(step: ConsumerStep, because: str) -> str:
    return f"Step {step.id} is the operator's, and {because}. Before: {step.check_before or 'nothing.'} Check: {step.check_after}"


def _came_and_went(
    basis: ConsumerSnapshot, item: ConsumerEvent, until: Sequence[ConsumerItem], fresh: ConsumerSnapshot
) -> tuple[bool, str]:
    """Whether the group shows that this was done, or what it shows instead.

    Who came in the plan's own course has an ID that nobody foresaw: that it restarted does not show.
    """
    known = frozenset(member.member_id for member in basis.members)
    there = frozenset(member.member_id for member in fresh.members)
    olds = item.olds()
    if not all(old in known for old in olds):
        return False, "it is not confirmed yet"
    still = [old for old in olds if old in there]
    if still:
        return False, f"the group still lists {listed([printable(old) for old in still])}"
    came, wanted = len(there - known), expected(basis, until).new
    return came >= wanted, f"{came} of {wanted} new consumers are there"


def _since_the_last_wait(plan: ConsumerPlan, until: ConsumerStep) -> list[ConsumerStep]:
    found: list[ConsumerStep] = []
    for step in plan.steps[: plan.steps.index(until)]:
        found = [] if isinstance(step.item, Then) else [*found, step]
    return found


def _waited(plan: ConsumerPlan, journal: Journal, step: ConsumerStep, fresh: ConsumerSnapshot, now: datetime) -> Next:
    if fresh.group_state not in (None, STABLE):
        why = f"The group is {printable(fresh.group_state)}, not {STABLE}."
        return still_waiting(journal, step, now, WAIT_AT_LEAST_S, why)
    there = frozenset(member.member_id for member in fresh.members)
    before = [one.item for one in _since_the_last_wait(plan, step)]
    still = [one.member_id for one in before if isinstance(one, RemoveConsumer) and one.member_id in there]
    if still:
        why = f"The group still lists {listed([printable(one) for one in still])}, which was stopped."
        return still_waiting(journal, step, now, WAIT_AT_LEAST_S, why)
    if step is not plan.steps[-1]:
        return Note(step, "The group is stable.")
    verdict = verify(plan, fresh)
    if verdict.partitions and all(one.agrees for one in verdict.partitions):
        return Note(step, "Every partition is where the forecast has it.")
    first = " ".join(verdict.differences[:3])
    return still_waiting(journal, step, now, WAIT_AT_LEAST_S, f"It is not yet as the forecast ends: {first}")
