"""Random messages and records of streams groups, as Kafka's JSON converters take them, and what their bytes are to be read as."""

import random
from typing import Any

from holdfast.kafka.coordinator.streams.group import Task
from holdfast.kafka.wire import streams_group_description as description
from holdfast.kafka.wire import streams_group_records as records
from holdfast.kafka.wire.streams_group_records import RecordKind
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks

TEXTS = ("", "shop", "0", "10", "app-1", "é", "\U0001f600 x", "long" * 60)
Json = dict[str, Any]


def _text(chance: random.Random) -> str:
    return chance.choice(TEXTS)


def _maybe(chance: random.Random) -> str | None:
    return chance.choice((None, _text(chance)))


def _int(chance: random.Random) -> int:
    return chance.choice((0, 1, 7, 2**31 - 1, -1))


def _texts(chance: random.Random) -> tuple[str, ...]:
    return tuple(_text(chance) for _ in range(chance.randint(0, 3)))


def _tasks(chance: random.Random) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((_text(chance), tuple(chance.sample(range(200), chance.randint(0, 5)))) for _ in range(chance.randint(0, 3)))


def _tasks_json(tasks: Any) -> list[Json]:
    return [{"subtopologyId": name, "partitions": list(numbers)} for name, numbers in tasks]


def _owned(chance: random.Random) -> OwnedTasks:
    return OwnedTasks(_tasks(chance), _tasks(chance), _tasks(chance))


def _owned_json(owned: OwnedTasks) -> Json:
    roles = {"activeTasks": owned.active, "standbyTasks": owned.standby, "warmupTasks": owned.warmup}
    return {role: _tasks_json(tasks) for role, tasks in roles.items()}


def _pairs(chance: random.Random) -> tuple[tuple[str, str], ...]:
    return tuple((_text(chance), _text(chance)) for _ in range(chance.randint(0, 2)))


def _pairs_json(pairs: Any) -> list[Json]:
    return [{"key": key, "value": value} for key, value in pairs]


def _topics(chance: random.Random) -> tuple[InternalTopic, ...]:
    return tuple(
        InternalTopic(_text(chance), chance.randint(0, 9), chance.choice((-1, 0, 3)), _pairs(chance))
        for _ in range(chance.randint(0, 2))
    )


def _topics_json(topics: tuple[InternalTopic, ...]) -> list[Json]:
    return [
        {
            "name": one.name,
            "partitions": one.partitions,
            "replicationFactor": one.replication_factor,
            "topicConfigs": _pairs_json(one.configs),
        }
        for one in topics
    ]


def _offsets(chance: random.Random) -> tuple[tuple[Task, int], ...]:
    return tuple((Task(_text(chance), chance.randint(0, 9)), chance.choice((0, 5, 2**62, -1))) for _ in range(chance.randint(0, 2)))


def _offsets_json(offsets: Any) -> list[Json]:
    return [{"subtopologyId": task.subtopology, "partition": task.partition, "offset": offset} for task, offset in offsets]


def _endpoint(chance: random.Random) -> tuple[str | None, Json | None]:
    if chance.random() < 0.5:
        return None, None
    port = chance.choice((0, 8080, 65535))
    return f"host:{port}", {"host": "host", "port": port}


def described(chance: random.Random, version: int = 0) -> tuple[Json, tuple[description.DescribedGroup, ...]]:
    """A response, and its groups."""
    both = [_group(chance, version) for _ in range(chance.randint(0, 2))]
    return {"throttleTimeMs": 0, "groups": [one for one, _ in both]}, tuple(group for _, group in both)


def _group(chance: random.Random, version: int) -> tuple[Json, description.DescribedGroup]:
    topology = _topology(chance) if chance.random() < 0.8 else None
    members = [_member(chance) for _ in range(chance.randint(0, 3))]
    group = description.DescribedGroup(
        error_code=chance.choice((0, 15, 69)),
        error_message=_maybe(chance),
        group_id=_text(chance),
        state="Stable",
        group_epoch=_int(chance),
        assignment_epoch=_int(chance),
        topology=None if topology is None else topology[1],
        members=tuple(one for _, one in members),
        authorized_operations=chance.choice((description.NO_OPERATIONS, 264)),
        assignor=_maybe(chance) if version >= 1 else None,
    )
    newer = {"topologyDescription": None, "topologyDescriptionStatus": 0, "assignorName": group.assignor} if version >= 1 else {}
    return newer | {
        "errorCode": group.error_code,
        "errorMessage": group.error_message,
        "groupId": group.group_id,
        "groupState": group.state,
        "groupEpoch": group.group_epoch,
        "assignmentEpoch": group.assignment_epoch,
        "topology": None if topology is None else topology[0],
        "members": [one for one, _ in members],
        "authorizedOperations": group.authorized_operations,
    }, group


def _topology(chance: random.Random) -> tuple[Json, description.DescribedTopology]:
    subtopologies = None if chance.random() < 0.2 else tuple(_subtopology(chance) for _ in range(chance.randint(0, 3)))
    topology = description.DescribedTopology(_int(chance), subtopologies)
    written = None if subtopologies is None else [
        {
            "subtopologyId": one.id,
            "sourceTopics": list(one.source_topics),
            "repartitionSinkTopics": list(one.repartition_sink_topics),
            "stateChangelogTopics": _topics_json(one.changelog_topics),
            "repartitionSourceTopics": _topics_json(one.repartition_source_topics),
        }
        for one in subtopologies
    ]  # fmt: skip
    return {"epoch": topology.epoch, "subtopologies": written}, topology


def _subtopology(chance: random.Random) -> description.DescribedSubtopology:
    return description.DescribedSubtopology(_text(chance), _texts(chance), _texts(chance), _topics(chance), _topics(chance))


def _member(chance: random.Random) -> tuple[Json, description.DescribedMember]:
    endpoint, endpoint_json = _endpoint(chance)
    member = description.DescribedMember(
        _text(chance), _int(chance), _maybe(chance), _maybe(chance), _text(chance), _text(chance), _int(chance), _text(chance),
        endpoint, _pairs(chance), _offsets(chance), _offsets(chance), _owned(chance), _owned(chance), chance.random() < 0.5,
    )  # fmt: skip
    return {
        "memberId": member.member_id,
        "memberEpoch": member.member_epoch,
        "instanceId": member.instance_id,
        "rackId": member.rack_id,
        "clientId": member.client_id,
        "clientHost": member.client_host,
        "topologyEpoch": member.topology_epoch,
        "processId": member.process_id,
        "userEndpoint": endpoint_json,
        "clientTags": _pairs_json(member.client_tags),
        "taskOffsets": _offsets_json(member.task_offsets),
        "taskEndOffsets": _offsets_json(member.task_end_offsets),
        "assignment": _owned_json(member.assignment),
        "targetAssignment": _owned_json(member.target),
        "isClassic": member.is_classic,
    }, member


NAMES = {
    RecordKind.GROUP_METADATA: "StreamsGroupMetadata",
    RecordKind.MEMBER_METADATA: "StreamsGroupMemberMetadata",
    RecordKind.TARGET_METADATA: "StreamsGroupTargetAssignmentMetadata",
    RecordKind.TARGET_MEMBER: "StreamsGroupTargetAssignmentMember",
    RecordKind.CURRENT_MEMBER: "StreamsGroupCurrentMemberAssignment",
    RecordKind.TOPOLOGY: "StreamsGroupTopology",
}
"""The names of Kafka's classes, without `Key` and `Value`."""


def record(kind: RecordKind, chance: random.Random, *, timestamps: bool = True) -> tuple[Json, records.RecordValue]:
    """The value of a record. `timestamps`: whether the release writes when a target was computed."""
    if kind is RecordKind.GROUP_METADATA:
        configs = _pairs(chance)
        epoch = chance.choice((-1, 0, 3))
        metadata = records.GroupMetadata(_int(chance), chance.getrandbits(63), None if epoch == -1 else epoch, configs or None)
        written: Json = {"epoch": metadata.epoch, "metadataHash": metadata.metadata_hash, "validatedTopologyEpoch": epoch}
        return written | {"lastAssignmentConfigs": _pairs_json(configs)}, metadata
    if kind is RecordKind.MEMBER_METADATA:
        return _member_metadata(chance)
    if kind is RecordKind.TARGET_METADATA:
        timestamp = chance.choice((0, 1_790_000_000_000)) if timestamps else 0
        target = records.TargetMetadata(_int(chance), timestamp or None)
        return {"assignmentEpoch": target.epoch, "assignmentTimestamp": timestamp}, target
    if kind is RecordKind.TARGET_MEMBER:
        owned = _owned(chance)
        return _owned_json(owned), records.TargetMember(owned)
    if kind is RecordKind.CURRENT_MEMBER:
        return _current_member(chance)
    return _stored_topology(chance)


def _member_metadata(chance: random.Random) -> tuple[Json, records.RecordValue]:
    endpoint, endpoint_json = _endpoint(chance)
    member = records.MemberMetadata(
        _maybe(chance),
        _maybe(chance),
        _text(chance),
        _text(chance),
        _int(chance),
        _int(chance),
        _text(chance),
        endpoint,
        _pairs(chance),
    )
    return {
        "instanceId": member.instance_id,
        "rackId": member.rack_id,
        "clientId": member.client_id,
        "clientHost": member.client_host,
        "rebalanceTimeoutMs": member.rebalance_timeout_ms,
        "topologyEpoch": member.topology_epoch,
        "processId": member.process_id,
        "userEndpoint": endpoint_json,
        "clientTags": _pairs_json(member.client_tags),
    }, member


def _current_member(chance: random.Random) -> tuple[Json, records.RecordValue]:
    owned, revoked = _owned(chance), _owned(chance)
    member = records.CurrentMember(
        _int(chance), _int(chance), chance.randint(0, 3), owned, revoked.active, revoked.standby, revoked.warmup
    )
    written = _owned_json(owned) | {f"{role}PendingRevocation": tasks for role, tasks in _owned_json(revoked).items()}
    for one in written["activeTasks"]:
        one["assignmentEpochs"] = chance.choice((None, [3] * len(one["partitions"])))
    return written | {
        "memberEpoch": member.member_epoch,
        "previousMemberEpoch": member.previous_member_epoch,
        "state": member.state,
    }, member


def _stored_topology(chance: random.Random) -> tuple[Json, records.RecordValue]:
    groups = tuple((tuple(range(chance.randint(0, 2))), (), (0,)) for _ in range(chance.randint(0, 2)))
    subtopologies = tuple(
        records.StoredSubtopology(
            _text(chance), _texts(chance), _texts(chance), _topics(chance), _texts(chance), _topics(chance), groups
        )
        for _ in range(chance.randint(0, 3))
    )
    topology = records.StoredTopology(_int(chance), subtopologies)
    return {"epoch": topology.epoch, "subtopologies": [_stored_json(one) for one in subtopologies]}, topology


def _stored_json(one: records.StoredSubtopology) -> Json:
    return {
        "subtopologyId": one.id,
        "sourceTopics": list(one.source_topics),
        "sourceTopicRegex": list(one.source_topic_patterns),
        "stateChangelogTopics": _topics_json(one.changelog_topics),
        "repartitionSinkTopics": list(one.repartition_sink_topics),
        "repartitionSourceTopics": _topics_json(one.repartition_source_topics),
        "copartitionGroups": [
            {"sourceTopics": list(sources), "sourceTopicRegex": list(patterns), "repartitionSourceTopics": list(repartition)}
            for sources, patterns, repartition in one.copartition_groups
        ],
    }
