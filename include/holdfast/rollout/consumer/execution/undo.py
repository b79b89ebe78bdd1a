"""What going back means for the steps of a plan for a consumer group."""

from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.execution.acts import comes_back_otherwise
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.member_order import name_of
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches import FromOld, Then
from holdfast.rollout.execution.undo import Nature, Rollback
from holdfast.rollout.journal.back import ClientSeen

_PROCESSES = (ActionName.STOP_CLIENT, ActionName.START_CLIENT)
_LASTING = (ActionName.ADD_PARTITIONS, ActionName.REMOVE_TOPIC)


def rollback(plan: ConsumerPlan, step: ConsumerStep) -> Rollback:
    item = step.item
    if isinstance(item, Then):
        return Rollback(Nature.NOTHING)
    if all(one in _PROCESSES for one in item.ACTIONS):
        gone = tuple(_lasting(plan, old) for old in item.olds())
        new = item.joining()
        return Rollback(Nature.PROCESSES, gone, () if new is None else (_instance(new),))
    if any(one in _LASTING for one in item.ACTIONS):
        return Rollback(Nature.LOST)
    if item.ACTIONS == (ActionName.RESTART_CLIENT,) and not comes_back_otherwise(item):
        return Rollback(Nature.AS_BEFORE)
    return Rollback(Nature.PERSON)


def _lasting(plan: ConsumerPlan, member_id: str) -> str | None:
    """The `group.instance.id` of a static member: a dynamic one comes back under another member ID."""
    found = next((one for one in plan.basis.members if one.member_id == member_id), None)
    return None if found is None else found.group_instance_id


def _instance(new: NewConsumer) -> str | None:
    given = new.group_instance_id
    return None if isinstance(given, FromOld) else given


def clients(snapshot: ConsumerSnapshot) -> tuple[ClientSeen, ...]:
    return tuple(ClientSeen(name_of(one), (one.member_id,)) for one in snapshot.members)


def planned_for(plan: ConsumerPlan) -> tuple[str, ...]:
    return tuple(name_of(one) for one in plan.basis.members)
