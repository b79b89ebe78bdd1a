"""What a coordinator keeps of a streams group in `__consumer_offsets`: records 17 and 19 to 23. Kafka 4.1 to 4.4.

Java: the generated `StreamsGroup…Key` and `StreamsGroup…Value` of kafka-group-coordinator, all in version 0. A key's version is its
kind. Every target that was ever computed is in the log: record 21 of each member whose target changed, then record 20.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from holdfast.errors import Unsupported
from holdfast.kafka.coordinator.streams.group import Tasks
from holdfast.kafka.wire.buffer import Reader
from holdfast.kafka.wire.compact import CompactReader
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks, endpoint, internal_topics, owned_tasks, pairs, tasks


class RecordKind(IntEnum):
    GROUP_METADATA = 17
    MEMBER_METADATA = 19
    TARGET_METADATA = 20
    TARGET_MEMBER = 21
    CURRENT_MEMBER = 22
    TOPOLOGY = 23


_OF_MEMBERS = frozenset((RecordKind.MEMBER_METADATA, RecordKind.TARGET_MEMBER, RecordKind.CURRENT_MEMBER))
_KINDS = {kind.value: kind for kind in RecordKind}


@dataclass(frozen=True, slots=True)
class RecordKey:
    """`member_id` None: a record of the whole group."""

    kind: RecordKind
    group_id: str
    member_id: str | None = None


@dataclass(frozen=True, slots=True)
class GroupMetadata:
    """17. `validated_topology_epoch`, `assignment_configs`: None where the coordinator wrote none."""

    epoch: int
    metadata_hash: int
    validated_topology_epoch: int | None
    assignment_configs: tuple[tuple[str, str], ...] | None


@dataclass(frozen=True, slots=True)
class MemberMetadata:
    """19."""

    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    topology_epoch: int
    process_id: str
    user_endpoint: str | None
    client_tags: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TargetMetadata:
    """20. `timestamp_ms`: when the target was computed (from 4.3)."""

    epoch: int
    timestamp_ms: int | None


@dataclass(frozen=True, slots=True)
class TargetMember:
    """21."""

    target: OwnedTasks


@dataclass(frozen=True, slots=True)
class CurrentMember:
    """22. `state`: `StreamsGroupMember.MemberState`, 1 is stable."""

    member_epoch: int
    previous_member_epoch: int
    state: int
    assignment: OwnedTasks
    revoking_active: Tasks
    revoking_standby: Tasks
    revoking_warmup: Tasks


@dataclass(frozen=True, slots=True)
class StoredSubtopology:
    """Copartition groups are three lists of places: among source topics, their patterns, repartition source topics."""

    id: str
    source_topics: tuple[str, ...]
    source_topic_patterns: tuple[str, ...]
    changelog_topics: tuple[InternalTopic, ...]
    repartition_sink_topics: tuple[str, ...]
    repartition_source_topics: tuple[InternalTopic, ...]
    copartition_groups: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class StoredTopology:
    """23."""

    epoch: int
    subtopologies: tuple[StoredSubtopology, ...]


RecordValue = GroupMetadata | MemberMetadata | TargetMetadata | TargetMember | CurrentMember | StoredTopology


def decode_key(data: bytes) -> RecordKey | None:
    """None for a key of another kind (an offset, a group of another protocol). Raise MalformedBytes."""
    reader = Reader(data, "key of a streams group's record")
    kind = _KINDS.get(reader.int16("the kind"))
    if kind is None:
        return None
    group_id = reader.string("the group ID")
    member_id = reader.string("the member ID") if kind in _OF_MEMBERS else None
    reader.end()
    return RecordKey(kind, group_id, member_id)


def decode_value(kind: RecordKind, data: bytes) -> RecordValue:
    """Raise MalformedBytes, and Unsupported for a version that is unknown. A tombstone has no value to decode."""
    reader = CompactReader(data, f"value of record {kind.value}")
    version = reader.int16("the version")
    if version != 0:
        raise Unsupported(f"version {version} of record {kind.value} of a streams group is unknown; only 0 is read")
    value = _READERS[kind](reader)
    reader.end()
    return value


def _group_metadata(reader: CompactReader) -> GroupMetadata:
    epoch, metadata_hash = reader.int32("the epoch"), reader.int64("the metadata hash")
    tagged = reader.tagged()
    validated = configs = None
    if 0 in tagged:
        part = CompactReader(tagged[0], "validated topology epoch")
        validated = part.int32("the epoch")
        part.end()
    if 1 in tagged:
        part = CompactReader(tagged[1], "last assignment configs")
        configs = part.nullable_array(3, "configs", _config) or None
        part.end()
    return GroupMetadata(epoch, metadata_hash, validated, configs)


def _config(reader: CompactReader) -> tuple[str, str]:
    config = reader.compact_string("a config's name"), reader.compact_string("a config's value")
    reader.end_of_structure()
    return config


def _member_metadata(reader: CompactReader) -> MemberMetadata:
    member = MemberMetadata(
        instance_id=reader.compact_nullable_string("an instance ID"),
        rack_id=reader.compact_nullable_string("a rack"),
        client_id=reader.compact_string("a client ID"),
        client_host=reader.compact_string("a client host"),
        rebalance_timeout_ms=reader.int32("a rebalance timeout"),
        topology_epoch=reader.int32("a topology epoch"),
        process_id=reader.compact_string("a process ID"),
        user_endpoint=endpoint(reader),
        client_tags=pairs(reader, "client tags"),
    )
    reader.end_of_structure()
    return member


def _target_metadata(reader: CompactReader) -> TargetMetadata:
    epoch = reader.int32("the assignment epoch")
    tagged = reader.tagged()
    timestamp = None
    if 0 in tagged:
        part = CompactReader(tagged[0], "assignment timestamp")
        timestamp = part.int64("the timestamp")
        part.end()
    return TargetMetadata(epoch, timestamp)


def _target_member(reader: CompactReader) -> TargetMember:
    target = owned_tasks(reader)
    reader.end_of_structure()
    return TargetMember(target)


def _current_member(reader: CompactReader) -> CurrentMember:
    member = CurrentMember(
        member_epoch=reader.int32("the member epoch"),
        previous_member_epoch=reader.int32("the previous member epoch"),
        state=reader.int8("the member's state"),
        assignment=owned_tasks(reader),
        revoking_active=tasks(reader, "active tasks that are revoked"),
        revoking_standby=tasks(reader, "standby tasks that are revoked"),
        revoking_warmup=tasks(reader, "warm-up tasks that are revoked"),
    )
    reader.end_of_structure()
    return member


def _topology(reader: CompactReader) -> StoredTopology:
    topology = StoredTopology(reader.int32("the topology epoch"), reader.array(8, "subtopologies", _subtopology))
    reader.end_of_structure()
    return topology


def _subtopology(reader: CompactReader) -> StoredSubtopology:
    subtopology = StoredSubtopology(
        id=reader.compact_string("a subtopology ID"),
        source_topics=reader.strings("source topics"),
        source_topic_patterns=reader.strings("patterns of source topics"),
        changelog_topics=internal_topics(reader, "changelog topics"),
        repartition_sink_topics=reader.strings("repartition sink topics"),
        repartition_source_topics=internal_topics(reader, "repartition source topics"),
        copartition_groups=reader.array(4, "copartition groups", _copartition_group),
    )
    reader.end_of_structure()
    return subtopology


def _copartition_group(reader: CompactReader) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    group = _places(reader), _places(reader), _places(reader)
    reader.end_of_structure()
    return group


def _places(reader: CompactReader) -> tuple[int, ...]:
    return reader.array(2, "places of copartitioned topics", lambda one: one.int16("a place"))


_READERS: dict[RecordKind, Callable[[CompactReader], RecordValue]] = {
    RecordKind.GROUP_METADATA: _group_metadata,
    RecordKind.MEMBER_METADATA: _member_metadata,
    RecordKind.TARGET_METADATA: _target_metadata,
    RecordKind.TARGET_MEMBER: _target_member,
    RecordKind.CURRENT_MEMBER: _current_member,
    RecordKind.TOPOLOGY: _topology,
}
