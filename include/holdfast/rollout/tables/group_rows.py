"""A Snapshot as rows of tidy tables: one group, its members, its tasks, what it would cost to lose a host of it.

Plain values only (str, int, bool, None, lists and dicts of them), so that any table engine takes them. What cannot be answered for
one group is a `problem` in its row: one group never costs the others theirs.
"""

from urllib.parse import unquote

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka.streams.group import Client, Task
from holdfast.kafka.vocabulary import LATEST_OFFSET
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import A_ROW, dumps, loads
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.relied_on import snapshot_fingerprint
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, StateDirectory
from holdfast.rollout.tables import consumer_rows

Row = dict[str, object]
LARGEST = 64 * 1024 * 1024
"""Bytes of one document. A larger one goes to the quarantine rather than take an executor down."""
NO_DAY = UNNAMED = "unknown"
_LONGEST_FOLDER = 240
"""Bytes of a cluster's name in that of a folder, of which file systems allow 255."""
_NO_NAME_OF_SPARK = "__HIVE_DEFAULT_PARTITION__"
"""A folder of this name holds rows without a name."""


def decode(path: str, content: bytes) -> Row:
    """One document as one row. What is not a Snapshot is a row with a `problem`, and where it lies."""
    cluster, day, group_id = _place(path)
    found: Row = {"cluster": cluster, "day": day, "group_id": group_id, "snapshot": path}
    try:
        if len(content) > LARGEST:
            raise InvalidInput(f"the document has {len(content):,} bytes; {LARGEST:,} are allowed here")
        snapshot = any_kind.snapshot_from_json(loads(content, A_ROW))
        _refuse_what_names_no_folder(snapshot.cluster or UNNAMED)
        parts = consumer_rows.decoded(snapshot) if isinstance(snapshot, ConsumerSnapshot) else _decoded(snapshot)
    except HoldfastError as refusal:
        return found | {"problem": str(refusal)}
    return (
        found
        | {
            "cluster": snapshot.cluster or UNNAMED,
            "day": day or (snapshot.captured_at or "")[:10] or NO_DAY,
            "group_id": snapshot.group_id,
            "captured_at": snapshot.captured_at,
            "problem": None,
            "document": dumps(any_kind.snapshot_to_json(snapshot)),
        }
        | parts
    )


def _decoded(snapshot: Snapshot) -> Row:
    return {
        "group": _group(snapshot),
        "clients": _clients(snapshot),
        "members": _members(snapshot),
        "tasks": _tasks(snapshot),
        "partitions": [],
        "state_directories": [_state_directory(one) for one in snapshot.state_directories],
    }


def unread(path: str, content: bytes) -> Row:
    """The report of a run of collecting → `unread`: the groups that it could not read, each with the reason, as of `day`."""
    cluster, day, _ = _place(path)
    found: Row = {"cluster": cluster, "day": day or NO_DAY, "snapshot": path}
    try:
        report = loads(content, A_ROW)
        if not isinstance(report, dict) or not isinstance(report.get("unread"), list):
            raise InvalidInput("this is no report of a run of collecting")
        groups = [{"group_id": str(one["group_id"]), "problem": f"{one['why']}: {one['problem']}"} for one in report["unread"]]
        brokers = [{"group_id": "", "problem": str(one)} for one in report["unlisted"]]
    except (HoldfastError, TypeError, KeyError) as trouble:
        return found | {"unread": [{"group_id": "", "problem": f"a report that cannot be read: {trouble}"}]}
    return found | {"unread": [*groups, *brokers]}


def _refuse_what_names_no_folder(cluster: str) -> None:
    """Tables lie in folders that are called after clusters; one name that does not fit would cost all others their rows."""
    as_written = len(cluster.encode()) + 2 * sum(not one.isalnum() for one in cluster)  # what is escaped takes three bytes
    if as_written > _LONGEST_FOLDER or cluster == _NO_NAME_OF_SPARK:
        raise InvalidInput(f"the cluster's name ({strict.shown(cluster)}) cannot be that of a folder, which tables need", "cluster")


def _place(path: str) -> tuple[str, str, str]:
    """What the path in the lake says of cluster, day and group."""
    parts = dict(part.split("=", 1) for part in path.split("/") if "=" in part)
    return unquote(parts.get("cluster", "")) or UNNAMED, unquote(parts.get("day", "")), unquote(parts.get("group", ""))


def targets(document: str) -> Row:
    """Where each stateful task of a Snapshot is going (each partition of a plain group's), and whose it is now: `targets`, or the
    `problem` why nobody can say."""
    try:
        snapshot = any_kind.snapshot_from_json(loads(document, A_ROW))
        if isinstance(snapshot, ConsumerSnapshot):
            return {"problem": None, "targets": consumer_rows.targets(snapshot)}
        going = order.target(groups.any_group_of(snapshot))
        owner = dict(ownership.owners(snapshot))
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
    """What happened to the order of process IDs (of members) between two Snapshots of a group, or None if nobody joined or left."""
    try:
        was, now = (any_kind.snapshot_from_json(loads(document, A_ROW)) for document in (before, after))
        if isinstance(was, ConsumerSnapshot) and isinstance(now, ConsumerSnapshot):
            plain = consumer_rows.order_change(was, now)
            return None if plain is None else {"problem": None} | plain
        if isinstance(was, ConsumerSnapshot) or isinstance(now, ConsumerSnapshot):
            raise InvalidInput("one of the two snapshots is of a Kafka Streams group, the other of a consumer group")
        change = order.order_changes(was, now)
    except HoldfastError as refusal:
        return {"problem": str(refusal)}
    if change.before == change.after:
        return None
    return {
        "problem": None,
        "protocol": now.protocol,
        "joined": [str(process_id) for process_id in change.joined],
        "left": [str(process_id) for process_id in change.left],
        "shifted": [str(process_id) for process_id in change.shifted],
        "moved": len(change.moved),
        "moved_between_survivors": len(change.moved_between_survivors),
        "moves": [
            {"task_id": str(move.task), "owner_before": str(move.before), "owner_after": str(move.after)} for move in change.moved
        ],
        "seeds": [{"lost": str(lost), "keeps_the_order": str(seed)} for lost, seed in change.seeds],
        "text_order_misleads": change.text_order_misleads,
    }


def _group(snapshot: Snapshot) -> Row:
    standbys = dict(snapshot.config).get("num.standby.replicas", 0)
    return {
        "protocol": snapshot.protocol,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.kafka_release,
        "task_assignor": snapshot.task_assignor,
        "leader_process_id": None if snapshot.leader_process_id is None else str(snapshot.leader_process_id),
        "clients": len(snapshot.clients),
        "threads": len(snapshot.consumers()),
        "threads_alike": len({len(client.consumers) for client in snapshot.clients}) <= 1,
        "tasks": len(snapshot.tasks),
        "stateful_tasks": sum(task.stateful for task in snapshot.tasks),
        "standbys": standbys if isinstance(standbys, int) else None,
        "unknown": [f"{unknown.what}: {unknown.reason}" for unknown in snapshot.unknown],
        "fingerprint": snapshot_fingerprint(snapshot),
        "members": len(snapshot.consumers()),
    }


def _clients(snapshot: Snapshot) -> list[Row]:
    return [
        {
            "process_id": str(client.process_id),
            "place_in_order": place,
            "host": client.host,
            "rack": client.rack,
            "client_tags": [f"{key}={value}" for key, value in client.client_tags],
            "threads": len(client.consumers),
            **_copies(client),
        }
        for place, client in enumerate(sorted(snapshot.clients, key=lambda one: one.process_id))
    ]


def _copies(client: Client) -> Row:
    totals = [total for consumer in client.consumers for _, total in consumer.task_offset_sums]
    running = sum(total == LATEST_OFFSET for total in totals)
    return {"active_stateful": running, "other_copies": len(totals) - running}


def _members(snapshot: Snapshot) -> list[Row]:
    return [
        {
            "process_id": str(client.process_id),
            "member_id": consumer.member_id,
            "client_id": consumer.client_id,
            "group_instance_id": consumer.group_instance_id,
            "owned_partitions": len(consumer.owned),
            "active_stateful": sum(offset == LATEST_OFFSET for _, offset in consumer.task_offset_sums),
            "other_copies": sum(offset != LATEST_OFFSET for _, offset in consumer.task_offset_sums),
            "host": client.host,
            "rack": client.rack,
        }
        for client in snapshot.clients
        for consumer in client.consumers
    ]


def _tasks(snapshot: Snapshot) -> list[Row]:
    owner = dict(ownership.owners(snapshot))
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


def _state_directory(found: StateDirectory) -> Row:
    return {
        "url": found.url,
        "process_id": None if found.process_id is None else str(found.process_id),
        "tasks": len(found.tasks),
        "files": len(found.files),
        "bytes": sum(file.size for file in found.files),
        "locked": None if found.lock is None else found.lock.held,
    }
