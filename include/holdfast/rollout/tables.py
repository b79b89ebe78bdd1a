"""A Snapshot as rows of tidy tables: one group, its members, its tasks, their changelogs.

Plain values only (str, int, bool, None, lists and dicts of them), so that any table engine takes them. What cannot be answered for
one group is a `problem` in its row: one group never costs the others theirs.
"""

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka.streams.group import Task
from holdfast.kafka.vocabulary import LATEST_OFFSET
from holdfast.rollout import codec, groups, order
from holdfast.rollout.snapshot import Snapshot

Row = dict[str, object]
LARGEST = 64 * 1024 * 1024
"""Bytes of one document. A larger one goes to the quarantine rather than take an executor down."""


def decode(path: str, content: bytes) -> Row:
    """One document as one row. What is not a Snapshot is a row with a `problem`, and nothing else in it."""
    try:
        if len(content) > LARGEST:
            raise InvalidInput(f"the document has {len(content):,} bytes; {LARGEST:,} are allowed here")
        snapshot = codec.snapshot_from_json(codec.loads(content))
    except HoldfastError as refusal:
        return {"snapshot": path, "problem": str(refusal)}
    return {"snapshot": path, "problem": None, **_group(snapshot), "members": _members(snapshot), "tasks": _tasks(snapshot)}


def targets(document: str) -> Row:
    """Where each stateful task of a Snapshot is going, and whose it is now: `targets`, or the `problem` why nobody can say."""
    try:
        snapshot = codec.snapshot_from_json(codec.loads(document))
        going = order.target(groups.any_group_of(snapshot))
        owner = dict(order.owners(snapshot))
    except HoldfastError as refusal:
        return {"problem": str(refusal), "targets": []}
    return {
        "problem": None,
        "targets": [
            {
                "task_id": str(task),
                "owner": str(owner[task]) if task in owner else None,
                "target": str(process_id),
                "will_move": owner.get(task) != process_id,
            }
            for task, process_id in going
        ],
    }


def order_change(before: str, after: str) -> Row | None:
    """What happened to the order of process IDs between two Snapshots of a group, or None if nobody joined or left."""
    try:
        change = order.order_changes(*(codec.snapshot_from_json(codec.loads(document)) for document in (before, after)))
    except HoldfastError as refusal:
        return {"problem": str(refusal)}
    if change.before == change.after:
        return None
    return {
        "problem": None,
        "joined": [str(process_id) for process_id in change.joined],
        "left": [str(process_id) for process_id in change.left],
        "shifted": [str(process_id) for process_id in change.shifted],
        "moved_between_survivors": len(change.moved_between_survivors),
        "moved": [
            {"task_id": str(move.task), "owner_before": str(move.before), "owner_after": str(move.after)} for move in change.moved
        ],
        "seeds": [{"lost": str(lost), "keeps_the_order": str(seed)} for lost, seed in change.seeds],
        "text_order_misleads": change.text_order_misleads,
    }


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
    place_of = {client.process_id: place for place, client in enumerate(sorted(snapshot.clients, key=lambda one: one.process_id))}
    return [
        {
            "process_id": str(client.process_id),
            "place_in_order": place_of[client.process_id],
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
    owner = dict(order.owners(snapshot))
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
