"""The bytes of messages and records of streams groups, as Kafka writes them (flexible versions, KIP-482)."""

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from holdfast.kafka.coordinator.streams.group import Tasks
from holdfast.kafka.wire.streams_group_description import DescribedGroup, DescribedMember, DescribedSubtopology, DescribedTopology
from holdfast.kafka.wire.streams_group_records import (
    CurrentMember,
    GroupMetadata,
    MemberMetadata,
    RecordValue,
    StoredTopology,
    TargetMember,
    TargetMetadata,
)
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks

END = b"\0"
"""No tagged field."""


def varint(value: int) -> bytes:
    found = b""
    while value > 0x7F:
        found += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return found + bytes((value,))


def text(value: str | None) -> bytes:
    return b"\0" if value is None else varint(len(value.encode()) + 1) + value.encode()


def array(values: Iterable[Any] | None, write: Callable[[Any], bytes]) -> bytes:
    if values is None:
        return b"\0"
    found = [write(one) for one in values]
    return varint(len(found) + 1) + b"".join(found)


def int16(value: int) -> bytes:
    return struct.pack(">h", value)


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def int64(value: int) -> bytes:
    return struct.pack(">q", value)


def maybe(value: Any, write: Callable[[Any], bytes]) -> bytes:
    return b"\xff" if value is None else b"\1" + write(value)


def tagged(fields: Mapping[int, bytes]) -> bytes:
    return varint(len(fields)) + b"".join(varint(tag) + varint(len(data)) + data for tag, data in sorted(fields.items()))


def tasks(found: Tasks) -> bytes:
    return array(found, lambda one: text(one[0]) + array(one[1], int32) + END)


def owned(found: OwnedTasks) -> bytes:
    return tasks(found.active) + tasks(found.standby) + tasks(found.warmup)


def pairs(found: Iterable[tuple[str, str]]) -> bytes:
    return array(found, lambda one: text(one[0]) + text(one[1]) + END)


def topics(found: Iterable[InternalTopic]) -> bytes:
    return array(
        found, lambda one: text(one.name) + int32(one.partitions) + int16(one.replication_factor) + pairs(one.configs) + END
    )


def endpoint(value: str) -> bytes:
    host, _, port = value.rpartition(":")
    return text(host) + struct.pack(">H", int(port)) + END


def described(groups: Iterable[DescribedGroup], version: int) -> bytes:
    """The body of a StreamsGroupDescribe response."""
    return int32(0) + array(groups, lambda one: _group(one, version)) + END


def _group(one: DescribedGroup, version: int) -> bytes:
    newer = b"\xff\0" + text(one.assignor) if version >= 1 else b""
    return (
        int16(one.error_code)
        + text(one.error_message)
        + text(one.group_id)
        + text(one.state)
        + int32(one.group_epoch)
        + int32(one.assignment_epoch)
        + maybe(one.topology, _topology)
        + array(one.members, _member)
        + int32(one.authorized_operations)
        + newer
        + END
    )


def _topology(one: DescribedTopology) -> bytes:
    return int32(one.epoch) + array(one.subtopologies, _subtopology) + END


def _subtopology(one: DescribedSubtopology) -> bytes:
    names = array(one.source_topics, text) + array(one.repartition_sink_topics, text)
    return text(one.id) + names + topics(one.changelog_topics) + topics(one.repartition_source_topics) + END


def _member(one: DescribedMember) -> bytes:
    names = text(one.instance_id) + text(one.rack_id) + text(one.client_id) + text(one.client_host)
    offsets = b"".join(
        array(found, lambda each: text(each[0].subtopology) + int32(each[0].partition) + int64(each[1]) + END)
        for found in (one.task_offsets, one.task_end_offsets)
    )
    process = int32(one.topology_epoch) + text(one.process_id) + maybe(one.user_endpoint, endpoint) + pairs(one.client_tags)
    both = owned(one.assignment) + END + owned(one.target) + END
    return text(one.member_id) + int32(one.member_epoch) + names + process + offsets + both + bytes((one.is_classic,)) + END


def record(value: RecordValue) -> bytes:
    """The value of a record, with its version."""
    return int16(0) + _VALUES[type(value)](value)


def _metadata(one: GroupMetadata) -> bytes:
    fields = {} if one.validated_topology_epoch is None else {0: int32(one.validated_topology_epoch)}
    if one.assignment_configs:
        fields[1] = pairs(one.assignment_configs)
    return int32(one.epoch) + int64(one.metadata_hash) + tagged(fields)


def _member_metadata(one: MemberMetadata) -> bytes:
    names = text(one.instance_id) + text(one.rack_id) + text(one.client_id) + text(one.client_host)
    numbers = int32(one.rebalance_timeout_ms) + int32(one.topology_epoch)
    return names + numbers + text(one.process_id) + maybe(one.user_endpoint, endpoint) + pairs(one.client_tags) + END


def _target_metadata(one: TargetMetadata) -> bytes:
    return int32(one.epoch) + tagged({} if one.timestamp_ms is None else {0: int64(one.timestamp_ms)})


def _current(one: CurrentMember) -> bytes:
    revoking = b"".join(map(tasks, (one.revoking_active, one.revoking_standby, one.revoking_warmup)))
    numbers = int32(one.member_epoch) + int32(one.previous_member_epoch) + struct.pack(">b", one.state)
    return numbers + owned(one.assignment) + revoking + END


def _stored(one: StoredTopology) -> bytes:
    def places(found: Iterable[int]) -> bytes:
        return array(found, int16)

    def subtopology(each: Any) -> bytes:
        groups = array(each.copartition_groups, lambda group: b"".join(map(places, group)) + END)
        names = text(each.id) + array(each.source_topics, text) + array(each.source_topic_patterns, text)
        sinks = array(each.repartition_sink_topics, text)
        return names + topics(each.changelog_topics) + sinks + topics(each.repartition_source_topics) + groups + END

    return int32(one.epoch) + array(one.subtopologies, subtopology) + END


_VALUES: Mapping[type, Callable[[Any], bytes]] = {
    GroupMetadata: _metadata,
    MemberMetadata: _member_metadata,
    TargetMetadata: _target_metadata,
    TargetMember: lambda one: owned(one.target) + END,
    CurrentMember: _current,
    StoredTopology: _stored,
}


def key(kind: int, group_id: str, member_id: str | None = None) -> bytes:
    names = (group_id,) if member_id is None else (group_id, member_id)
    return int16(kind) + b"".join(int16(len(one.encode())) + one.encode() for one in names)
