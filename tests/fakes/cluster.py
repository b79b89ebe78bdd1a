"""Fakes of the ports for collecting, each held to the real adapter's own tests (test_cluster_reader.py, test_state_directories.py).

`streams_member` makes a member of a Streams group with the bytes that Kafka would send, so that a test can say what a group does.
"""

import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from holdfast.errors import ClusterTrouble, HoldfastError, StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info
from holdfast.kafka.wire.assignment_info import NO_REBALANCE, AssignmentInfo
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from holdfast.kafka.wire.subscription_info import SubscriptionInfo
from holdfast.kafka.wire.tasks import WireTask
from holdfast.ports import (
    ClusterInfo,
    GroupConfigs,
    History,
    ListedGroup,
    ObservedGroup,
    Operations,
    PartitionFigures,
    ReadDirectory,
    RecordedTargets,
)
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember, Topic, TopicPartitionInfo

T = TypeVar("T")
ALL_RIGHTS: Operations = frozenset({"READ", "WRITE", "DESCRIBE", "DELETE", "ALTER", "DESCRIBE_CONFIGS"})
THE_CLUSTER = "the cluster"
BROKER = 1
"""The only one there is."""
NO_SUCH_TOPIC = "there is no such topic or partition, or this user may not describe it"


@dataclass
class FakeCluster:
    """A cluster in memory. `views` are what a group looks like from one question to the next; the last one stays."""

    views: Mapping[str, list[ObservedGroup]]
    partitions: Mapping[str, int]
    ends: Mapping[TopicPartition, int] = field(default_factory=dict)
    begins: Mapping[TopicPartition, int] = field(default_factory=dict)
    sizes: Mapping[TopicPartition, int] = field(default_factory=dict)
    committed: Mapping[str, Mapping[TopicPartition, int]] = field(default_factory=dict)
    history: Mapping[str, tuple[Generation, ...]] = field(default_factory=dict)
    silent: tuple[str, ...] = ()
    """The messages about brokers that did not list their groups."""
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Questions about many groups, each with the number of groups."""
    recorded: Mapping[str, tuple[RecordedTarget, ...]] = field(default_factory=dict)
    group_settings: Mapping[str, GroupConfigs] = field(default_factory=dict)
    without_configs: frozenset[str] = frozenset()
    """Groups whose configs this user may not describe."""
    forbidden: frozenset[str] = frozenset()
    """Topics and groups that this user may not describe, `__consumer_offsets` if it may not be read, and `THE_CLUSTER`."""

    def info(self) -> ClusterInfo:
        return ClusterInfo("fake", "4.3")

    def group(self, group_id: str) -> ObservedGroup:
        self._refuse(group_id)
        views = self.views.get(group_id)
        if not views:
            raise ClusterTrouble(f"there is no group {group_id!r} in this cluster, or this user may not see it")
        return views.pop(0) if len(views) > 1 else views[0]

    def group_ids(self, prefix: str = "") -> tuple[str, ...]:
        return tuple(sorted(group for group in self.views if group not in self.forbidden and group.startswith(prefix)))

    def topic_names(self, prefix: str = "") -> tuple[str, ...]:
        return tuple(sorted(topic for topic in self.partitions if topic not in self.forbidden and topic.startswith(prefix)))

    def topics(self, names: tuple[str, ...]) -> tuple[tuple[Topic, ...], tuple[Unknown, ...]]:
        seen = self.topic_names()
        found = (
            Topic(name, tuple(TopicPartitionInfo(number, (None,), leader=BROKER) for number in range(self.partitions[name])))
            for name in sorted(names)
            if name in seen
        )
        return tuple(found), tuple(Unknown(f"topics.{name}", NO_SUCH_TOPIC) for name in sorted(names) if name not in seen)

    def topic_ids(self, names: tuple[str, ...]) -> Mapping[str, int]:
        """Made of the names: what is of one name is one topic."""
        seen = self.topic_names()
        return {name: uuid.uuid5(uuid.NAMESPACE_DNS, name).int for name in names if name in seen}

    def committed_offsets(self, group_id: str) -> tuple[tuple[TopicPartition, int], ...]:
        self._refuse(group_id)
        return tuple(sorted(self.committed.get(group_id, {}).items()))

    def end_offsets(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._figures(partitions, self.ends, "end_offset")

    def begin_offsets(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._figures(partitions, self.begins, "begin_offset")

    def log_bytes(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        found, absent = self._figures(partitions, self.sizes, "log_bytes")
        topics = sorted({each.topic: None for each in partitions})
        if THE_CLUSTER in self.forbidden:
            return (), tuple(Unknown(f"log_bytes.{topic}", "not authorized: DESCRIBE on the cluster is needed") for topic in topics)
        gone = {each.what.rpartition("-")[0]: None for each in absent}
        return found, tuple(Unknown(what, NO_SUCH_TOPIC) for what in gone)

    def _figures(
        self, partitions: tuple[TopicPartition, ...], figures: Mapping[TopicPartition, int], called: str
    ) -> PartitionFigures:
        there = [each for each in sorted(partitions) if each.partition < self.partitions.get(each.topic, 0)]
        seen = [each for each in there if each.topic not in self.forbidden]
        absent = (Unknown(f"{called}.{each}", NO_SUCH_TOPIC) for each in sorted(partitions) if each not in seen)
        return tuple((each, figures.get(each, 0)) for each in seen), tuple(absent)

    def generations(self, group_id: str) -> tuple[tuple[Generation, ...], tuple[Unknown, ...]]:
        self._refuse("__consumer_offsets")
        return self.history.get(group_id, ()), ()

    def listed(self) -> tuple[tuple[ListedGroup, ...], tuple[str, ...]]:
        groups = (self.views[group_id][0] for group_id in self.group_ids())
        kinds = ((one, "streams" if one.described else "classic") for one in groups)
        return tuple(ListedGroup(one.group_id, one.protocol_type, kind, one.state) for one, kind in kinds), self.silent

    def groups(self, group_ids: Collection[str]) -> Mapping[str, ObservedGroup | HoldfastError]:
        return self._each("groups", group_ids, self.group)

    def group_configs(self, group_id: str) -> GroupConfigs:
        if group_id in self.without_configs:
            raise ClusterTrouble(f"reading the configs of the group {group_id!r}: not authorized: DESCRIBE_CONFIGS is needed")
        return self.group_settings.get(group_id, ())

    def configs(self, group_ids: Collection[str]) -> Mapping[str, GroupConfigs | HoldfastError]:
        return self._each("configs", group_ids, self.group_configs)

    def recorded_targets(self, group_id: str) -> RecordedTargets:
        self._refuse("__consumer_offsets")
        return self.recorded.get(group_id, ()), ()

    def targets(self, group_ids: Collection[str]) -> Mapping[str, RecordedTargets | HoldfastError]:
        return self._each("targets", group_ids, self.recorded_targets)

    def commits(self, group_ids: Collection[str]) -> Mapping[str, tuple[tuple[TopicPartition, int], ...] | HoldfastError]:
        return self._each("commits", group_ids, self.committed_offsets)

    def histories(self, group_ids: Collection[str]) -> Mapping[str, History | HoldfastError]:
        return self._each("histories", group_ids, self.generations)

    def _each(self, what: str, group_ids: Collection[str], ask: Callable[[str], T]) -> dict[str, T | HoldfastError]:
        self.asked.append((what, len(group_ids)))
        found: dict[str, T | HoldfastError] = {}
        for group_id in group_ids:
            try:
                found[group_id] = ask(group_id)
            except HoldfastError as refusal:
                found[group_id] = refusal
        return found

    def group_rights(self, group_id: str) -> Operations:
        rights = ALL_RIGHTS - {"DESCRIBE_CONFIGS"} if group_id in self.without_configs else ALL_RIGHTS
        return frozenset() if group_id in self.forbidden else rights

    def topic_rights(self, names: tuple[str, ...]) -> tuple[tuple[str, Operations], ...]:
        return tuple((name, ALL_RIGHTS if name in self.topic_names() else frozenset()) for name in names)

    def cluster_rights(self) -> Operations:
        return frozenset() if THE_CLUSTER in self.forbidden else ALL_RIGHTS

    def _refuse(self, name: str) -> None:
        if name in self.forbidden:
            raise ClusterTrouble(f"{name}: not authorized")


@dataclass
class FakeStateDirectories:
    """State directories in memory."""

    directories: Mapping[str, tuple[StateDirectory, tuple[Unknown, ...]]] = field(default_factory=dict)

    def read(self, url: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        if url not in self.directories:
            raise StatePathTrouble(f"{url}: there is no such directory")
        return self.directories[url]

    def read_many(self, urls: Collection[str]) -> Mapping[str, ReadDirectory | HoldfastError]:
        found: dict[str, ReadDirectory | HoldfastError] = {}
        for url in urls:
            try:
                found[url] = self.read(url)
            except HoldfastError as refusal:
                found[url] = refusal
        return found


def streams_member(
    group_id: str,
    process_id: str,
    thread: int = 1,
    *,
    active: Mapping[str, tuple[tuple[str, int], ...]],
    standby: Mapping[str, tuple[tuple[str, int], ...]] | None = None,
    joined: Mapping[str, int] | None = None,
    joined_owned: tuple[tuple[str, int], ...] = (),
    next_rebalance_ms: int = NO_REBALANCE,
    version: int = 11,
) -> GenerationMember:
    """A member that was handed `active` and `standby` (task → source partitions), and reported `joined` when it joined."""
    handed = sorted((TopicPartition(*each), TaskId.parse(task)) for task, owned in active.items() for each in owned)
    sources = sorted({partition.topic for partition, _ in handed})
    told = SubscriptionInfo(
        version,
        version,
        ProcessId.parse(process_id),
        task_offset_sums=tuple((WireTask(TaskId.parse(task)), offset_sum) for task, offset_sum in (joined or {}).items()),
    )
    info = AssignmentInfo(
        version,
        version,
        tuple(WireTask(task) for _, task in handed),
        tuple(
            (WireTask(TaskId.parse(task)), tuple(TopicPartition(*each) for each in owned))
            for task, owned in (standby or {}).items()
        ),
        next_rebalance_ms=next_rebalance_ms,
    )
    client_id = f"{group_id}-{process_id}-StreamThread-{thread}-consumer"
    return GenerationMember(
        f"{client_id}-{thread:08d}-0000-0000-0000-000000000000",
        client_id,
        "/127.0.0.1",
        None,
        consumer_protocol.encode_subscription(
            ConsumerProtocolSubscription(
                1, tuple(sources), subscription_info.encode(told), tuple(sorted(TopicPartition(*each) for each in joined_owned))
            )
        ),
        consumer_protocol.encode_assignment(
            ConsumerProtocolAssignment(1, tuple(partition for partition, _ in handed), assignment_info.encode(info))
        ),
    )
