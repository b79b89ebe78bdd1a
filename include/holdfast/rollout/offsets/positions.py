"""Where readers continue: at the committed offset, or at `auto.offset.reset` without one or where it is out of range.

Java: `ConsumerCoordinator.refreshCommittedOffsetsIfNeeded`, `OffsetFetcher.resetPositionsIfNeeded`. A reader that takes a partition
over knows nothing of how far the one before it had come.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from holdfast.kafka.consumer.config import OFFSET_RESET, ConsumerConfig, Reset
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.json.codec import BOOLEAN, COUNT, TEXT, choice, nullable
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.json.kafka_codecs import TOPIC_PARTITIONS
from holdfast.rollout.json.record import member, record


@dataclass(frozen=True, slots=True)
class Positions:
    """Of the partitions that are taken up: how many go on at their committed offset, how many are reset, of how many it is unknown.

    `skipping`: those that are reset past records, and how many records each (None: unknown). `records_read_twice_at_most`: what
    may have been read and not committed; None: unknown.
    """

    committed: int
    reset: int
    unknown: int
    reset_to: Reset
    skipping: tuple[tuple[TopicPartition, int | None], ...]
    records_read_twice_at_most: int | None

    @property
    def records_skipped(self) -> int | None:
        """None: unknown."""
        found = [records for _, records in self.skipping]
        return None if None in found else sum(records or 0 for records in found)


class _Topic(Protocol):
    """Its partitions from 0 on."""

    @property
    def name(self) -> str: ...
    @property
    def partitions(self) -> tuple[ConsumedPartition, ...]: ...


def positions(taken: Mapping[TopicPartition, bool], topics: Iterable[_Topic], config: ConsumerConfig) -> Positions:
    """`taken`: every partition that some member begins to read, and whether the one before it had committed how far it had come."""
    known = {topic.name: topic.partitions for topic in topics}
    committed = reset = unknown = 0
    twice: int | None = 0
    skipping: list[tuple[TopicPartition, int | None]] = []
    for one, up_to_date in taken.items():
        if one.partition >= len(known.get(one.topic, ())):
            continue
        partition = known[one.topic][one.partition]
        if not (partition.uncommitted or _out_of_range(partition)):
            committed += partition.committed_offset is not None
            unknown += partition.committed_offset is None
            if not (up_to_date and config.auto_commit) and twice is not None:
                behind = _difference(partition.committed_offset, partition.end_offset)
                twice = None if behind is None else twice + behind
            continue
        reset += 1
        passed = _passed(partition, config.reset)
        if passed != 0:
            skipping.append((one, passed))
    return Positions(committed, reset, unknown, config.reset, tuple(sorted(skipping)), twice)


def _out_of_range(partition: ConsumedPartition) -> bool:
    """Retention has deleted the record there, or the log was cut off before it."""
    committed, begin, end = partition.committed_offset, partition.begin_offset, partition.end_offset
    if committed is None:
        return False
    return (begin is not None and committed < begin) or (end is not None and committed > end)


def _passed(partition: ConsumedPartition, to: Reset) -> int | None:
    """How many records that are there are never read, because the reader is set behind them; None: unknown."""
    match to:
        case Reset.EARLIEST | Reset.NONE:
            return 0
        case Reset.BY_DURATION:
            return None if _difference(partition.begin_offset, partition.end_offset) != 0 else 0
        case Reset.LATEST:
            return _difference(partition.begin_offset, partition.end_offset)


def _difference(low: int | None, high: int | None) -> int | None:
    return None if low is None or high is None else max(high - low, 0)


class Danger(StrEnum):
    """What becomes of data, or of consumers, where a partition has no committed offset that is in range."""

    SKIPS_DATA = "skips_data"
    STOPS_CONSUMERS = "stops_consumers"


@record
class OffsetWarning:
    """What a reader of the forecast has to see first. `partitions`: how many are taken up without an offset; `skipping`: those of
    them whose records are passed over; `records`: how many (None: unknown).

    `reset_is_default`: auto.offset.reset is not set. `duration`: as in `by_duration:…`.
    """

    danger: Danger = member(choice(Danger), name="kind")
    partitions: int = member(COUNT, "How many are taken up without a committed offset.")
    reset_to: Reset = member(choice(Reset))
    reset_is_default: bool = member(BOOLEAN, default=False, needed=True)
    skipping: tuple[TopicPartition, ...] = member(TOPIC_PARTITIONS, default=(), needed=True)
    records: int | None = member(nullable(COUNT), "How many are never read.", default=None, needed=True)
    duration: str | None = member(nullable(TEXT), default=None, needed=True)


def warnings(found: Positions, config: ConsumerConfig) -> tuple[OffsetWarning, ...]:
    """None, or one."""
    default = OFFSET_RESET not in config.given
    if found.reset and found.reset_to is Reset.NONE:
        return (OffsetWarning(Danger.STOPS_CONSUMERS, found.reset, found.reset_to, default),)
    if not found.skipping:
        return ()
    return (
        OffsetWarning(
            Danger.SKIPS_DATA,
            len(found.skipping),
            found.reset_to,
            default,
            tuple(one for one, _ in found.skipping),
            found.records_skipped,
            config.duration if found.reset_to is Reset.BY_DURATION else None,
        ),
    )
