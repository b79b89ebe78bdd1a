"""What Holdfast can do by itself of a plan for a consumer group whose broker assigns: stop, start and restart processes, and set
configs of the group at the brokers.

A person does what has to happen within the assignment interval, or without leaving the group; what comes back with another
subscription, instance ID or assignor; and topics.
"""

from holdfast.rollout.broker_consumer.events.convert_consumer import ConvertConsumer
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.steps.steps import GroupStep
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches import INHERITED, FromOld, Then
from holdfast.rollout.execution.acts import Act, Acts, GroupSetting
from holdfast.rollout.execution.rolling_settings import as_text
from holdfast.rollout.journal.acted import Does

_PROCESSES = {ActionName.STOP_CLIENT: Does.STOP, ActionName.START_CLIENT: Does.START, ActionName.RESTART_CLIENT: Does.RESTART}


def acts(plan: GroupPlan, step: GroupStep) -> Acts | None:
    """None: a person does it."""
    item = step.item
    if isinstance(item, Then) or not all(action in _PROCESSES for action in item.ACTIONS):
        return None
    if item.in_interval() or item.crashes() or item.leaves_as_static() or comes_back_otherwise(item):
        return None
    if isinstance(item, ReplaceConsumer):
        return None  # the new one joins before the coordinator computes without the old one
    known = tuple(one for action in item.ACTIONS if (one := _act(plan, _PROCESSES[action], item)) is not None)
    return Acts(item.ACTIONS, known) if len(known) == len(item.ACTIONS) else None


def comes_back_otherwise(item: ConsumerEvent) -> bool:
    """Whether a consumer that restarts comes back with something that people have to set."""
    if not isinstance(item, RestartConsumer):
        return isinstance(item, ConvertConsumer)
    back = item.given
    return not item.within_session or any(
        one is not INHERITED for one in (back.subscription, back.subscription_regex, back.instance_id, back.client_id)
    )


def _act(plan: GroupPlan, does: Does, item: ConsumerEvent) -> Act | None:
    """None: the member comes in the plan's own course, and makes its member ID itself."""
    if does is Does.START:
        comes = item.comes()
        return None if comes is None else _started(comes.consumer)
    member = next((one for one in plan.basis.members if one.member_id == item.stops()), None)
    if member is None:
        return None
    names = tuple(name for name in (member.instance_id, member.client_id) if name)
    return Act(does, member.member_id, member.host, names)


def _started(new: NewConsumer) -> Act:
    given = [one for one in (new.instance_id, new.client_id) if isinstance(one, str) and not isinstance(one, FromOld)]
    host = new.host if isinstance(new.host, str) and not isinstance(new.host, FromOld) else None
    return Act(Does.START, "", host, tuple(one for one in given if one))


def sets(plan: GroupPlan, step: GroupStep) -> tuple[GroupSetting, ...]:
    """What the step expects is what the plan's snapshot had, and what the steps before it have set."""
    if isinstance(step.item, Then):
        return ()
    config = dict(plan.basis.config)
    for one in plan.steps[: plan.steps.index(step)]:
        config |= dict(() if isinstance(one.item, Then) else one.item.configures())
    return tuple(GroupSetting(key, as_text(config.get(key)), as_text(value)) for key, value in step.item.configures())


def waits(step: GroupStep) -> bool:
    return isinstance(step.item, Then)
