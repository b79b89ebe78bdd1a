"""Partitions that are read without the names of their topics and racks, for every kind of consumer group."""

from collections.abc import Iterable

from holdfast.kafka.consumer.group import Member
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names


def partition(one: ConsumedPartition, names: Names) -> ConsumedPartition:
    return ConsumedPartition(
        replica_racks=tuple(names.maybe(Role.RACK, rack) for rack in one.replica_racks),
        begin_offset=one.begin_offset,
        end_offset=one.end_offset,
        committed_offset=one.committed_offset,
        uncommitted=one.uncommitted,
    )


def partitions(found: Iterable[TopicPartition], names: Names) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(names.of(Role.TOPIC, one.topic), one.partition) for one in found)


def take_classic_member(found: Found, member: Member) -> None:
    found.add(Role.MEMBER, member.member_id)
    found.add(Role.CLIENT, member.client_id)
    found.add(Role.INSTANCE, member.group_instance_id)
    found.add(Role.HOST, member.host)
    found.add(Role.RACK, member.rack)
    found.add(Role.TOPIC, *member.subscription, *(partition.topic for partition in member.owned))


def classic_member(member: Member, names: Names) -> Member:
    return Member(
        member_id=names.of(Role.MEMBER, member.member_id),
        assignors=member.assignors,
        subscription=names.each(Role.TOPIC, member.subscription),
        owned=partitions(member.owned, names),
        owned_generation=member.owned_generation,
        group_instance_id=names.maybe(Role.INSTANCE, member.group_instance_id),
        rack=names.maybe(Role.RACK, member.rack),
        client_id=names.of(Role.CLIENT, member.client_id),
        host=names.maybe(Role.HOST, member.host),
    )
