"""Partitions that are read without the names of their topics and racks, for every kind of consumer group."""

from collections.abc import Iterable

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.redaction.found import Role
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
