"""The JoinGroup bytes of a consumer, read and written. Java: `ConsumerCoordinator.metadata`, and the assignors' user data.

A member sends one subscription for each of its assignors; they differ in their user data only.
"""

from holdfast.errors import MalformedBytes
from holdfast.kafka import java
from holdfast.kafka.consumer.group import Assignor, Member
from holdfast.kafka.consumer.release import Behaviour, behaviour, subscription_version
from holdfast.kafka.consumer.reports import NO_GENERATION, grouped_by_topic
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire import sticky_user_data
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolSubscription, decode_subscription, encode_subscription

_WITH_GENERATION_AND_RACK = 3


def encode(member: Member, assignor: Assignor, release: str) -> bytes:
    """What the member sends for this assignor."""
    line, version = behaviour(release), subscription_version(release)
    owned = member.owned if member.cooperative else ()
    fills = version >= _WITH_GENERATION_AND_RACK
    return encode_subscription(
        ConsumerProtocolSubscription(
            version=version,
            topics=tuple(sorted(member.subscription, key=java.string_order)) if line.owned_sorted_on_wire else member.subscription,
            user_data=_user_data(member, assignor, line),
            owned=tuple(sorted(owned, key=_wire_order)) if line.owned_sorted_on_wire else grouped_by_topic(owned),
            generation_id=_generation(member) if fills else NO_GENERATION,
            rack_id=member.rack if fills else None,
        )
    )


def decode(data: bytes, member_id: str, assignor: Assignor, others: tuple[Assignor, ...] = ()) -> Member:
    """The member as it reports itself for this assignor; `others`: the known rest of its list.

    Raise MalformedBytes where the envelope is none. User data that cannot be read counts as none, as in Kafka's leader.
    """
    envelope = decode_subscription(data)
    owned, generation = envelope.owned, envelope.generation_id
    if assignor is Assignor.STICKY:
        owned, generation = _sticky(envelope)
    elif assignor is Assignor.COOPERATIVE_STICKY and generation < 0:
        generation = _cooperative_generation(envelope)
    return Member(
        member_id,
        (assignor, *others),
        envelope.topics,
        owned,
        None if generation < 0 else generation,
        rack=envelope.rack_id or None,
    )


def _user_data(member: Member, assignor: Assignor, line: Behaviour) -> bytes | None:
    if assignor is Assignor.STICKY:
        if not member.owned and member.owned_generation is None:
            return None
        return sticky_user_data.encode_sticky(grouped_by_topic(member.owned), _generation(member))
    if assignor is Assignor.COOPERATIVE_STICKY and line.cooperative_generation:
        return sticky_user_data.encode_cooperative_sticky(_generation(member))
    return None


def _generation(member: Member) -> int:
    return NO_GENERATION if member.owned_generation is None else member.owned_generation


def _sticky(envelope: ConsumerProtocolSubscription) -> tuple[tuple[TopicPartition, ...], int]:
    if not envelope.user_data:
        return (), NO_GENERATION
    try:
        remembered = sticky_user_data.decode_sticky(envelope.user_data)
    except MalformedBytes:
        return (), NO_GENERATION
    return remembered.partitions, NO_GENERATION if remembered.generation is None else remembered.generation


def _cooperative_generation(envelope: ConsumerProtocolSubscription) -> int:
    try:
        return sticky_user_data.decode_cooperative_sticky(envelope.user_data or b"")
    except MalformedBytes:
        return NO_GENERATION


def _wire_order(partition: TopicPartition) -> tuple[bytes, int]:
    return java.string_order(partition.topic), partition.partition
