"""What a store of Kafka Streams 4.3 and later says of its own changelog offsets (KIP-1035). Pure: entries in, values out.

RocksDB stores keep them in a column family of their own, `offsets`: a key `<topic>-<partition>` for each changelog partition, and
next to them `status` (1 while the store is open) and `position` (of its input topics, not of its changelogs).
Java: `state.internals.RocksDBStore`, `AbstractColumnFamilyAccessor`, 4.3.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.errors import MalformedBytes
from holdfast.kafka import java
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN, TopicPartition

COLUMN_FAMILY = "offsets"
CHECKPOINT_OF_STORE = ".checkpoint_"
"""What the name of a store's own checkpoint file begins with: of a persistent store that is not RocksDB."""
_STATUS, _POSITION = b"status", b"position"
_PARTITION = re.compile(r"[0-9]{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True)
class StoreOffsets:
    """(changelog partition, offset of the last record applied or -4), sorted. `open`: it was not closed; None: it does not say."""

    offsets: tuple[tuple[TopicPartition, int], ...]
    open: bool | None


def read(entries: Iterable[tuple[bytes, bytes]]) -> StoreOffsets:
    """The entries of the column family. Raise MalformedBytes for what no Kafka Streams writes."""
    offsets: list[tuple[TopicPartition, int]] = []
    is_open: bool | None = None
    for key, value in entries:
        if key == _STATUS:
            is_open = _long(key, value) == 1
        elif key != _POSITION:
            offsets.append((_changelog(key), _offset(key, value)))
    return StoreOffsets(tuple(sorted(offsets)), is_open)


def offset_sum(offsets: Iterable[tuple[TopicPartition, int]]) -> int:
    """What a member of 4.3 and later reports for a task that it does not run: for each changelog the offset after its last record.

    Java: `StateDirectory.updateTaskOffsets` and `TaskManager.getTaskOffsetSums`, 4.3.
    """
    return min(sum(offset + 1 if offset >= 0 else 0 for _, offset in offsets), java.LONG_MAX)


def _changelog(key: bytes) -> TopicPartition:
    try:
        topic, _, partition = key.decode("utf-8").rpartition("-")
    except UnicodeDecodeError:
        raise MalformedBytes(f"the store has the key {key[:40]!r} among its offsets, which is not text") from None
    if not topic or not _PARTITION.fullmatch(partition) or int(partition) > java.INT_MAX:
        raise MalformedBytes(f"the store has the key {key[:80]!r} among its offsets; <topic>-<partition> is needed")
    return TopicPartition(topic, int(partition))


def _offset(key: bytes, value: bytes) -> int:
    offset = _long(key, value)
    if offset < 0 and offset != OFFSET_UNKNOWN:
        raise MalformedBytes(f"the store has the offset {offset} for {key[:80]!r}; 0 or more, or -4, is needed")
    return offset


def _long(key: bytes, value: bytes) -> int:
    if len(value) != 8:
        raise MalformedBytes(f"the store has {len(value)} bytes for {key[:80]!r}; a number has 8")
    return int.from_bytes(value, "big", signed=True)
