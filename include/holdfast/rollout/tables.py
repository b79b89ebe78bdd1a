"""A Snapshot as rows of tidy tables: one group, its members, its tasks, their changelogs.

Plain values only (str, int, bool, None, lists and dicts of them), so that any table engine takes them. `owner` here is the client
that runs a task now, by what its members would report.
"""

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka.streams.group import Task
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId, TopicPartition
from holdfast.rollout import codec
from holdfast.rollout.snapshot import Snapshot

Row = dict[str, object]
LARGEST = 64 * 1024 * 1024
"""Characters of one document. A larger one goes to the quarantine rather than take an executor down."""


def owners(snapshot: Snapshot) -> dict[TaskId, ProcessId]:
    """The client that runs each task: the one whose member owns a source partition of it."""
    task_of: dict[TopicPartition, TaskId] = {partition: task.id for task in snapshot.tasks for partition in task.partitions}
    return {
        task_of[partition]: client.process_id
        for client in snapshot.clients
        for consumer in client.consumers
        for partition in consumer.owned
        if partition in task_of
    }


def decode(path: str, text: str) -> Row:
    """One document as one row. What is not a Snapshot is a row with a `problem`, and nothing else in it."""
    try:
        if len(text) > LARGEST:
            raise InvalidInput(f"the document has {len(text):,} characters; {LARGEST:,} are allowed here")
        snapshot = codec.snapshot_from_json(codec.loads(text))
    except HoldfastError as refusal:
        return {"snapshot": path, "problem": str(refusal)}
    return {"snapshot": path, "problem": None, **_group(snapshot), "members": _members(snapshot), "tasks": _tasks(snapshot)}


def _group(snapshot: Snapshot) -> Row:
    return {
        "cluster": snapshot.cluster,
        "day": (snapshot.captured_at or "")[:10] or "unknown",
        "group_id": snapshot.group_id,
        "captured_at": snapshot.captured_at,
        "protocol": snapshot.protocol,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.kafka_release,
        "task_assignor": snapshot.task_assignor,
        "leader_process_id": None if snapshot.leader_process_id is None else str(snapshot.leader_process_id),
        "clients": len(snapshot.clients),
        "threads": len(snapshot.consumers()),
        "stateful_tasks": sum(task.stateful for task in snapshot.tasks),
        "unknown": [f"{unknown.what}: {unknown.reason}" for unknown in snapshot.unknown],
        "fingerprint": codec.snapshot_fingerprint(snapshot),
        "document": codec.dumps(codec.snapshot_to_json(snapshot)),
    }


def _members(snapshot: Snapshot) -> list[Row]:
    order = {client.process_id: place for place, client in enumerate(sorted(snapshot.clients, key=lambda one: one.process_id))}
    return [
        {
            "process_id": str(client.process_id),
            "place_in_order": order[client.process_id],
            "host": client.host,
            "rack": client.rack,
            "member_id": consumer.member_id,
            "client_id": consumer.client_id,
            "group_instance_id": consumer.group_instance_id,
            "owned_partitions": len(consumer.owned),
            "active_stateful": sum(offset == LATEST_OFFSET for _, offset in consumer.task_offset_sums),
            "other_copies": sum(offset != LATEST_OFFSET for _, offset in consumer.task_offset_sums),
        }
        for client in snapshot.clients
        for consumer in client.consumers
    ]


def _tasks(snapshot: Snapshot) -> list[Row]:
    owner = owners(snapshot)
    return [
        {
            "task_id": str(task.id),
            "subtopology": task.id.subtopology,
            "partition": task.id.partition,
            "stateful": None if task.changelogs is None else task.stateful,
            "end_offset_sum": task.end_offset_sum if task.stateful else None,
            "owner": str(owner[task.id]) if task.id in owner else None,
            "source_partitions": [str(partition) for partition in task.partitions],
            "changelogs": _changelogs(task),
        }
        for task in snapshot.tasks
    ]


def _changelogs(task: Task) -> list[Row]:
    return [
        {"topic": changelog.topic, "partition": changelog.partition, "end_offset": changelog.end_offset}
        for changelog in task.changelogs or ()
    ]
