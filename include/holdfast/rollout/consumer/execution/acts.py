"""What Holdfast can do by itself of the steps of a plan for a consumer group: stop, start and restart processes.

A consumer that comes back with another subscription, other assignors or another instance ID, and all that concerns topics, is a
person's to do.
"""

from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.steps.steps import ConsumerStep
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches import INHERITED, FromOld, Then
from holdfast.rollout.execution.acts import Act, Acts
from holdfast.rollout.journal.acted import Does

_PROCESSES = {ActionName.STOP_CLIENT: Does.STOP, ActionName.START_CLIENT: Does.START, ActionName.RESTART_CLIENT: Does.RESTART}


def acts(plan: ConsumerPlan, step: ConsumerStep) -> Acts | None:
    """None: a person does it."""
    item = step.item
    if isinstance(item, Then) or not all(action in _PROCESSES for action in item.ACTIONS) or comes_back_otherwise(item):
        return None
    found = tuple(_act(plan, _PROCESSES[action], item) for action in item.ACTIONS)
    known = tuple(one for one in found if one is not None)
    return Acts(item.ACTIONS, known) if len(known) == len(found) else None


def comes_back_otherwise(item: ConsumerEvent) -> bool:
    if not isinstance(item, RestartConsumer):
        return False
    back = item.back
    return any(one is not INHERITED for one in (back.assignors, back.subscription, back.group_instance_id, back.client_id))


def _act(plan: ConsumerPlan, does: Does, item: ConsumerEvent) -> Act | None:
    """None: the member comes in the plan's own course, whose member ID is the broker's to make."""
    if does is Does.START:
        new = item.joining()
        return None if new is None else _started(new)
    olds = item.olds()
    member = next((one for one in plan.basis.members if olds and one.member_id == olds[0]), None)
    if member is None:
        return None
    names = tuple(name for name in (member.group_instance_id, member.client_id) if name)
    return Act(does, member.member_id, member.host, names)


def _started(new: NewConsumer) -> Act:
    """Its member ID is the broker's to make."""
    given = [one for one in (new.group_instance_id, new.client_id) if isinstance(one, str) and not isinstance(one, FromOld)]
    host = new.host if isinstance(new.host, str) and not isinstance(new.host, FromOld) else None
    return Act(Does.START, "", host, tuple(one for one in given if one))


def waits(step: ConsumerStep) -> bool:
    return isinstance(step.item, Then)
