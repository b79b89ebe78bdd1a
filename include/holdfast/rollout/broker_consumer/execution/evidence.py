"""What a new snapshot shows of each step of a plan: members, configs, topics, the assignor. The words are those of every kind.

Every start makes a new member ID: a member with an ID from before has not restarted. Those that joined since are known by their
instance IDs, else by their number only.
"""

from collections.abc import Sequence

from holdfast.kafka.coordinator.consumer.config_keys import DEFAULTS
from holdfast.rollout.broker_consumer.change.change import Item
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.execution import starts
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.execution.group_evidence import configured, waited
from holdfast.rollout.execution.step_evidence import Evidence, Shown, StepEvidence, evidence
from holdfast.rollout.facts.step_sightings import Sees


def of_plan(plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> tuple[StepEvidence, ...]:
    """Every step, in order."""
    found: list[StepEvidence] = []
    items = [step.item for step in plan.steps]
    at_end = starts.without_members(plan.basis, items, fresh)
    for index, step in enumerate(plan.steps):
        open_before = any(one.evidence.shown is Shown.NOT_YET for one in found)
        if isinstance(step.item, Then):
            one = waited(fresh, open_before, at_end or starts.without_members(plan.basis, items[:index], fresh))
        else:
            one = shown(plan.basis, items, index, fresh)
        found.append(StepEvidence(step.id, step.says, one))
    return tuple(found)


def shown(basis: BrokerConsumerSnapshot, items: Sequence[Item], index: int, fresh: BrokerConsumerSnapshot) -> Evidence:
    """Of the event number `index`."""
    event, later = items[index], [one for one in items[index + 1 :] if not isinstance(one, Then)]
    assert not isinstance(event, Then), "a wait is decided by the steps before it"
    if event.configures():
        again = {key for one in later for key, _ in one.configures()}
        return configured(event.configures(), again, fresh, DEFAULTS)
    topic = event.topic_afterwards()
    if topic is not None:
        return _topic(*topic, later, fresh)
    assignor = event.assignor_afterwards()
    if assignor is not None:
        there = fresh.assignor == assignor
        return evidence(
            Shown.HAPPENED if there else Shown.NOT_YET, Sees.CONFIG if there else Sees.CONFIG_NOT_YET, f"assignor={assignor}"
        )
    return _members(basis, items, index, event, fresh)


def _topic(topic: str, wanted: int | None, later: Sequence[ConsumerEvent], fresh: BrokerConsumerSnapshot) -> Evidence:
    """A later event may have changed it again."""
    count = next((len(one.partitions) for one in fresh.topics if one.name == topic), None)
    if any(one.topic_afterwards() is not None and one.topic_afterwards()[0] == topic for one in later):  # type: ignore[index]
        return evidence(Shown.CANNOT_SHOW, Sees.TOPIC_LATER, topic)
    if wanted is None:
        gone = count is None
        return evidence(Shown.HAPPENED if gone else Shown.NOT_YET, Sees.TOPIC_GONE if gone else Sees.TOPIC_THERE, topic)
    there = Shown.NOT_YET if (count or 0) < wanted else Shown.HAPPENED if count == wanted else Shown.CONTRADICTED
    return evidence(there, Sees.PARTITIONS, topic, count=count or 0, wanted=wanted)


def _members(
    basis: BrokerConsumerSnapshot, items: Sequence[Item], index: int, event: ConsumerEvent, fresh: BrokerConsumerSnapshot
) -> Evidence:
    stops, before = event.stops(), {one.member_id for one in basis.members}
    if stops is not None and stops not in before:
        return evidence(Shown.CANNOT_SHOW, Sees.JOINED_IN_PLAN)
    if still := still_listed(event, fresh):
        return evidence(Shown.NOT_YET, Sees.STILL_NAMED, names=still)
    if event.comes() is None:
        return evidence(Shown.HAPPENED, Sees.GONE, stops or "")
    came = [one for one in fresh.members if one.member_id not in before]
    starts_so_far = [one for one in items[: index + 1] if not isinstance(one, Then) and one.comes() is not None]
    if (to := event.converts_to()) is not None:  # one that is back with the protocol from before has not converted
        came = [one for one in came if one.member_type in (None, to)]
        starts_so_far = [one for one in starts_so_far if one.converts_to() is to]
    if len(came) < len(starts_so_far):
        return evidence(Shown.NOT_YET, Sees.JOINED_SO_FAR, count=len(came), wanted=len(starts_so_far))
    return evidence(Shown.HAPPENED, Sees.JOINED, count=len(came))


def still_listed(event: ConsumerEvent, fresh: BrokerConsumerSnapshot) -> list[str]:
    """The member that an event ends, where the group still has it."""
    return [one.member_id for one in fresh.members if one.member_id == event.stops()]
