"""A group as the broker keeps it in `__consumer_offsets`: one record a completed rebalance.

Java: `GroupMetadataKey` (version 2) and `GroupMetadataValue` (versions 0 to 4, 0.9 to 4.3; 4 is compact), and
`GroupCoordinator.partitionFor`.
"""

from dataclasses import dataclass

from holdfast.errors import Unsupported
from holdfast.kafka import java
from holdfast.kafka.wire.buffer import Reader

GROUP_METADATA_KEY_VERSION = 2
LATEST_VALUE_VERSION = 4
_FIRST_COMPACT_VERSION = 4


@dataclass(frozen=True, slots=True)
class StoredMember:
    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    subscription: bytes
    assignment: bytes
    session_timeout_ms: int


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """`state_timestamp_ms` is when the group came into its present state; None where the version does not say."""

    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    state_timestamp_ms: int | None
    members: tuple[StoredMember, ...]


def partition_for(group_id: str, partitions: int) -> int:
    """The partition of `__consumer_offsets` that a group lives in. Java: `Utils.abs(groupId.hashCode()) % partitions`."""
    hash_code = java.string_hash(group_id)
    return (0 if hash_code == -(2**31) else abs(hash_code)) % partitions


def decode_key(data: bytes) -> str | None:
    """The group ID; None for a key of another kind (an offset, or a group of another protocol). Raise MalformedBytes."""
    reader = Reader(data, "GroupMetadataKey")
    if reader.int16("the version") != GROUP_METADATA_KEY_VERSION:
        return None
    return reader.string("the group")


def generation_of(data: bytes) -> int:
    """The generation of a value, without its members. Raise as `decode_value`."""
    return _head(Reader(data, "GroupMetadataValue"))[3]


def decode_value(data: bytes) -> StoredGroup:
    """Raise MalformedBytes, and Unsupported for a version that is unknown."""
    reader = Reader(data, "GroupMetadataValue")
    version, fields, protocol_type, generation = _head(reader)
    protocol = fields.string("the protocol")
    leader = fields.string("the leader")
    timestamp = reader.int64("the state's timestamp") if version >= 2 else -1
    members = tuple(_member(reader, fields, version) for _ in range(fields.count("members")))
    fields.end_of_structure()
    return StoredGroup(protocol_type, generation, protocol, leader, timestamp if timestamp >= 0 else None, members)


def _head(reader: Reader) -> tuple[int, "_Fields", str, int]:
    """The version, how it is read, the protocol type and the generation."""
    version = reader.int16("the version")
    if not 0 <= version <= LATEST_VALUE_VERSION:
        raise Unsupported(f"version {version} of GroupMetadataValue is unknown; known are 0 to {LATEST_VALUE_VERSION}")
    fields = _CompactFields(reader) if version >= _FIRST_COMPACT_VERSION else _Fields(reader)
    return version, fields, fields.string("the protocol type") or "", reader.int32("the generation")


def _member(reader: Reader, fields: "_Fields", version: int) -> StoredMember:
    member_id = fields.string("a member ID") or ""
    instance = fields.string("a group instance ID") if version >= 3 else None
    client_id = fields.string("a client ID") or ""
    client_host = fields.string("a client host") or ""
    if version >= 1:
        reader.int32("a rebalance timeout")
    session_timeout_ms = reader.int32("a session timeout")
    subscription, assignment = fields.bytes("a subscription"), fields.bytes("an assignment")
    member = StoredMember(member_id, instance, client_id, client_host, subscription, assignment, session_timeout_ms)
    fields.end_of_structure()
    return member


class _Fields:
    """Lengths of 16 and 32 bits: versions 0 to 3."""

    smallest_member = 8

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def string(self, what: str) -> str | None:
        return self.reader.nullable_string(what)

    def bytes(self, what: str) -> bytes:
        return self.reader.sized_bytes(what)

    def count(self, what: str) -> int:
        return self.reader.count(self.smallest_member, what)

    def end_of_structure(self) -> None:
        """These versions have nothing there."""


class _CompactFields(_Fields):
    """Lengths plus one as unsigned varints (0: null), and tagged fields at the end of each structure: version 4."""

    def string(self, what: str) -> str | None:
        length = self.reader.unsigned_varint(f"the length of {what}")
        return None if length == 0 else self.reader.utf8(self.reader.take(length - 1, what), what)

    def bytes(self, what: str) -> bytes:
        return self.reader.take(self.reader.unsigned_varint(f"the length of {what}") - 1, what)

    def count(self, what: str) -> int:
        number = self.reader.unsigned_varint(f"the number of {what}") - 1
        if number < 0 or number * self.smallest_member > self.reader.remaining:
            raise self.reader.malformed(f"{number} {what} do not fit into the {self.reader.remaining} bytes that are left")
        return number

    def end_of_structure(self) -> None:
        for _ in range(self.reader.unsigned_varint("the number of tagged fields")):
            self.reader.unsigned_varint("a tag")
            self.reader.take(self.reader.unsigned_varint("the length of a tagged field"), "a tagged field")
