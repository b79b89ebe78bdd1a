"""Topic data from brokers: partitions, leaders, offsets, sizes. Each leader is queried once for all of its partitions."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kafka import errors as kafka_errors
from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec
from kafka.protocol.metadata import MetadataRequest

from holdfast.adapters.broker import log_sizes
from holdfast.adapters.broker.brokers import Brokers
from holdfast.adapters.broker.session import refusal
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import PartitionFigures
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.streams.snapshot.snapshot import Topic, TopicPartitionInfo

_PARTITIONS_A_REQUEST = 2_000
_TOPICS_A_REQUEST = 2_000
_REMEMBERED_S = 60.0
_WITH_TOPIC_IDS = 10
"""The version of Metadata that has them (2.8)."""
_MOST_REMEMBERED = 100_000
"""Partitions."""
_LED_ELSEWHERE = (
    kafka_errors.NotLeaderForPartitionError.errno,
    kafka_errors.LeaderNotAvailableError.errno,
    kafka_errors.FencedLeaderEpochError.errno,
)
_NO_PARTITION = "there is no such partition, or it has no leader now"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A partition: its leader (-1: none) and the brokers that have it."""

    number: int
    leader: int
    replicas: tuple[int, ...]


class TopicQuestions:
    """Remembers for a minute where partitions are, so that several questions about them find that out once."""

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._placed: dict[str, tuple[_Placed, ...]] = {}
        self._racks: dict[int, str | None] = {}
        self._remembered_until = 0.0

    def names(self) -> tuple[str, ...]:
        """The names of all topics that may be described, sorted."""
        response = self._brokers.ask_any("listing the topics", metadata(None))
        return tuple(sorted(topic.name for topic in response.topics if not topic.error_code))

    def topics(self, names: Iterable[str]) -> tuple[tuple[Topic, ...], tuple[Unknown, ...]]:
        wanted = sorted(dict.fromkeys(names))
        problems = self._find(wanted)
        found = (
            Topic(
                name,
                tuple(
                    TopicPartitionInfo(
                        each.number,
                        tuple(self._racks.get(node) for node in each.replicas),
                        leader=each.leader if each.leader >= 0 else None,
                    )
                    for each in self._placed[name]
                ),
            )
            for name in wanted
            if name not in problems
        )
        return tuple(found), tuple(Unknown(f"topics.{name}", problems[name]) for name in wanted if name in problems)

    def ids(self, names: Iterable[str]) -> dict[str, int]:
        """The 128 bits of each topic's ID."""
        wanted = list(dict.fromkeys(names))
        found: dict[str, int] = {}
        for start in range(0, len(wanted), _TOPICS_A_REQUEST):
            response = self._brokers.ask_any("reading topic IDs", metadata(wanted[start : start + _TOPICS_A_REQUEST]))
            if response.API_VERSION >= _WITH_TOPIC_IDS:
                found |= {
                    topic.name: topic.topic_id.int for topic in response.topics if not topic.error_code and topic.topic_id.int
                }
        return found

    def offsets(self, partitions: Sequence[TopicPartition], spec: OffsetSpec, called: str) -> PartitionFigures:
        """Of each partition, asked of its leader; where that has just changed, of the new one."""
        found: dict[TopicPartition, int] = {}
        unknown: dict[TopicPartition, str] = {}
        moved = self._read_offsets(tuple(dict.fromkeys(partitions)), spec, found, unknown)
        if moved:
            for partition in moved:
                self._placed.pop(partition.topic, None)
            self._read_offsets(moved, spec, found, unknown)
        reasons = tuple(Unknown(f"{called}.{partition}", unknown[partition]) for partition in sorted(unknown))
        return tuple(sorted(found.items())), reasons

    def log_bytes(self, partitions: Sequence[TopicPartition]) -> PartitionFigures:
        names = tuple(dict.fromkeys(partition.topic for partition in partitions))
        problems = self._find(names)
        places = {
            TopicPartition(name, each.number): (each.leader, each.replicas)
            for name in names
            if name not in problems
            for each in self._placed[name]
        }
        return log_sizes.log_bytes(self._brokers, partitions, places)

    def _find(self, names: Sequence[str]) -> dict[str, str]:
        """Know where the partitions of these topics are. Return why it is unknown of some of them."""
        forgotten = time.monotonic() > self._remembered_until
        if forgotten or sum(map(len, self._placed.values())) > _MOST_REMEMBERED:
            self._placed.clear()
        if not self._placed:
            self._remembered_until = time.monotonic() + _REMEMBERED_S
        problems: dict[str, str] = {}
        lacking = [name for name in names if name not in self._placed]
        for start in range(0, len(lacking), _TOPICS_A_REQUEST):
            response = self._brokers.ask_any("describing topics", metadata(lacking[start : start + _TOPICS_A_REQUEST]))
            self._racks = {broker.node_id: broker.rack for broker in response.brokers}
            for topic in response.topics:
                if topic.error_code:
                    problems[topic.name] = refusal(kafka_errors.for_code(topic.error_code)())
                else:
                    placed = (_Placed(each.partition_index, each.leader_id, tuple(each.replica_nodes)) for each in topic.partitions)
                    self._placed[topic.name] = tuple(sorted(placed, key=lambda each: each.number))
        for name in names:
            if name not in self._placed:
                problems.setdefault(name, "the broker left it out of its answer")
        return problems

    def _read_offsets(
        self,
        partitions: Sequence[TopicPartition],
        spec: OffsetSpec,
        found: dict[TopicPartition, int],
        unknown: dict[TopicPartition, str],
    ) -> tuple[TopicPartition, ...]:
        """Put offsets into `found` and the reasons for others into `unknown`. Return those whose leader is another one now."""
        names = tuple(dict.fromkeys(partition.topic for partition in partitions))
        problems = self._find(names)
        leaders = {TopicPartition(name, each.number): each.leader for name in names for each in self._placed.get(name, ())}
        by_leader: dict[int, list[TopicPartition]] = {}
        for partition in partitions:
            unknown.pop(partition, None)
            if partition.topic in problems:
                unknown[partition] = problems[partition.topic]
            elif leaders.get(partition, -1) < 0:
                unknown[partition] = _NO_PARTITION
            else:
                by_leader.setdefault(leaders[partition], []).append(partition)
        requests = {
            leader: [_list_offsets(wanted[start : start + _PARTITIONS_A_REQUEST], spec) for start in _starts(wanted)]
            for leader, wanted in sorted(by_leader.items())
        }
        answers, troubles = self._brokers.ask("reading offsets", requests)
        moved: list[TopicPartition] = []
        for leader, wanted in by_leader.items():
            for response in answers[leader]:
                _note_offsets(response, found, unknown, moved)
            for partition in wanted:
                if partition not in found and partition not in unknown:
                    unknown[partition] = troubles.get(leader, "the broker left it out of its answer")
        return tuple(moved)


def metadata(names: Sequence[str] | None, *, rights: bool = False) -> MetadataRequest:
    """None: of all topics; none: of the brokers only."""
    topics = None if names is None else [MetadataRequest.MetadataRequestTopic(name=name) for name in names]
    return MetadataRequest(topics=topics, allow_auto_topic_creation=False, include_topic_authorized_operations=rights)


def _note_offsets(
    response: Any, found: dict[TopicPartition, int], unknown: dict[TopicPartition, str], moved: list[TopicPartition]
) -> None:
    for topic in response.topics:
        for each in topic.partitions:
            partition = TopicPartition(topic.name, each.partition_index)
            if not each.error_code:
                found[partition] = each.offset
                continue
            unknown[partition] = refusal(kafka_errors.for_code(each.error_code)())
            if each.error_code in _LED_ELSEWHERE:
                moved.append(partition)


def _starts(wanted: Sequence[TopicPartition]) -> range:
    return range(0, len(wanted), _PARTITIONS_A_REQUEST)


def _list_offsets(partitions: Iterable[TopicPartition], spec: OffsetSpec) -> ListOffsetsRequest:
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        topics.setdefault(topic, []).append(partition)
    one_topic = ListOffsetsRequest.ListOffsetsTopic
    one_partition = one_topic.ListOffsetsPartition
    return ListOffsetsRequest(
        replica_id=-1,
        isolation_level=0,
        topics=[
            one_topic(
                name=topic,
                partitions=[one_partition(partition_index=number, timestamp=spec.value) for number in numbers],
            )
            for topic, numbers in topics.items()
        ],
    )
