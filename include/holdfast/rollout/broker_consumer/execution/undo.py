"""What going back means for the steps of a plan for a consumer group whose broker assigns."""

from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.execution.acts import comes_back_otherwise, sets
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.steps.steps import GroupStep
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches import FromOld, Then
from holdfast.rollout.execution.undo import Nature, Rollback
from holdfast.rollout.journal.back import ClientSeen

_PROCESSES = (ActionName.STOP_CLIENT, ActionName.START_CLIENT)
_LASTING = (ActionName.ADD_PARTITIONS, ActionName.REMOVE_TOPIC)


def rollback(plan: GroupPlan, step: GroupStep) -> Rollback:
    item = step.item
    if isinstance(item, Then):
        return Rollback(Nature.NOTHING)
    if item.configures():
        return Rollback(Nature.CONFIGS, configs=sets(plan, step))
    if all(one in _PROCESSES for one in item.ACTIONS):
        stops, comes = item.stops(), item.comes()
        gone = () if stops is None else (_lasting(plan, stops),)
        return Rollback(Nature.PROCESSES, gone, () if comes is None else (_instance(comes.consumer),))
    if any(one in _LASTING for one in item.ACTIONS):
        return Rollback(Nature.LOST)
    if item.restarts() and not comes_back_otherwise(item):
        return Rollback(Nature.AS_BEFORE)
    return Rollback(Nature.PERSON)


def _lasting(plan: GroupPlan, member_id: str) -> str | None:
    """The `group.instance.id` of a static member: a dynamic one comes back under another member ID."""
    found = next((one for one in plan.basis.members if one.member_id == member_id), None)
    return None if found is None else found.instance_id


def _instance(new: NewConsumer) -> str | None:
    return None if isinstance(new.instance_id, FromOld) else new.instance_id


def name_of(one: BrokerConsumer) -> str:
    return one.instance_id or one.member_id


def clients(snapshot: BrokerConsumerSnapshot) -> tuple[ClientSeen, ...]:
    return tuple(ClientSeen(name_of(one), (one.member_id,)) for one in snapshot.members)


def planned_for(plan: GroupPlan) -> tuple[str, ...]:
    return tuple(map(name_of, plan.basis.members))
