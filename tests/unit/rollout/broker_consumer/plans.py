"""Plans for the small consumer group of `groups`, and the group after them: with other IDs than the plan's example."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.unit.rollout.broker_consumer.groups import group

from holdfast.rollout.broker_consumer.change.change import GroupChange, Item
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.execution.verify import owners_at_the_end
from holdfast.rollout.broker_consumer.forecast.forecast import forecast
from holdfast.rollout.broker_consumer.plan.plan import Considered, GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import FromOld
from holdfast.rollout.coordinated import chance
from holdfast.rollout.policy.policy import Policy
from holdfast.workflows import plan as planning

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
QUICK = Policy(start_up_s_least=1, start_up_s=2, start_up_s_most=4)
"""Consumers of this team are back within every interval."""
Case = dict[str, Any]
STABLE: Case = {"then": "stable"}


def planned(*events: Case, of: Case | None = None, policy: Policy | None = None, **how: Any) -> GroupPlan:
    document = {"cluster": "prod", "captured_at": "2026-11-23T11:59:00Z", "group_state": "Stable"} | (of or group("uniform"))
    change = {"format_version": "1.0", "events": list(events)}
    plan: GroupPlan = planning.make_from(("s", document), ("c", change), policy or QUICK, NOON, **how)
    return plan


def restart(member_id: str, **fields: Any) -> Case:
    return {"restart_consumer": {"member_id": member_id} | fields}


def option(plan: GroupPlan, name: str) -> Considered:
    return next(one for one in plan.candidates if one.name == name)


def carried_out(plan: GroupPlan) -> GroupChange:
    """The recommended change with IDs that consumers may have got."""
    assert plan.recommended_option is not None
    change = plan.recommended_option.change
    return replace(change, events=tuple(_named(number, item) for number, item in enumerate(change.events)))


def _named(number: int, item: Item) -> Item:
    return item.drawn(chance.member_id("another draw", number)) if isinstance(item, ConsumerEvent) and item.comes() else item


def after(plan: GroupPlan, change: GroupChange | None = None, **differs: Any) -> BrokerConsumerSnapshot:
    """The stable group after `change`; None: the recommended one, all of it, with IDs of its own."""
    change = change or carried_out(plan)
    outcome = forecast(plan.basis, change).outcome
    owners = owners_at_the_end(plan.basis, change, outcome)
    members = {one.member_id: one for one in plan.basis.members}
    came = {one.consumer.member_id: one for one in change.starts()}
    found = []
    for member_id in outcome.member_ids:
        one = members.get(member_id)
        if one is None:
            start = came[member_id]
            old = members.get(start.old or "") or BrokerConsumer(member_id, subscription=("orders",))
            given = {
                name: value
                for name in ("subscription", "instance_id", "host", "client_id")
                if not isinstance(value := getattr(start.consumer, name), FromOld)
            }
            one = replace(old, member_id=member_id, **given)
        mine = tuple(sorted(partition for partition, owner in owners.items() if owner == member_id))
        found.append(replace(one, assignment=mine, target=mine))
    epochs = [one.group_epoch for one in outcome.targets] or [plan.basis.group_epoch]
    group_of = replace(
        plan.basis, members=tuple(found), group_epoch=epochs[-1], assignment_epoch=epochs[-1], captured_at="2026-11-23T12:10:00Z"
    )
    return replace(group_of, **differs)
