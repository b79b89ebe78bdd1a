"""The small values that everything in `holdfast.kafka` is written in, ordered as Java orders them.

| here                 | in Kafka                                                        | since |
|----------------------|-----------------------------------------------------------------|-------|
| `TaskId`             | `org.apache.kafka.streams.processor.TaskId`                     | 0.10  |
| `ProcessId`          | the UUID in `kafka-streams-process-metadata`; class `ProcessId` | 3.8   |
| `TopicPartition`     | `org.apache.kafka.common.TopicPartition`                        | 0.8   |
| `LATEST_OFFSET`      | `processor.internals.Task.LATEST_OFFSET`                        | 2.6   |
| `UNKNOWN_OFFSET_SUM` | `assignment.SubscriptionInfo.UNKNOWN_OFFSET_SUM`                | 2.6   |
| `OFFSET_UNKNOWN`     | `state.internals.OffsetCheckpoint.OFFSET_UNKNOWN`               | 2.6   |
"""

import re
from typing import NamedTuple, Self
from uuid import UUID

from holdfast.errors import InvalidInput
from holdfast.kafka import java

LATEST_OFFSET = -2
"""What a member reports for an active task that was running when it joined."""
UNKNOWN_OFFSET_SUM = -3
"""What the leader puts where an offset sum cannot be known. No member of metadata version 7 or later sends it."""
OFFSET_UNKNOWN = -4
"""In a checkpoint file: the store is there, its offset is unknown. Never on the wire."""

_TASK_ID = re.compile(r"(0|[1-9][0-9]{0,9})_(0|[1-9][0-9]{0,9})", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


class TaskId(NamedTuple):
    """`<subtopology>_<partition>`, ordered by number. Tasks of named topologies are not modelled.

    A tuple, because forecasts hash and compare them by the million.
    """

    subtopology: int
    partition: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raise InvalidInput unless `text` is like `1_0`, both numbers Java ints without leading zeros."""
        match = _TASK_ID.fullmatch(text)
        numbers = (int(match[1]), int(match[2])) if match else None
        if numbers is None or max(numbers) > java.INT_MAX:
            raise InvalidInput(f"{text!r} is not a task ID; the format is '1_0' (subtopology, partition)")
        return cls(*numbers)

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"


class ProcessId(NamedTuple):
    """The identity of one Streams client: a UUID as `java.util.UUID` orders it, two signed longs, most significant first.

    IDs that begin with 8 to f therefore come before those that begin with 0 to 7. This order decides which client owns what.
    """

    upper: int
    lower: int

    @classmethod
    def of(cls, uuid: UUID) -> Self:
        return cls(*java.signed_halves(uuid.int))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raise InvalidInput unless `text` is a UUID in its canonical form (8-4-4-4-12 hexadecimal digits)."""
        if not _UUID.fullmatch(text):
            raise InvalidInput(f"{text!r} is not a process ID; the format is '4b61083e-57d0-457d-951f-d06556c148ca'")
        return cls(*java.signed_halves(int(text.replace("-", ""), 16)))

    @property
    def bits(self) -> int:
        """The 128 bits, unsigned."""
        return (self.upper % 2**64) << 64 | self.lower % 2**64

    @property
    def uuid(self) -> UUID:
        return UUID(int=self.bits)

    def __repr__(self) -> str:
        return f"ProcessId({self})"

    def __str__(self) -> str:
        digits = f"{self.upper % 2**64:016x}{self.lower % 2**64:016x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


class TopicPartition(NamedTuple):
    """A partition of a topic, ordered by topic name and then by number."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"
