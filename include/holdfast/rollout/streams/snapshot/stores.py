"""Where a group keeps its stores, and so whether its clients keep their process IDs.

An application that keeps nothing on disk generates a new process ID at each start. Java:
`StateDirectory.initializeProcessId` neither reads nor writes the process metadata without a persistent store, 2.6.2 to 4.3.
"""

from holdfast.kafka.release import WITHOUT_PROCESS_METADATA
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores


def stores_of(snapshot: Snapshot) -> Stores | None:
    """The given value; else what state directories show: whose process ID is a member's was read or written by it, and a folder of
    a store is a store. None: unknown. (That nothing was found may be another folder: it proves nothing.)"""
    if snapshot.stores is not None:
        return snapshot.stores
    members = {client.process_id for client in snapshot.clients}
    stores = {task.task_id.subtopology for each in snapshot.state_directories for task in each.tasks if task.stores}
    kept = any(each.process_id in members for each in snapshot.state_directories)
    if not stores and not kept:
        return None
    seen = members & {each.process_id for each in snapshot.state_directories if each.process_id is not None}
    looked = {task for process_id in seen for task in _run_by(snapshot, process_id)}
    return Stores.MIXED if looked - stores and stores else Stores.PERSISTENT


def in_memory(snapshot: Snapshot) -> frozenset[str]:
    """The changelogs of stores that are in memory, where others of the group are on disk: a client whose disk was read runs such a
    task, and has neither a folder nor a checkpoint of the store.

    Of them a client reports nothing once it has closed them, or starts again (`docs/state-directory.md`).
    """
    members = {client.process_id for client in snapshot.clients}
    read = [one for one in snapshot.state_directories if one.process_id in members]
    if snapshot.stores is not None or not any(task.stores for each in read for task in each.tasks):
        return frozenset()
    kept = {(task.task_id.subtopology, store) for each in read for task in each.tasks for store in task.stores}
    kept_topics = {entry.topic for each in read for task in each.tasks for entry, _ in task.checkpoint or ()}
    open_ones = {task.task_id.subtopology for each in read for task in each.tasks if task.unreadable}
    looked = {task for each in read if each.process_id is not None for task in _run_by(snapshot, each.process_id)} - open_ones
    return frozenset(
        log.topic
        for task in snapshot.tasks
        if task.id.subtopology in looked
        for log in task.changelogs or ()
        if log.topic not in kept_topics
        and (store := _store_of(log.topic, snapshot.group_id)) is not None
        and (task.id.subtopology, store) not in kept
    )


def _store_of(changelog: str, group_id: str) -> str | None:
    """None: it is a source topic, whose store may be called anything."""
    before, after = f"{group_id}-", "-changelog"
    named = changelog.startswith(before) and changelog.endswith(after)
    return changelog[len(before) : -len(after)] if named else None


def _run_by(snapshot: Snapshot, process_id: ProcessId) -> set[int]:
    """The subtopologies of which a client runs a stateful task."""
    client = snapshot.client(process_id)
    owned = {one for each in (client.consumers if client else ()) for one in each.owned}
    return {task.id.subtopology for task in snapshot.tasks if task.stateful and any(one in owned for one in task.partitions)}


def keeps_ids(snapshot: Snapshot) -> bool:
    """Whether clients keep their process ID in a file: from 2.6.2, 2.7.1 and 2.8.0 on, and only with a store on disk."""
    on_disk = stores_of(snapshot) is not Stores.IN_MEMORY and any(task.stateful for task in snapshot.tasks)
    return on_disk and snapshot.kafka_release not in WITHOUT_PROCESS_METADATA
