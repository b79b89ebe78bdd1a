"""The JSON of a Snapshot, format 1.x: unknown fields are ignored, everything else is checked.

Beside what the contract shows, a Snapshot may hold `state_directories` and `generations`:

    "state_directories": [{"url": "…", "process_id": "…", "lock": {"held": true, "pid": 4711},
                           "files": [{"path": "…", "size": 43, "modified_at": "…"}],
                           "tasks": {"1_0": {"checkpoint": [["topic", 0, 1]], "non_empty": true}}}]
    "generations": [{"number": 7, "completed_at": "…", "leader_member_id": "…", "protocol": "stream",
                     "members": {"<member id>": {"client_id": "…", "client_host": "…", "group_instance_id": null,
                                                 "subscription": "<base64>", "assignment": "<base64>"}}}]
"""

from collections.abc import Iterable

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.streams.first_report import FirstReport
from holdfast.kafka.streams.group import Changelog, Client, Consumer, Task
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN, UNKNOWN_OFFSET_SUM, TaskId, TopicPartition
from holdfast.rollout.contract.unknown import UNKNOWNS
from holdfast.rollout.json import contracts, kafka, strict
from holdfast.rollout.json.strict import Fields, nullable
from holdfast.rollout.streams.snapshot.snapshot import (
    Evidence,
    Generation,
    GenerationMember,
    Lock,
    Snapshot,
    StateDirectory,
    StateFile,
    Stores,
    TaskDirectory,
    Topic,
    TopicPartitionInfo,
)

PROTOCOL = "streams-classic"
FIRST_VERSION_WITH_OFFSET_SUMS = 7
"""Java: `SubscriptionInfo`, 2.6."""
PLAIN_PROTOCOL = "consumer-classic"
PROTOCOLS_TO_COME = ("streams", "consumer")


def _stores(value: object) -> Stores:
    try:
        return Stores(strict.text(value))
    except ValueError:
        raise strict.mismatch(" or ".join(f'"{one}"' for one in Stores), value) from None


def snapshot_from_json(value: object) -> Snapshot:
    """Raise InvalidInput, or Unsupported for a format version, a protocol or a named topology that is not modelled."""
    contracts.refuse_another(value, "Snapshot")
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    protocol = fields.need("protocol", _protocol)
    clients = fields.need("clients", lambda each: strict.each_entry(each, _client_with_evidence))
    snapshot = Snapshot(
        cluster=fields.optional("cluster", strict.text, ""),
        group_id=fields.need("group_id", strict.name),
        captured_at=fields.optional("captured_at", nullable(strict.instant), None),
        protocol=protocol,
        group_state=fields.optional("group_state", nullable(strict.text), None),
        kafka_release=fields.optional("kafka_release", nullable(strict.name), None),
        task_assignor=fields.optional("task_assignor", nullable(strict.name), None),
        leader_process_id=fields.optional("leader_process_id", nullable(kafka.process_id), None),
        config=fields.optional("config", kafka.config, ()),
        tasks=fields.need("tasks", lambda tasks: tuple(sorted(strict.each_entry(tasks, task_from_json), key=lambda task: task.id))),
        clients=tuple(client for client, _ in clients or ()),
        topics=fields.optional("topics", lambda topics: strict.each_entry(topics, _topic), ()),
        missing_topics=fields.optional("missing_topics", lambda names: strict.each(names, strict.name), ()),
        evidence=tuple(one for _, evidence in clients or () for one in evidence),
        state_directories=fields.optional("state_directories", lambda found: strict.each(found, _state_directory), ()),
        generations=fields.optional("generations", lambda found: strict.each(found, _generation), ()),
        unknown=fields.optional("unknown", UNKNOWNS.read, ()),
        stores=fields.optional("stores", nullable(_stores), None),
    )
    fields.finish()
    strict.refuse(_contradictions(snapshot))
    return snapshot


def _protocol(value: object) -> str:
    if value == PROTOCOL:
        return PROTOCOL
    if value == PLAIN_PROTOCOL:
        raise Unsupported(
            f"this is a consumer group ({PLAIN_PROTOCOL}); needed here is a Kafka Streams group ({PROTOCOL}). All commands but"
            " guard accept both"
        )
    if value in PROTOCOLS_TO_COME:
        raise Unsupported(f"the protocol {strict.shown(value)} is not covered yet; {PROTOCOL!r} is")
    raise strict.mismatch(f"a protocol ({PROTOCOL!r})", value)


def _contradictions(snapshot: Snapshot) -> Iterable[InvalidInput]:
    """What no single field shows."""
    owner: dict[TopicPartition, TaskId] = {}
    for task in snapshot.tasks:
        for partition in task.partitions:
            if partition in owner:
                both = f"{owner[partition]} and {task.id}" if owner[partition] != task.id else f"{task.id} twice"
                yield InvalidInput(f"the partition {strict.shown(str(partition))} is in the tasks {both}", "tasks")
            owner[partition] = task.id
    members: dict[str, None] = {}
    processes: dict[object, None] = {}
    for client in snapshot.clients:
        if client.process_id in processes:
            yield InvalidInput(f"the process ID {client.process_id} is given twice", "clients")
        processes[client.process_id] = None
        for consumer in client.consumers:
            if consumer.member_id in members:
                yield InvalidInput(f"the member {strict.shown(consumer.member_id)} is given twice", "clients")
            members[consumer.member_id] = None
    if snapshot.leader_process_id is not None and snapshot.leader_process_id not in processes:
        yield InvalidInput(
            f"{snapshot.leader_process_id} is not among the clients; give null if the leader is not known", "leader_process_id"
        )


def task_from_json(key: str, value: object) -> Task:
    fields = Fields(value)
    task = Task(
        id=kafka.task_id(key),
        partitions=fields.need("partitions", kafka.topic_partitions),
        changelogs=fields.need("changelogs", nullable(lambda found: strict.each(found, _changelog))),
    )
    fields.finish()
    return task


def _changelog(value: object) -> Changelog:
    if not isinstance(value, list) or len(value) != 3:
        raise strict.mismatch('a changelog like ["topic", 0, 17] (topic, partition, end offset)', value)
    return Changelog(strict.name(value[0]), kafka.partition_number(value[1]), None if value[2] is None else strict.offset(value[2]))


def _client_with_evidence(key: str, value: object) -> tuple[Client, tuple[Evidence, ...]]:
    fields = Fields(value)
    consumers = fields.need("consumers", lambda found: strict.each_entry(found, _consumer_with_evidence))
    client = Client(
        process_id=kafka.process_id(key),
        consumers=tuple(consumer for consumer, _ in consumers or ()),
        host=fields.optional("host", nullable(strict.text), None),
        rack=fields.optional("rack", nullable(strict.text), None),
        client_tags=fields.optional("client_tags", kafka.string_map, ()),
        user_endpoint=fields.optional("user_endpoint", nullable(strict.text), None),
    )
    fields.finish()
    if not client.consumers:
        raise InvalidInput("a client has one consumer or more, none was found", "consumers")
    return client, tuple(evidence for _, evidence in consumers if evidence is not None)


def _consumer_with_evidence(key: str, value: object) -> tuple[Consumer, Evidence | None]:
    fields = Fields(value)
    consumer = Consumer(
        member_id=strict.name(key),
        client_id=fields.optional("client_id", strict.text, ""),
        group_instance_id=fields.optional("group_instance_id", nullable(strict.text), None),
        owned=fields.optional("owned", kafka.topic_partitions, ()),
        task_offset_sums=fields.optional("task_offset_sums", kafka.offset_sums, ()),
        metadata_version=fields.optional("metadata_version", nullable(_metadata_version), None),
        error_code=fields.optional("error_code", lambda code: strict.integer(code, 0, java.INT_MAX), 0),
    )
    active, standby = fields.optional("assigned", nullable(_assigned), None) or (None, None)
    owned, sums, version = fields.optional("last_join", nullable(_last_join), None) or (None, None, None)
    fields.finish()
    strict.refuse(_unsendable(consumer))
    evidence = Evidence(consumer.member_id, active, standby, owned, sums, version)
    return consumer, evidence if evidence != Evidence(consumer.member_id) else None


def _metadata_version(value: object) -> int:
    return strict.integer(value, 1, java.INT_MAX)


def _unsendable(consumer: Consumer) -> Iterable[InvalidInput]:
    """-3 is what a leader makes of the standbys of an older member; no newer one sends it."""
    version = consumer.metadata_version
    if version is None or version >= FIRST_VERSION_WITH_OFFSET_SUMS:
        for task, total in consumer.task_offset_sums:
            if total == UNKNOWN_OFFSET_SUM:
                problem = f"-3 is a standby of a member of metadata version 6 or less; this one has {version or 'none given'}"
                yield InvalidInput(problem, f"task_offset_sums.{task}")


def _assigned(value: object) -> tuple[tuple[TaskId, ...] | None, tuple[TaskId, ...] | None]:
    fields = Fields(value)
    assigned = (
        fields.optional("active", nullable(kafka.task_ids), None),
        fields.optional("standby", nullable(kafka.task_ids), None),
    )
    fields.finish()
    return assigned


def _last_join(
    value: object,
) -> tuple[tuple[TopicPartition, ...] | None, tuple[tuple[TaskId, int], ...] | None, int | None]:
    fields = Fields(value)
    joined = (
        fields.optional("owned", nullable(kafka.topic_partitions), None),
        fields.optional("task_offset_sums", nullable(kafka.any_offset_sums), None),
        fields.optional("metadata_version", nullable(_metadata_version), None),
    )
    fields.finish()
    return joined


def _topic(key: str, value: object) -> Topic:
    fields = Fields(value)
    topic = Topic(strict.name(key), fields.need("partitions", lambda found: strict.each(found, _topic_partition_info)))
    fields.finish()
    numbers = [partition.id for partition in topic.partitions]
    if len(dict.fromkeys(numbers)) < len(numbers):
        raise InvalidInput("a partition is given twice", "partitions")
    return topic


def _topic_partition_info(value: object) -> TopicPartitionInfo:
    fields = Fields(value)
    info = TopicPartitionInfo(
        id=fields.need("id", kafka.partition_number),
        replica_racks=fields.optional("replica_racks", lambda racks: strict.each(racks, nullable(strict.text)), ()),
        begin_offset=fields.optional("begin_offset", nullable(strict.offset), None),
        log_bytes=fields.optional("log_bytes", nullable(strict.offset), None),
        leader=fields.optional("leader", nullable(_broker), None),
    )
    fields.finish()
    return info


def _broker(value: object) -> int:
    return strict.integer(value, 0, java.INT_MAX)


def _state_directory(value: object) -> StateDirectory:
    fields = Fields(value)
    directory = StateDirectory(
        url=fields.need("url", strict.name),
        process_id=fields.optional("process_id", nullable(kafka.process_id), None),
        tasks=fields.optional("tasks", lambda tasks: strict.each_entry(tasks, _task_directory), ()),
        files=fields.optional("files", lambda files: strict.each(files, _state_file), ()),
        lock=fields.optional("lock", nullable(_lock), None),
        global_checkpoint=fields.optional("global", nullable(lambda found: strict.each(found, _checkpoint_entry)), None),
        named_topologies=fields.optional("named_topologies", lambda found: strict.each_entry(found, _named_topology), ()),
        others=fields.optional("others", lambda others: strict.each(others, strict.text), ()),
        first_report=fields.optional("first_report", nullable(_first_report), None),
        free_bytes=fields.optional("free_bytes", nullable(strict.offset), None),
    )
    fields.finish()
    return directory


def _task_directory(key: str, value: object) -> TaskDirectory:
    fields = Fields(value)
    directory = TaskDirectory(
        task_id=kafka.task_id(key),
        checkpoint=fields.optional("checkpoint", nullable(lambda found: strict.each(found, _checkpoint_entry)), None),
        non_empty=fields.need("non_empty", strict.boolean),
        stores=fields.optional("stores", lambda stores: strict.each(stores, strict.text), ()),
        offsets_in_stores=fields.optional("offsets_in_stores", strict.boolean, default=False),
        open_stores=fields.optional("open_stores", lambda stores: strict.each(stores, strict.text), ()),
        lock=fields.optional("lock", nullable(_lock), None),
        unreadable=fields.optional("unreadable", strict.boolean, default=False),
    )
    fields.finish()
    return directory


def _first_report(value: object) -> FirstReport:
    fields = Fields(value)
    report = FirstReport(
        fields.need("task_offset_sums", kafka.any_offset_sums),
        fields.optional("doubts", lambda doubts: strict.each(doubts, strict.text), ()),
    )
    fields.finish()
    return report


def _named_topology(name: str, value: object) -> tuple[str, tuple[TaskDirectory, ...]]:
    return name, strict.each_entry(value, _task_directory)


def _lock(value: object) -> Lock:
    fields = Fields(value)
    lock = Lock(
        held=fields.need("held", nullable(strict.boolean)),
        pid=fields.optional("pid", nullable(lambda number: strict.integer(number, 1, java.INT_MAX)), None),
        reason=fields.optional("reason", nullable(strict.text), None),
    )
    fields.finish()
    return lock


def _checkpoint_entry(value: object) -> tuple[TopicPartition, int]:
    if not isinstance(value, list) or len(value) != 3:
        raise strict.mismatch('a checkpoint entry like ["topic", 0, 17] (topic, partition, offset)', value)
    return kafka.topic_partition(value[:2]), strict.integer(value[2], OFFSET_UNKNOWN, java.LONG_MAX)


def _state_file(value: object) -> StateFile:
    fields = Fields(value)
    file = StateFile(
        path=fields.need("path", strict.name),
        size=fields.need("size", strict.offset),
        modified_at=fields.optional("modified_at", nullable(strict.instant), None),
    )
    fields.finish()
    return file


def _generation(value: object) -> Generation:
    fields = Fields(value)
    generation = Generation(
        number=fields.need("number", lambda number: strict.integer(number, 0, java.INT_MAX)),
        completed_at=fields.need("completed_at", strict.instant),
        leader_member_id=fields.optional("leader_member_id", nullable(strict.text), None),
        protocol=fields.optional("protocol", nullable(strict.text), None),
        members=fields.need("members", lambda members: strict.each_entry(members, _generation_member)),
    )
    fields.finish()
    return generation


def _timeout(value: object) -> int:
    return strict.integer(value, 1, java.INT_MAX)


def _generation_member(key: str, value: object) -> GenerationMember:
    fields = Fields(value)
    member = GenerationMember(
        member_id=strict.name(key),
        client_id=fields.optional("client_id", strict.text, ""),
        client_host=fields.optional("client_host", strict.text, ""),
        group_instance_id=fields.optional("group_instance_id", nullable(strict.text), None),
        subscription=fields.need("subscription", kafka.base64_bytes),
        assignment=fields.need("assignment", kafka.base64_bytes),
        session_timeout_ms=fields.optional("session_timeout_ms", nullable(_timeout), None),
    )
    fields.finish()
    return member
