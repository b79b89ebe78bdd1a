"""Applications that keep nothing on disk: a client makes up a new process ID at each start, and comes back without any state.

Java: `StateDirectory.initializeProcessId` neither reads nor writes the process metadata without a persistent store, 2.6.2 to 4.3.
"""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.streams.change.change import (
    Change,
    Item,
    ReplaceClient,
    RestartClient,
    RollingRestart,
    SetTopology,
    StopApplication,
)
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores


def stores_of(snapshot: Snapshot) -> Stores | None:
    """What was said; else what state directories show: whose process ID is a member's was read or written by it, and a folder of a
    store is a store. None: not known. (That nothing was found may be another folder: it proves nothing.)"""
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


def _run_by(snapshot: Snapshot, process_id: ProcessId) -> set[int]:
    """The subtopologies of which a client runs a stateful task."""
    client = snapshot.client(process_id)
    owned = {one for each in (client.consumers if client else ()) for one in each.owned}
    return {task.id.subtopology for task in snapshot.tasks if task.stateful and any(one in owned for one in task.partitions)}


def as_stored(snapshot: Snapshot, change: Change) -> Change:
    """The same change; where stores are in memory, whoever restarts comes back under a new random process ID, with nothing."""
    if stores_of(snapshot) is not Stores.IN_MEMORY:
        return change
    return replace(change, events=tuple(map(_as_stored, change.events)))


def _as_stored(item: Item) -> Item:
    match item:
        case RestartClient():
            new = None if item.keeps_process_id else item.new_process_id
            return replace(item, keeps_process_id=False, new_process_id=new, keeps_state=False)
        case RollingRestart():
            return replace(item, keeps_process_id=False, keeps_state=False)
        case ReplaceClient():
            drawn = None if item.by.process_id == item.process_id else item.by.process_id
            return replace(item, by=replace(item.by, process_id=drawn), disk=Disk.EMPTY, copied_from=None)
        case _:
            return item


def started_again(snapshot: Snapshot, change: Change) -> Change:
    """A written-out change in which everybody starts again at once, each under a new process ID. Raise CannotPredict where others
    come and go with it."""
    everybody = [item for item in change.events if isinstance(item, StopApplication | SetTopology)]
    if not everybody or stores_of(snapshot) is not Stores.IN_MEMORY:
        return change
    if len(change.events) > 1:
        raise CannotPredict(
            "All stores are in memory, so that every client draws a new process ID when all are started again. What happens before"
            " or after that in the same change is not modelled: forecast one after the other."
        )
    back = (RestartClient(one.process_id, keeps_process_id=False, keeps_state=False) for one in snapshot.clients)
    return replace(change, events=(*change.events, *back))
