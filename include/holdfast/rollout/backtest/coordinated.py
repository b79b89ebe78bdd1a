"""What a coordinator wrote of a group whose broker assigns: one record of `__consumer_offsets`, in the order of the log."""

from typing import NamedTuple

from holdfast.kafka.wire.consumer_group_records import ConsumerRecordKey, ConsumerRecordValue
from holdfast.kafka.wire.streams_group_records import RecordKey, RecordValue
from holdfast.rollout.backtest.generation import Generation


class Unreadable(NamedTuple):
    """A value whose bytes are damaged, or of a version that is unknown."""

    why: str


class CoordinatorRecord(NamedTuple):
    """Of a streams group. `value` None: a tombstone. `written_at_ms`: when the broker wrote it."""

    key: RecordKey
    value: RecordValue | Unreadable | None
    written_at_ms: int


class ConsumerGroupRecord(NamedTuple):
    """The same of a consumer group."""

    key: ConsumerRecordKey
    value: ConsumerRecordValue | Unreadable | None
    written_at_ms: int


PastEntry = Generation | CoordinatorRecord | ConsumerGroupRecord
"""Of a group whose leader assigns a completed rebalance, of one whose broker assigns a record."""
