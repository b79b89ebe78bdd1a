"""The ports `ClusterReader` and `ManyGroupsReader` on a real cluster, through kafka-python's raw requests: members' bytes arrive as
they were sent. What is asked about one group is asked as about many.

Needs the rights DESCRIBE on the group and on the topics, for `generations` READ on `__consumer_offsets`, for `log_bytes`
DESCRIBE on the cluster, and for the configs of a group DESCRIBE_CONFIGS on it.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from kafka.admin import ACLOperation
from kafka.protocol.consumer import OffsetSpec
from kafka.protocol.metadata import MetadataRequest

from holdfast.adapters.broker import streams_groups
from holdfast.adapters.broker.brokers import Brokers
from holdfast.adapters.broker.consumer_offsets import Histories
from holdfast.adapters.broker.group_questions import GroupQuestions
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.broker.topic_questions import TopicQuestions, metadata
from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka import release_lines
from holdfast.kafka.coordinator.release import minor_of
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import (
    ClusterInfo,
    GroupConfigs,
    History,
    ListedGroup,
    ObservedGroup,
    Operations,
    PartitionFigures,
    RecordedTargets,
)
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.streams.snapshot.snapshot import Topic

MANY_LIMIT_S = 6.0
"""How long any one broker is waited for where there are many groups to read."""
_OPERATIONS = {operation.value: operation.name for operation in ACLOperation}
_LAST_WITH_CLUSTER_RIGHTS = 10
"""Newer metadata requests leave the rights on the cluster to a request of its own, which older brokers do not know."""


class KafkaCluster:
    """Reads one cluster through an open session.

    `among`: whether a group will be asked about, where there are many. Then no broker is waited for longer than a few seconds, and
    what there is of groups and topics is listed once.
    """

    def __init__(self, session: KafkaSession, among: Callable[[str], bool] | None = None) -> None:
        self._many = among is not None
        self._session = session
        self._brokers = Brokers(session, None if among is None else MANY_LIMIT_S)
        self._groups = GroupQuestions(self._brokers)
        self._topics = TopicQuestions(self._brokers)
        self._histories = Histories(session, among)
        self._listed: tuple[tuple[ListedGroup, ...], tuple[str, ...]] | None = None
        self._topic_names: tuple[str, ...] | None = None
        self._info: ClusterInfo | None = None

    @property
    def requests(self) -> int:
        """How many were sent so far (to brokers, by this object; reading `__consumer_offsets` is not counted)."""
        return self._brokers.requests

    def info(self) -> ClusterInfo:
        if self._info is None:
            response = self._brokers.ask_any("reading the cluster's metadata", metadata(()))
            version = self._session.admin._manager.broker_version  # noqa: SLF001 - there is no public API for it
            self._info = ClusterInfo(response.cluster_id or "unknown", ".".join(map(str, version)) if version else None)
        return self._info

    def newest_release(self) -> str | None:
        """The newest minor release that its brokers run. None: one of them does not show its own, or was not reached."""
        try:
            found = streams_groups.newest_metadata_versions(self._brokers, self._brokers.nodes)
        except HoldfastError:
            return None
        minors = [None if one is None else minor_of(one) for one in found.values()]
        known = [one for one in minors if one is not None]
        return max(known, key=release_lines.numbers, default=None) if len(known) == len(minors) else None

    def group(self, group_id: str) -> ObservedGroup:
        found = self.groups((group_id,))[group_id]
        if isinstance(found, HoldfastError):
            raise found from None
        return found

    def groups(self, group_ids: Collection[str]) -> Mapping[str, ObservedGroup | HoldfastError]:
        return self._groups.described(group_ids)

    def listed(self) -> tuple[tuple[ListedGroup, ...], tuple[str, ...]]:
        if self._listed is None or not self._many:
            self._listed = self._groups.listed()
        return self._listed

    def group_ids(self, prefix: str = "") -> tuple[str, ...]:
        listed, problems = self.listed()
        if problems and not self._many:
            raise ClusterTrouble("; ".join(problems))
        return _beginning_with(prefix, tuple(one.group_id for one in listed))

    def topic_names(self, prefix: str = "") -> tuple[str, ...]:
        if self._topic_names is None or not self._many:
            self._topic_names = self._topics.names()
        return _beginning_with(prefix, self._topic_names)

    def topics(self, names: tuple[str, ...]) -> tuple[tuple[Topic, ...], tuple[Unknown, ...]]:
        return self._topics.topics(names)

    def topic_ids(self, names: tuple[str, ...]) -> Mapping[str, int]:
        return self._topics.ids(names)

    def committed_offsets(self, group_id: str) -> tuple[tuple[TopicPartition, int], ...]:
        found = self.commits((group_id,))[group_id]
        if isinstance(found, HoldfastError):
            raise found from None
        return found

    def commits(self, group_ids: Collection[str]) -> Mapping[str, tuple[tuple[TopicPartition, int], ...] | HoldfastError]:
        return self._groups.committed(group_ids)

    def end_offsets(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._topics.offsets(partitions, OffsetSpec.LATEST, "end_offset")

    def begin_offsets(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._topics.offsets(partitions, OffsetSpec.EARLIEST, "begin_offset")

    def log_bytes(self, partitions: tuple[TopicPartition, ...]) -> PartitionFigures:
        return self._topics.log_bytes(partitions)

    def generations(self, group_id: str) -> History:
        found = self.histories((group_id,))[group_id]
        if isinstance(found, HoldfastError):
            raise found
        return found

    def histories(self, group_ids: Collection[str]) -> Mapping[str, History | HoldfastError]:
        return self._histories.of(group_ids)

    def group_configs(self, group_id: str) -> GroupConfigs:
        found = self.configs((group_id,))[group_id]
        if isinstance(found, HoldfastError):
            raise found from None
        return found

    def alter_group_configs(self, group_id: str, settings: Mapping[str, str | None]) -> None:
        """As `GroupSettings` does."""
        self._groups.alter_configs(group_id, settings)

    def configs(self, group_ids: Collection[str]) -> Mapping[str, GroupConfigs | HoldfastError]:
        return self._groups.configs(group_ids)

    def recorded_targets(self, group_id: str) -> RecordedTargets:
        found = self.targets((group_id,))[group_id]
        if isinstance(found, HoldfastError):
            raise found
        return found

    def targets(self, group_ids: Collection[str]) -> Mapping[str, RecordedTargets | HoldfastError]:
        return self._histories.targets_of(group_ids)

    def close(self) -> None:
        """Idempotent. The session is closed by the code that opened it."""
        self._histories.close()

    def group_rights(self, group_id: str) -> Operations:
        return _named(self._groups.rights(group_id))

    def topic_rights(self, names: tuple[str, ...]) -> tuple[tuple[str, Operations], ...]:
        response = self._brokers.ask_any("reading the permissions on topics", metadata(names, rights=True))
        found = {topic.name: _operations(topic) for topic in response.topics}
        return tuple((name, found.get(name, frozenset())) for name in names)

    def cluster_rights(self) -> Operations:
        request = MetadataRequest(
            topics=[],
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=True,
            max_version=_LAST_WITH_CLUSTER_RIGHTS,
        )
        return _named(self._brokers.ask_any("reading the permissions on the cluster", request).authorized_operations)


def _beginning_with(prefix: str, names: Sequence[str]) -> tuple[str, ...]:
    """Of sorted names."""
    if not prefix:
        return tuple(names)
    first = last = bisect_left(names, prefix)
    while last < len(names) and names[last].startswith(prefix):
        last += 1
    return tuple(names[first:last])


def _operations(described: Any) -> Operations:
    """The names of the operations in an answer about a topic; none if the answer is an error."""
    return frozenset() if described.error_code else _named(described.authorized_operations)


def _named(codes: Iterable[int] | None) -> Operations:
    return frozenset(_OPERATIONS[code] for code in codes or () if code in _OPERATIONS)
