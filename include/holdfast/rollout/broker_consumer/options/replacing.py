"""A change that replaces one consumer, as two targets: the old consumer and the new one apart."""

from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.events.add_consumer import AddConsumer
from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.broker_consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.broker_consumer.events.replace_consumer import ReplaceConsumer
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import FromOld, Then, Wait


def old_first(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> GroupChange | None:
    both = _parted(snapshot, change)
    return None if both is None else GroupChange((both[0], Then(Wait.STABLE), both[1]))


def new_first(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> GroupChange | None:
    both = _parted(snapshot, change)
    return None if both is None else GroupChange((both[1], Then(Wait.STABLE), both[0]))


def _parted(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> tuple[RemoveConsumer, AddConsumer] | None:
    """None: it is no replacement of one consumer, or the new one takes the place of a static one, which both cannot have."""
    match change.statements():
        case (ReplaceConsumer(leaves=True) as one,):
            old = next((each for each in snapshot.members if each.member_id == one.member_id), None)
            if old is None:
                return None
            new = _as_added(one.by, old)
            same_place = old.instance_id is not None and new.instance_id == old.instance_id
            return None if same_place else (RemoveConsumer(one.member_id, leaves_group=one.leaves_group), AddConsumer(new))
        case _:
            return None


def _as_added(by: NewConsumer, old: BrokerConsumer) -> NewConsumer:
    """With what it inherits."""
    return NewConsumer(
        member_id=by.member_id,
        subscription=old.subscription if isinstance(by.subscription, FromOld) else by.subscription,
        subscription_regex=old.subscription_regex if isinstance(by.subscription_regex, FromOld) else by.subscription_regex,
        instance_id=old.instance_id if isinstance(by.instance_id, FromOld) else by.instance_id,
        client_id=old.client_id if isinstance(by.client_id, FromOld) else by.client_id,
        host=old.host if isinstance(by.host, FromOld) else by.host,
        rack=old.rack if isinstance(by.rack, FromOld) else by.rack,
    )
