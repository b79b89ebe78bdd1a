"""The state directories of a Snapshot: the content of each client's disk, and the report that follows from it.

What is inferred is inferred in `holdfast.kafka.streams`; here the evidence is compared (docs/state-directory.md).
"""

from dataclasses import replace

from holdfast.errors import HoldfastError
from holdfast.kafka import store_offsets
from holdfast.kafka.release import WITHOUT_PROCESS_METADATA, behaviour
from holdfast.kafka.state_dir import raw_offset_sum
from holdfast.kafka.streams import first_report
from holdfast.kafka.streams.first_report import Disk
from holdfast.kafka.streams.reports import DiskCopy
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN, ProcessId
from holdfast.ports import StateDirectoryReader
from holdfast.rollout.streams.snapshot.snapshot import StateDirectory, TaskDirectory
from holdfast.workflows.collecting.streams.settings import GroupSettings
from holdfast.workflows.collecting.streams.topology import Gathered

_NO_STORES = (
    "none of them holds a store. If the application keeps nothing on disk (it is stateless, or all stores are in memory), Kafka "
    "Streams generates a new process ID at each start: it neither reads nor writes the process metadata, and a copy of it has no"
    " effect. Give --stores in-memory then, or --stores persistent"
)
"""Java: `StateDirectory.initializeProcessId`, 2.6.2 to 4.3."""


def read(disks: StateDirectoryReader, urls: tuple[str, ...], settings: GroupSettings, found: Gathered) -> None:
    """All that can be read, each with what a client started on it would report."""
    directories: list[StateDirectory] = []
    for url in urls:
        try:
            directory, unknown = disks.read(url)
        except HoldfastError as trouble:
            found.note("state_directories", str(trouble))
            continue
        found.unknown.extend(unknown)
        twin = next((each for each in directories if directory.process_id and each.process_id == directory.process_id), None)
        if twin:
            found.note(
                "state_directories",
                f"{twin.url} and {directory.url} have one process ID, {directory.process_id}: Kafka would treat them as one client",
            )
        directories.append(replace(directory, first_report=_first_report(directory, settings)))
    found.directories = tuple(directories)
    if directories and settings.kafka_release in WITHOUT_PROCESS_METADATA:
        found.note(
            "state_directories",
            f"{settings.kafka_release} has no process metadata: each start generates a new process ID, whatever the file contains",
        )
    if directories and not any(task.stores for directory in directories for task in directory.tasks):
        found.note("state_directories", _NO_STORES)


def disk_copies(settings: GroupSettings, found: Gathered) -> dict[ProcessId, tuple[DiskCopy, ...]]:
    """The copies on the disk of each member's client; whatever contradicts that it runs there, or hides its offsets, is named."""
    running = {member.process_id: None for member in found.members}
    settled = found.group.state not in ("PreparingRebalance", "CompletingRebalance")  # else no process ID is shown
    for directory in found.directories:
        if settled:
            _note_who_runs(directory, directory.process_id in running, found)
        if _in_stores(settings) is not False:
            _note_bare(directory, found)
    return {each.process_id: _copies(each, settings) for each in found.directories if each.process_id}


def _in_stores(settings: GroupSettings) -> bool | None:
    """Whether the release keeps offsets in the stores themselves (4.3); None: the release is unknown."""
    return None if settings.kafka_release is None else behaviour(settings.kafka_release).closed_copy_counts_last_record


def _note_who_runs(directory: StateDirectory, is_member: bool, found: Gathered) -> None:
    """A lock and a group that contradict each other: one of them is about to change, or the disk is not the member's own."""
    held = directory.lock.held if directory.lock else None
    if is_member and held is False:
        found.note(
            f"state_directories.{directory.url}",
            f"no process holds its .lock, but process {directory.process_id} is a member of the group: the client has stopped and"
            " its session has not timed out yet, or it runs on another disk with the same process ID",
        )
    elif held and not is_member:
        found.note(
            f"state_directories.{directory.url}",
            "a client holds its .lock, but its process ID is no member's: the client is starting, or has just been fenced out, or"
            " its process metadata was written over while it ran",
        )


def _note_bare(directory: StateDirectory, found: Gathered) -> None:
    bare = [str(task.task_id) for task in directory.tasks if task.non_empty and not task.checkpoint]
    if bare:
        found.note(
            f"state_directories.{directory.url}",
            f"{', '.join(bare)}: no checkpoint file, and no offsets in the stores themselves, where 4.3 keeps them (RocksDB is"
            " read on local disks only; what an open store knows is written when it is flushed)",
        )


def _first_report(directory: StateDirectory, settings: GroupSettings) -> first_report.FirstReport:
    held = directory.lock.held if directory.lock else None
    return first_report.of(Disk(_copies(directory, settings), held, _in_stores(settings), settings.transactional))


def _copies(directory: StateDirectory, settings: GroupSettings) -> tuple[DiskCopy, ...]:
    return tuple(_copy(task, _in_stores(settings)) for task in directory.tasks if task.non_empty)


def _copy(task: TaskDirectory, in_stores: bool | None) -> DiskCopy:
    """4.3 takes an older release's checkpoint file over into the stores, and counts from there as from its own."""
    counts = task.offsets_in_stores or in_stores is True
    total = store_offsets.offset_sum if counts else raw_offset_sum
    return DiskCopy(
        task.task_id,
        total(task.checkpoint) if task.checkpoint else None,
        in_stores=in_stores is not False,
        counts_last_record=counts,
        open=bool(task.open_stores),
        readable=not task.unreadable,
        unknown_offset=any(offset == OFFSET_UNKNOWN for _, offset in task.checkpoint or ()),
        silent=task.offsets_in_stores and 0 < len(task.checkpoint or ()) < len(task.stores),
    )
