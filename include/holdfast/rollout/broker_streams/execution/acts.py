"""What Holdfast can do by itself of a plan for a streams group whose broker assigns: stop, start and restart processes.

A person does what has to happen within the assignment interval, or without leaving the group, with another process ID or disk; and
partitions. Configs of the group are set at the brokers. Of a move it does all but process IDs.
"""

from holdfast.rollout.broker_streams.events.add_client import AddClient
from holdfast.rollout.broker_streams.events.remove_client import RemoveClient
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.broker_streams.events.set_group_protocol import SetGroupProtocol
from holdfast.rollout.broker_streams.events.start_moved_client import StartMovedClient
from holdfast.rollout.broker_streams.events.stop_classic_clients import StopClassicClients
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamThread
from holdfast.rollout.broker_streams.steps.steps import BrokerStep
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.execution.acts import Act, Acts, GroupSetting
from holdfast.rollout.execution.rolling_settings import ClientSetting, Configuring, Roll, as_text
from holdfast.rollout.journal.acted import Does


def acts(plan: BrokerPlan, step: BrokerStep) -> Acts | None:
    """None: a person does it."""
    match step.item:
        case Then():
            return None
        case item if item.in_interval() or item.unnoticed() or item.seeds() or item.copies_disk() or item.lost_disks():
            return None
        case RestartClient() as item if item.keeps_process_id and item.threads in (None, _threads(plan, item.process_id)):
            return Acts(item.ACTIONS, (_act(plan, Does.RESTART, item.process_id),))
        case RemoveClient() as item:
            return Acts(item.ACTIONS, (_act(plan, Does.STOP, item.process_id),))
        case StopClassicClients(process_ids) as item:
            return Acts(item.ACTIONS, tuple(_act(plan, Does.STOP, one) for one in process_ids))
        case StartMovedClient() as item if item.threads in (None, _threads(plan, item.process_id)):
            return Acts(item.ACTIONS, (_act(plan, Does.START, item.process_id),))
        case AddClient(client):
            return Acts(step.item.ACTIONS, (Act(Does.START, client.process_id or "", client.host),))
        case _:
            return None


def sets(plan: BrokerPlan, step: BrokerStep) -> tuple[GroupSetting, ...]:
    """What the step expects is what the plan's snapshot had, and what the steps before it have set."""
    if not isinstance(step.item, SetConfig):
        return ()
    config = dict(plan.basis.config)
    for one in plan.steps[: plan.steps.index(step)]:
        if isinstance(one.item, SetConfig):
            config |= dict(one.item.settings)
    return tuple(GroupSetting(key, as_text(config.get(key)), as_text(value)) for key, value in step.item.settings)


_TO_STREAMS = ClientSetting("group.protocol", "classic", "streams", "classic")


def roll(plan: BrokerPlan, step: BrokerStep) -> Roll | None:
    """Of a move: its clients get the setting, and restart with a later step."""
    if not isinstance(step.item, SetGroupProtocol):
        return None
    each = (Configuring((_TO_STREAMS,), (), _act(plan, Does.RESTART, one)) for one in step.item.process_ids)
    return Roll(step.id, (tuple(each),))


def _act(plan: BrokerPlan, does: Does, process_id: str) -> Act:
    members = _members(plan, process_id)
    names = dict.fromkeys(one.instance_id for one in members if one.instance_id)
    return Act(does, process_id, next((one.host for one in members if one.host), None), tuple(names))


def _members(plan: BrokerPlan, process_id: str) -> tuple[StreamThread, ...]:
    return tuple(one for one in plan.basis.members if one.process_id == process_id)


def _threads(plan: BrokerPlan, process_id: str) -> int:
    return len(_members(plan, process_id))


def waits(step: BrokerStep) -> bool:
    return isinstance(step.item, Then)
