"""What a coordinator keeps of a consumer group whose broker assigns in `__consumer_offsets`: records 3 to 8 and 16 (4.0 to 4.4).

Java: the generated `ConsumerGroup…Key` and `ConsumerGroup…Value` of kafka-group-coordinator, all in version 0. A key's version is
its kind. Every target that was ever computed is in the log: record 7 of each member whose target changed, then record 6.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from holdfast.errors import Unsupported
from holdfast.kafka.wire.buffer import Reader
from holdfast.kafka.wire.compact import CompactReader

_UUID_BYTES = 16


class ConsumerRecordKind(IntEnum):
    GROUP_METADATA = 3
    PARTITION_METADATA = 4
    MEMBER_METADATA = 5
    TARGET_METADATA = 6
    TARGET_MEMBER = 7
    CURRENT_MEMBER = 8
    REGULAR_EXPRESSION = 16


_WITH_A_NAME = {
    ConsumerRecordKind.MEMBER_METADATA: "the member ID",
    ConsumerRecordKind.TARGET_MEMBER: "the member ID",
    ConsumerRecordKind.CURRENT_MEMBER: "the member ID",
    ConsumerRecordKind.REGULAR_EXPRESSION: "the regular expression",
}
_KINDS = {kind.value: kind for kind in ConsumerRecordKind}

ById = tuple[tuple[int, tuple[int, ...]], ...]
"""Partitions by topic: the 128 bits of its ID, and its partitions, in the order of the record."""


@dataclass(frozen=True, slots=True)
class ConsumerRecordKey:
    """`name`: the member ID, or the regular expression; None: a record of the whole group."""

    kind: ConsumerRecordKind
    group_id: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ConsumerGroupMetadata:
    """3."""

    epoch: int


@dataclass(frozen=True, slots=True)
class SubscribedTopic:
    """`id`: the 128 bits of its Uuid."""

    name: str
    id: int
    partitions: int


@dataclass(frozen=True, slots=True)
class SubscribedTopics:
    """4, which releases since 4.1 do not write."""

    topics: tuple[SubscribedTopic, ...]


@dataclass(frozen=True, slots=True)
class ConsumerMetadata:
    """5. `assignor`: what the member asks for; None: nothing. `classic`: it uses the classic protocol."""

    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    subscription: tuple[str, ...]
    regex: str | None
    rebalance_timeout_ms: int
    assignor: str | None
    classic: bool


@dataclass(frozen=True, slots=True)
class ConsumerTargetMetadata:
    """6. `timestamp_ms`: when the target was computed (from 4.3)."""

    epoch: int
    timestamp_ms: int | None


@dataclass(frozen=True, slots=True)
class ConsumerTargetMember:
    """7."""

    target: ById


@dataclass(frozen=True, slots=True)
class CurrentConsumer:
    """8. `state`: `MemberState`, 0 is stable."""

    member_epoch: int
    previous_member_epoch: int
    state: int
    assignment: ById
    revoking: ById


@dataclass(frozen=True, slots=True)
class ResolvedExpression:
    """16: the topics that it matches."""

    topics: tuple[str, ...]


ConsumerRecordValue = (
    ConsumerGroupMetadata
    | SubscribedTopics
    | ConsumerMetadata
    | ConsumerTargetMetadata
    | ConsumerTargetMember
    | CurrentConsumer
    | ResolvedExpression
)


def decode_key(data: bytes) -> ConsumerRecordKey | None:
    """None for a key of another kind (an offset, a group of another protocol). Raise MalformedBytes."""
    reader = Reader(data, "key of a consumer group's record")
    kind = _KINDS.get(reader.int16("the kind"))
    if kind is None:
        return None
    group_id = reader.string("the group ID")
    name = reader.string(_WITH_A_NAME[kind]) if kind in _WITH_A_NAME else None
    reader.end()
    return ConsumerRecordKey(kind, group_id, name)


def decode_value(kind: ConsumerRecordKind, data: bytes) -> ConsumerRecordValue:
    """Raise MalformedBytes, and Unsupported for a version that is unknown. A tombstone has no value to decode."""
    reader = CompactReader(data, f"value of record {kind.value}")
    version = reader.int16("the version")
    if version != 0:
        raise Unsupported(f"version {version} of record {kind.value} of a consumer group is unknown; only 0 is read")
    value = _READERS[kind](reader)
    reader.end()
    return value


def _group_metadata(reader: CompactReader) -> ConsumerGroupMetadata:
    epoch = reader.int32("the epoch")
    reader.end_of_structure()
    return ConsumerGroupMetadata(epoch)


def _subscribed_topics(reader: CompactReader) -> SubscribedTopics:
    topics = reader.array(_UUID_BYTES, "topics", _subscribed_topic)
    reader.end_of_structure()
    return SubscribedTopics(topics)


def _subscribed_topic(reader: CompactReader) -> SubscribedTopic:
    topic_id, name = _uuid(reader), reader.compact_string("a topic")
    topic = SubscribedTopic(name, topic_id, reader.int32("the number of partitions"))
    reader.array(4, "partitions", _racks)
    reader.end_of_structure()
    return topic


def _racks(reader: CompactReader) -> None:
    """No release assigns by them."""
    reader.int32("a partition")
    reader.strings("racks")
    reader.end_of_structure()


def _member_metadata(reader: CompactReader) -> ConsumerMetadata:
    instance_id, rack_id = reader.compact_nullable_string("an instance ID"), reader.compact_nullable_string("a rack")
    client_id, client_host = reader.compact_string("a client ID"), reader.compact_string("a client host")
    subscription, regex = reader.strings("topics"), reader.compact_nullable_string("a regular expression")
    timeout = reader.int32("a rebalance timeout")
    assignor = reader.compact_nullable_string("an assignor")
    classic = _is_there(reader, reader.tagged().get(0))
    return ConsumerMetadata(instance_id, rack_id, client_id, client_host, subscription, regex, timeout, assignor, classic)


def _is_there(reader: CompactReader, structure: bytes | None) -> bool:
    """Of a nullable structure in a tagged field: 1, or 0 for null."""
    if structure is None:
        return False
    if structure[:1] not in (b"\0", b"\1"):
        raise reader.malformed("whether the member is a classic one is said by neither 0 nor 1")
    return structure[:1] == b"\1"


def _target_metadata(reader: CompactReader) -> ConsumerTargetMetadata:
    epoch = reader.int32("the assignment epoch")
    tagged = reader.tagged()
    timestamp = None
    if 0 in tagged:
        part = CompactReader(tagged[0], "assignment timestamp")
        timestamp = part.int64("the timestamp")
        part.end()
    return ConsumerTargetMetadata(epoch, timestamp)


def _target_member(reader: CompactReader) -> ConsumerTargetMember:
    target = _by_id(reader, "partitions of the target")
    reader.end_of_structure()
    return ConsumerTargetMember(target)


def _current_member(reader: CompactReader) -> CurrentConsumer:
    member = CurrentConsumer(
        member_epoch=reader.int32("the member epoch"),
        previous_member_epoch=reader.int32("the previous member epoch"),
        state=reader.int8("the member's state"),
        assignment=_by_id(reader, "partitions"),
        revoking=_by_id(reader, "partitions that are revoked"),
    )
    reader.end_of_structure()
    return member


def _regular_expression(reader: CompactReader) -> ResolvedExpression:
    found = ResolvedExpression(reader.strings("topics"))
    reader.int64("the version of the metadata")
    reader.int64("the moment")
    reader.end_of_structure()
    return found


def _by_id(reader: CompactReader, what: str) -> ById:
    return reader.array(_UUID_BYTES, what, _of_topic)


def _of_topic(reader: CompactReader) -> tuple[int, tuple[int, ...]]:
    found = _uuid(reader), reader.numbers("partitions")
    reader.end_of_structure()
    return found


def _uuid(reader: CompactReader) -> int:
    return int.from_bytes(reader.take(_UUID_BYTES, "a topic ID"), "big")


_READERS: dict[ConsumerRecordKind, Callable[[CompactReader], ConsumerRecordValue]] = {
    ConsumerRecordKind.GROUP_METADATA: _group_metadata,
    ConsumerRecordKind.PARTITION_METADATA: _subscribed_topics,
    ConsumerRecordKind.MEMBER_METADATA: _member_metadata,
    ConsumerRecordKind.TARGET_METADATA: _target_metadata,
    ConsumerRecordKind.TARGET_MEMBER: _target_member,
    ConsumerRecordKind.CURRENT_MEMBER: _current_member,
    ConsumerRecordKind.REGULAR_EXPRESSION: _regular_expression,
}
