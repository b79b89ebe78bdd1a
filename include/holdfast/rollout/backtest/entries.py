"""Records of `__consumer_offsets` about one group, as bytes: kept in files, and read as what they say."""

import struct
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, Self

from holdfast.errors import HoldfastError, MalformedBytes
from holdfast.kafka.wire import consumer_group_records, group_metadata, streams_group_records
from holdfast.kafka.wire.consumer_group_records import ConsumerRecordValue
from holdfast.kafka.wire.group_metadata import StoredGroup
from holdfast.kafka.wire.streams_group_records import RecordValue
from holdfast.rollout.backtest.coordinated import ConsumerGroupRecord, CoordinatorRecord, PastEntry, Unreadable
from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.json import instants

_HEAD = struct.Struct(">qii")
"""When a record was written, and how long its key and its value are."""
_TOMBSTONE = -1
"""The length of a value that is none."""


class Readable(Protocol):
    """What a file opened for reading, or bytes in memory, can do."""

    def read(self, size: int, /) -> bytes: ...


class Frame(NamedTuple):
    """One record. `value` None: a tombstone."""

    written_at_ms: int
    key: bytes
    value: bytes | None

    def written(self) -> bytes:
        length = _TOMBSTONE if self.value is None else len(self.value)
        return _HEAD.pack(self.written_at_ms, len(self.key), length) + self.key + (self.value or b"")

    @classmethod
    def read(cls, file: Readable) -> Self:
        """Raise MalformedBytes where the file ends before the record does, or is none of these."""
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise MalformedBytes("a kept record ends before its lengths")
        written_at_ms, key_length, length = _HEAD.unpack(head)
        if key_length < 0 or length < _TOMBSTONE:
            raise MalformedBytes("a kept record has a negative length")
        key, value = file.read(key_length), None if length == _TOMBSTONE else file.read(length)
        if len(key) < key_length or len(value or b"") < length:
            raise MalformedBytes("a kept record ends too early")
        return cls(written_at_ms, key, value)


def entries(frames: Iterable[Frame], note: Callable[[str], None], *, coordinated: bool) -> Iterator[PastEntry]:
    """What they say. `note` is handed what cannot be read. `coordinated`: the group's broker assigns.

    A rebalance that is written again, as for a static member that is back, has what members sent later: it is passed over.
    """
    last = -1
    for frame in frames:
        try:
            found = _coordinated(frame) if coordinated else _generation(frame)
        except HoldfastError as refusal:
            note(str(refusal))
            continue
        if isinstance(found, CoordinatorRecord | ConsumerGroupRecord) and isinstance(found.value, Unreadable):
            note(found.value.why)
        elif isinstance(found, Generation):
            if found.number == last:
                continue
            last = found.number
        if found is not None:
            yield found


def _generation(frame: Frame) -> Generation | None:
    """None: no rebalance was completed with it. Raise MalformedBytes or Unsupported."""
    stored = group_metadata.decode_value(frame.value or b"")
    if not any(member.assignment for member in stored.members):
        return None
    return generation_of(stored, frame.written_at_ms)


def _coordinated(frame: Frame) -> CoordinatorRecord | ConsumerGroupRecord | None:
    """A value that cannot be read is `Unreadable`: what follows depends on it. Raise MalformedBytes."""
    found = streams_group_records.decode_key(frame.key)
    if found is None:
        return _of_consumers(frame)
    stored: RecordValue | Unreadable | None
    try:
        stored = None if frame.value is None else streams_group_records.decode_value(found.kind, frame.value)
    except HoldfastError as refusal:
        stored = Unreadable(str(refusal))
    return CoordinatorRecord(found, stored, frame.written_at_ms)


def _of_consumers(frame: Frame) -> ConsumerGroupRecord | None:
    found = consumer_group_records.decode_key(frame.key)
    if found is None:
        return None
    stored: ConsumerRecordValue | Unreadable | None
    try:
        stored = None if frame.value is None else consumer_group_records.decode_value(found.kind, frame.value)
    except HoldfastError as refusal:
        stored = Unreadable(str(refusal))
    return ConsumerGroupRecord(found, stored, frame.written_at_ms)


def generation_of(stored: StoredGroup, written_at_ms: int) -> Generation:
    """A completed rebalance, as the topic has it. `written_at_ms`: of the record, for versions that do not say the moment."""
    moment = stored.state_timestamp_ms if stored.state_timestamp_ms is not None else written_at_ms
    members = tuple(
        GenerationMember(
            member.member_id,
            member.client_id,
            member.client_host,
            member.group_instance_id,
            member.subscription,
            member.assignment,
            member.session_timeout_ms if member.session_timeout_ms > 0 else None,
        )
        for member in stored.members
    )
    return Generation(stored.generation, instants.of_broker(moment), stored.leader, stored.protocol, members)
