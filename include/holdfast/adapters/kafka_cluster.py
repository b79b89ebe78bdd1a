"""The port `ClusterReader` on a real cluster, through kafka-python's raw requests: members' bytes arrive as they were sent.

Needs the rights DESCRIBE on the group and on the topics, for `generations` READ on `__consumer_offsets`, and for `log_bytes`
DESCRIBE on the cluster.
"""

from collections.abc import Iterable
from typing import Any

from kafka import errors as kafka_errors
from kafka.admin import ACLOperation
from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.consumer import ListOffsetsRequest, OffsetSpec
from kafka.protocol.metadata import MetadataRequest

from holdfast.adapters import consumer_offsets, log_sizes
from holdfast.adapters.session import KafkaSession, Send, raise_for, refusal
from holdfast.errors import ClusterTrouble, Unsupported
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.ports import ClusterInfo, Figures, ObservedGroup, Operations
from holdfast.rollout.snapshot import Generation, GenerationMember, Topic, TopicPartitionInfo, Unknown

_GROUP_ID_NOT_FOUND = kafka_errors.GroupIdNotFoundError.errno
_OTHER_KINDS = {
    "streams": "a group of the streams protocol (KIP-1071)",
    "consumer": "a group of the consumer protocol (KIP-848)",
    "share": "a share group (KIP-932)",
}
_OPERATIONS = {operation.value: operation.name for operation in ACLOperation}
_PARTITIONS_A_REQUEST = 2_000
_LAST_WITH_CLUSTER_RIGHTS = 10
"""Newer metadata requests leave the rights on the cluster to a request of its own, which older brokers do not know."""


class KafkaCluster:
    """Reads one cluster through an open session."""

    def __init__(self, session: KafkaSession) -> None:
        self._session = session

    def info(self) -> ClusterInfo:
        response = self._session.ask("reading the cluster's metadata", lambda send: send(_metadata(())))
        version = self._session.admin._manager.broker_version  # noqa: SLF001 - there is no public way to ask
        return ClusterInfo(response.cluster_id or "unknown", ".".join(map(str, version)) if version else None)

    def group(self, group_id: str) -> ObservedGroup:
        async def question(send: Send) -> ObservedGroup:
            node = await self._session.coordinator(send, group_id)
            group = (await send(DescribeGroupsRequest(groups=[group_id]), node_id=node)).groups[0]
            if group.error_code == _GROUP_ID_NOT_FOUND or group.group_state == "Dead":
                raise await self._no_classic_group(send, node, group_id)
            raise_for(group.error_code)
            members = tuple(
                GenerationMember(
                    member.member_id,
                    member.client_id,
                    member.client_host,
                    member.group_instance_id,
                    bytes(member.member_metadata or b""),
                    bytes(member.member_assignment or b""),
                )
                for member in group.members
            )
            return ObservedGroup(group_id, group.group_state, group.protocol_type, group.protocol_data or "", members)

        return self._session.ask(f"describing the group {group_id!r}", question)

    async def _no_classic_group(self, send: Send, node: int, group_id: str) -> Exception:
        """What to raise for a group that the classic description does not know: it may be one of another protocol."""
        response = await send(ListGroupsRequest(), node_id=node)
        for listed in response.groups:
            kind = (getattr(listed, "group_type", None) or "classic").lower()
            if listed.group_id == group_id and kind in _OTHER_KINDS:
                return Unsupported(f"{group_id!r} is {_OTHER_KINDS[kind]}; classic Kafka Streams groups are covered")
        return ClusterTrouble(
            f"there is no group {group_id!r} in this cluster, or this user may not see it. A Streams group is named as its "
            "application.id; kafka-consumer-groups.sh --list shows what there is"
        )

    def group_ids(self) -> tuple[str, ...]:
        nodes = self._session.ask("reading the cluster's metadata", lambda send: send(_metadata(()))).brokers
        found: dict[str, None] = {}
        for node in nodes:
            listed = self._session.ask(
                "listing the groups",
                lambda send, to=node.node_id: send(ListGroupsRequest(), node_id=to),  # type: ignore[misc]
            )
            found.update((group.group_id, None) for group in listed.groups)
        return tuple(sorted(found))

    def topic_names(self) -> tuple[str, ...]:
        response = self._session.ask("listing the topics", lambda send: send(_metadata(None)))
        return tuple(sorted(topic.name for topic in response.topics if not topic.error_code))

    def topics(self, names: tuple[str, ...]) -> tuple[tuple[Topic, ...], tuple[Unknown, ...]]:
        if not names:
            return (), ()
        response = self._session.ask("describing topics", lambda send: send(_metadata(names)))
        racks = {broker.node_id: broker.rack for broker in response.brokers}
        found: list[Topic] = []
        unknown: list[Unknown] = []
        for topic in sorted(response.topics, key=lambda each: each.name):
            if topic.error_code:
                unknown.append(Unknown(f"topics.{topic.name}", refusal(kafka_errors.for_code(topic.error_code)())))
                continue
            partitions = sorted(topic.partitions, key=lambda each: each.partition_index)
            infos = (
                TopicPartitionInfo(
                    each.partition_index,
                    tuple(racks.get(node) for node in each.replica_nodes),
                    leader=each.leader_id if each.leader_id >= 0 else None,
                )
                for each in partitions
            )
            found.append(Topic(topic.name, tuple(infos)))
        return tuple(found), tuple(unknown)

    def committed_offsets(self, group_id: str) -> tuple[tuple[TopicPartition, int], ...]:
        what = f"reading the committed offsets of {group_id!r}"
        admin = self._session.admin
        answer = self._session.call(what, lambda: admin.list_group_offsets({group_id: None}))
        offsets = answer.get(group_id, {})
        return tuple(
            sorted(
                (TopicPartition(each.topic, each.partition), value.offset) for each, value in offsets.items() if value.offset >= 0
            )
        )

    def end_offsets(self, partitions: tuple[TopicPartition, ...]) -> Figures:
        return self._offsets(partitions, OffsetSpec.LATEST, "end_offset")

    def begin_offsets(self, partitions: tuple[TopicPartition, ...]) -> Figures:
        return self._offsets(partitions, OffsetSpec.EARLIEST, "begin_offset")

    def log_bytes(self, partitions: tuple[TopicPartition, ...]) -> Figures:
        if not partitions:
            return (), ()
        names = tuple(dict.fromkeys(partition.topic for partition in partitions))
        response = self._session.ask("describing topics", lambda send: send(_metadata(names)))
        return log_sizes.log_bytes(self._session, partitions, response.topics)

    def _offsets(self, partitions: tuple[TopicPartition, ...], which: OffsetSpec, called: str) -> Figures:
        if not partitions:
            return (), ()
        names = tuple(dict.fromkeys(partition.topic for partition in partitions))
        response = self._session.ask("describing topics", lambda send: send(_metadata(names)))
        leaders: dict[TopicPartition, int] = {}
        unknown: dict[TopicPartition, str] = {}
        for topic in response.topics:
            for each in topic.partitions:
                leaders[TopicPartition(topic.name, each.partition_index)] = each.leader_id
            if topic.error_code:
                problem = refusal(kafka_errors.for_code(topic.error_code)())
                unknown.update({partition: problem for partition in partitions if partition.topic == topic.name})
        by_leader: dict[int, list[TopicPartition]] = {}
        for partition in partitions:
            if partition not in unknown and leaders.get(partition, -1) < 0:
                unknown[partition] = "there is no such partition, or it has no leader now"
            elif partition not in unknown:
                by_leader.setdefault(leaders[partition], []).append(partition)
        found: dict[TopicPartition, int] = {}
        for leader, wanted in by_leader.items():
            for start in range(0, len(wanted), _PARTITIONS_A_REQUEST):
                request = _list_offsets(wanted[start : start + _PARTITIONS_A_REQUEST], which)
                self._list_offsets(leader, request, found, unknown)
        reasons = tuple(Unknown(f"{called}.{partition}", reason) for partition, reason in sorted(unknown.items()))
        return tuple(sorted(found.items())), reasons

    def _list_offsets(
        self, leader: int, request: ListOffsetsRequest, found: dict[TopicPartition, int], unknown: dict[TopicPartition, str]
    ) -> None:
        response = self._session.ask("reading offsets", lambda send: send(request, node_id=leader))
        for topic in response.topics:
            for each in topic.partitions:
                partition = TopicPartition(topic.name, each.partition_index)
                if each.error_code:
                    unknown[partition] = refusal(kafka_errors.for_code(each.error_code)())
                else:
                    found[partition] = each.offset

    def generations(self, group_id: str) -> tuple[tuple[Generation, ...], tuple[Unknown, ...]]:
        return consumer_offsets.generations(self._session, group_id)

    def group_rights(self, group_id: str) -> Operations:
        async def question(send: Send) -> Operations:
            try:
                node = await self._session.coordinator(send, group_id)
            except kafka_errors.GroupAuthorizationFailedError:
                return frozenset()
            request = DescribeGroupsRequest(groups=[group_id], include_authorized_operations=True)
            group = (await send(request, node_id=node)).groups[0]
            # Rights are looked at first: whoever is told that there is no such group may describe it.
            return frozenset({"DESCRIBE"}) if group.error_code == _GROUP_ID_NOT_FOUND else _operations(group)

        return self._session.ask(f"asking for the rights on the group {group_id!r}", question)

    def topic_rights(self, names: tuple[str, ...]) -> tuple[tuple[str, Operations], ...]:
        request = _metadata(names, rights=True)
        response = self._session.ask("asking for the rights on topics", lambda send: send(request))
        found = {topic.name: _operations(topic) for topic in response.topics}
        return tuple((name, found.get(name, frozenset())) for name in names)

    def cluster_rights(self) -> Operations:
        request = MetadataRequest(
            topics=[],
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=True,
            max_version=_LAST_WITH_CLUSTER_RIGHTS,
        )
        response = self._session.ask("asking for the rights on the cluster", lambda send: send(request))
        return _named(response.authorized_operations)


def _operations(described: Any) -> Operations:
    """The names of the operations in an answer about a group or topic; none if the answer is an error."""
    return frozenset() if described.error_code else _named(described.authorized_operations)


def _named(codes: Iterable[int] | None) -> Operations:
    return frozenset(_OPERATIONS[code] for code in codes or () if code in _OPERATIONS)


def _metadata(names: tuple[str, ...] | None, *, rights: bool = False) -> MetadataRequest:
    topics = None if names is None else [MetadataRequest.MetadataRequestTopic(name=name) for name in names]
    return MetadataRequest(topics=topics, allow_auto_topic_creation=False, include_topic_authorized_operations=rights)


def _list_offsets(partitions: Iterable[TopicPartition], which: OffsetSpec) -> ListOffsetsRequest:
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
                partitions=[one_partition(partition_index=number, timestamp=which.value) for number in numbers],
            )
            for topic, numbers in topics.items()
        ],
    )
