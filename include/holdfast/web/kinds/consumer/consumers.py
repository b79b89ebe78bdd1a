"""The members of a consumer group on its page."""

from holdfast.errors import HoldfastError
from holdfast.kafka.consumer import plain
from holdfast.kafka.consumer.rebalances import Readers
from holdfast.rollout.consumer.snapshot import member_order
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.web.parts.consumer_members import MemberView, Reader, views


def consumers(one: ConsumerSnapshot) -> tuple[MemberView, ...]:
    """In the order in which Kafka assigns partitions."""
    ordered = plain.in_member_order(one.members)
    readers = [Reader(each.member_id, each.group_instance_id, each.host, each.rack) for each in ordered]
    return views(readers, _readers(one) or {}, one.topics)


def _readers(one: ConsumerSnapshot) -> Readers | None:
    try:
        return member_order.readers_of(one)
    except HoldfastError:
        return None
