"""What going back means for the steps of a plan for a streams group whose broker assigns."""

from holdfast.rollout.broker_streams.events.set_config import SetConfig
from holdfast.rollout.broker_streams.execution.acts import sets
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.steps.steps import BrokerStep
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.execution.undo import Nature, Rollback
from holdfast.rollout.journal.back import ClientSeen

_PROCESSES = (ActionName.STOP_CLIENT, ActionName.START_CLIENT)


def rollback(plan: BrokerPlan, step: BrokerStep) -> Rollback:
    item = step.item
    if isinstance(item, Then):
        return Rollback(Nature.NOTHING)
    if isinstance(item, SetConfig):
        return Rollback(Nature.CONFIGS, configs=sets(plan, step))
    comes = item.comes()
    if all(one in _PROCESSES for one in item.ACTIONS):
        return Rollback(Nature.PROCESSES, item.stops(), () if comes is None else (comes[0].process_id,))
    if item.grows() is not None or item.lost_disks():
        return Rollback(Nature.LOST)
    if item.restarts() and comes is not None and comes[0].process_id == item.stops()[0] and not item.becomes_instances():
        threads = sum(one.process_id == comes[0].process_id for one in plan.basis.members)
        return Rollback(Nature.AS_BEFORE if comes[0].threads in (None, threads) else Nature.PERSON)
    return Rollback(Nature.PERSON)


def clients(snapshot: StreamsGroupSnapshot) -> tuple[ClientSeen, ...]:
    found: dict[str, list[str]] = {}
    for one in snapshot.members:
        found.setdefault(one.process_id or one.member_id, []).append(one.member_id)
    return tuple(ClientSeen(name, tuple(sorted(members))) for name, members in found.items())


def planned_for(plan: BrokerPlan) -> tuple[str, ...]:
    return tuple(one.name for one in clients(plan.basis))
