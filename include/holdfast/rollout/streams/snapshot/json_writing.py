"""The canonical JSON of a Snapshot; `json` reads it."""

from collections.abc import Mapping

from holdfast.kafka.streams.first_report import FirstReport
from holdfast.kafka.streams.group import Client, Consumer, Task
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.contract.unknown import UNKNOWNS
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.streams.snapshot.snapshot import Evidence, Generation, Lock, Snapshot, StateDirectory, TaskDirectory, Topic


def snapshot_to_json(snapshot: Snapshot) -> dict[str, object]:
    """The canonical form. Clients and consumers keep their order, the group's member list; tasks and settings are sorted."""
    evidence = {one.member_id: one for one in snapshot.evidence}
    written: dict[str, object] = {
        "format_version": strict.FORMAT_VERSION,
        "cluster": snapshot.cluster,
        "group_id": snapshot.group_id,
        "captured_at": snapshot.captured_at,
        "protocol": snapshot.protocol,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.kafka_release,
        "task_assignor": snapshot.task_assignor,
        "leader_process_id": None if snapshot.leader_process_id is None else str(snapshot.leader_process_id),
        "config": kafka.config_to_json(snapshot.config),
        "tasks": {str(task.id): task_to_json(task) for task in sorted(snapshot.tasks, key=lambda task: task.id)},
        "clients": {str(client.process_id): _client_to_json(client, evidence) for client in snapshot.clients},
        "topics": {topic.name: _topic_to_json(topic) for topic in snapshot.topics},
    }
    if snapshot.missing_topics:
        written["missing_topics"] = list(snapshot.missing_topics)
    if snapshot.state_directories:
        written["state_directories"] = [_state_directory_to_json(directory) for directory in snapshot.state_directories]
    if snapshot.generations:
        written["generations"] = [_generation_to_json(generation) for generation in snapshot.generations]
    if snapshot.stores is not None:
        written["stores"] = str(snapshot.stores)
    written["unknown"] = UNKNOWNS.write(snapshot.unknown)
    return written


def task_to_json(task: Task) -> dict[str, object]:
    changelogs = None if task.changelogs is None else [[one.topic, one.partition, one.end_offset] for one in task.changelogs]
    return {"partitions": kafka.topic_partitions_to_json(task.partitions), "changelogs": changelogs}


def _client_to_json(client: Client, evidence: Mapping[str, Evidence]) -> dict[str, object]:
    return {
        "host": client.host,
        "rack": client.rack,
        "client_tags": dict(client.client_tags),
        "user_endpoint": client.user_endpoint,
        "consumers": {
            consumer.member_id: _consumer_to_json(consumer, evidence.get(consumer.member_id)) for consumer in client.consumers
        },
    }


def _consumer_to_json(consumer: Consumer, evidence: Evidence | None) -> dict[str, object]:
    written: dict[str, object] = {
        "client_id": consumer.client_id,
        "group_instance_id": consumer.group_instance_id,
        "owned": kafka.topic_partitions_to_json(consumer.owned),
        "task_offset_sums": kafka.offset_sums_to_json(consumer.task_offset_sums),
    }
    if consumer.metadata_version is not None:
        written["metadata_version"] = consumer.metadata_version
    if consumer.error_code:
        written["error_code"] = consumer.error_code
    if evidence is not None:
        written["assigned"] = _present(
            active=None if evidence.assigned_active is None else kafka.task_ids_to_json(evidence.assigned_active),
            standby=None if evidence.assigned_standby is None else kafka.task_ids_to_json(evidence.assigned_standby),
        )
        sums = evidence.joined_task_offset_sums
        written["last_join"] = _present(
            owned=None if evidence.joined_owned is None else kafka.topic_partitions_to_json(evidence.joined_owned),
            task_offset_sums=None if sums is None else kafka.offset_sums_to_json(sums),
            metadata_version=evidence.joined_metadata_version,
        )
    return written


def _present(**fields: object) -> dict[str, object]:
    """The fields that are known."""
    return {field: value for field, value in fields.items() if value is not None}


def _topic_to_json(topic: Topic) -> dict[str, object]:
    return {
        "partitions": [
            {"id": one.id, "replica_racks": list(one.replica_racks)}
            | _present(begin_offset=one.begin_offset, log_bytes=one.log_bytes, leader=one.leader)
            for one in topic.partitions
        ]
    }


def _state_directory_to_json(directory: StateDirectory) -> dict[str, object]:
    named = {
        name: {str(task.task_id): _task_directory_to_json(task) for task in tasks} for name, tasks in directory.named_topologies
    }
    kept_globally = {} if directory.global_checkpoint is None else {"global": _checkpoint_to_json(directory.global_checkpoint)}
    return {
        "url": directory.url,
        "process_id": None if directory.process_id is None else str(directory.process_id),
        **_lock_to_json(directory.lock),
        "files": [{"path": file.path, "size": file.size, "modified_at": file.modified_at} for file in directory.files],
        **kept_globally,
        "tasks": _task_directories_to_json(directory.tasks),
        **({"named_topologies": named} if named else {}),
        **({"others": list(directory.others)} if directory.others else {}),
        **_first_report_to_json(directory.first_report),
        **_present(free_bytes=directory.free_bytes),
    }


def _first_report_to_json(report: FirstReport | None) -> dict[str, object]:
    if report is None:
        return {}
    sums = {str(task): total for task, total in report.task_offset_sums}
    return {"first_report": {"task_offset_sums": sums, "doubts": list(report.doubts)}}


def _task_directories_to_json(tasks: tuple[TaskDirectory, ...]) -> dict[str, object]:
    return {str(task.task_id): _task_directory_to_json(task) for task in tasks}


def _task_directory_to_json(task: TaskDirectory) -> dict[str, object]:
    stores = {"stores": list(task.stores)} if task.stores else {}
    in_stores = {"offsets_in_stores": True} if task.offsets_in_stores else {}
    unreadable = {"unreadable": True} if task.unreadable else {}
    still_open = {"open_stores": list(task.open_stores)} if task.open_stores else {}
    checkpoint = None if task.checkpoint is None else _checkpoint_to_json(task.checkpoint)
    rest = {**stores, **in_stores, **still_open, **unreadable, **_lock_to_json(task.lock)}
    return {"checkpoint": checkpoint, "non_empty": task.non_empty, **rest}


def _checkpoint_to_json(checkpoint: tuple[tuple[TopicPartition, int], ...]) -> list[object]:
    return [[partition.topic, partition.partition, offset] for partition, offset in checkpoint]


def _lock_to_json(lock: Lock | None) -> dict[str, object]:
    if lock is None:
        return {}
    pid = {} if lock.pid is None else {"pid": lock.pid}
    reason = {} if lock.reason is None else {"reason": lock.reason}
    return {"lock": {"held": lock.held, **pid, **reason}}


def _generation_to_json(generation: Generation) -> dict[str, object]:
    return {
        "number": generation.number,
        "completed_at": generation.completed_at,
        "leader_member_id": generation.leader_member_id,
        "protocol": generation.protocol,
        "members": {
            member.member_id: {
                "client_id": member.client_id,
                "client_host": member.client_host,
                "group_instance_id": member.group_instance_id,
                "subscription": kafka.bytes_to_json(member.subscription),
                "assignment": kafka.bytes_to_json(member.assignment),
                "session_timeout_ms": member.session_timeout_ms,
            }
            for member in generation.members
        },
    }
