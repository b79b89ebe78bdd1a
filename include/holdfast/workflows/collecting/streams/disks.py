"""The state directories of a Snapshot: the content of each client's disk, and the report that follows from it.

What is inferred is inferred in `holdfast.kafka.streams`; here the evidence is compared (docs/state-directory.md).
"""

from dataclasses import replace

from holdfast.kafka import store_offsets
from holdfast.kafka.release import WITHOUT_PROCESS_METADATA, behaviour
from holdfast.kafka.state_dir import raw_offset_sum
from holdfast.kafka.streams import first_report
from holdfast.kafka.streams.first_report import Disk
from holdfast.kafka.streams.reports import DiskCopy
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN, ProcessId
from holdfast.ports import StateDirectoryReader
from holdfast.rollout.disks.state_directory import StateDirectory, TaskDirectory
from holdfast.workflows.collecting import state_directories
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
    directories = state_directories.read(
        disks,
        urls,
        found,
        [one.client_host for one in found.group.members],
        lambda one: replace(one, first_report=_first_report(one, settings)),
    )
    found.directories = directories
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
            state_directories.note_who_runs(directory, found, is_member=directory.process_id in running)
        if _in_stores(settings) is not False:
            state_directories.note_bare(directory, found)
    return {each.process_id: _copies(each, settings) for each in found.directories if each.process_id}


def _in_stores(settings: GroupSettings) -> bool | None:
    """Whether the release keeps offsets in the stores themselves (4.3); None: the release is unknown."""
    return None if settings.kafka_release is None else behaviour(settings.kafka_release).closed_copy_counts_last_record


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
