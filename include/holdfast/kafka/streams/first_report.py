"""What a client reports when it is started on a disk: its first JoinGroup, before it runs any task.

Until 4.2 each task directory that holds something is reported with the raw sum of its checkpoint file; without a file that can be
read it is not reported (Java: `TaskManager.getTaskOffsetSums`, 2.6 to 4.2). From 4.3 on every such directory is opened first: a
checkpoint file of an older release is taken over into the stores, and each changelog counts with the offset after its last record.
A task whose stores do not say how far they are (-4, or nothing) counts 0; with exactly-once they are thrown away, and it is not
reported.
Java: `StateDirectory.initializeStartupStores`, `ProcessorStateManager`, 4.3. What real clients reported: docs/state-directory.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.kafka.streams.reports import DiskCopy
from holdfast.kafka.vocabulary import TaskId


@dataclass(frozen=True, slots=True)
class FirstReport:
    """The sums, by task, and whatever keeps them from being certain."""

    task_offset_sums: tuple[tuple[TaskId, int], ...]
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Disk:
    """`copies`: the task directories that hold something. `held`: whether a client runs on the disk; None: it is unknown.

    `in_stores`: the release keeps offsets in the stores (4.3 and later); None: the release is unknown.
    `transactional`: the application runs with exactly-once.
    """

    copies: tuple[DiskCopy, ...]
    held: bool | None
    in_stores: bool | None
    transactional: bool


def of(disk: Disk) -> FirstReport:
    """What the first thread's member reports; with several threads the tasks are spread over them, by the thread that locks
    first."""
    sums: dict[TaskId, int] = {}
    for copy in disk.copies:
        found = _reported(copy, disk)
        if found is not None:
            sums[copy.task] = found
    return FirstReport(tuple(sorted(sums.items())), tuple(_doubts(disk)))


def _reported(copy: DiskCopy, disk: Disk) -> int | None:
    if not copy.readable or not disk.in_stores:
        return copy.raw_sum
    if disk.transactional and (copy.raw_sum is None or copy.open or copy.unknown_offset):
        return None
    return copy.raw_sum or 0


def _doubts(disk: Disk) -> Iterable[str]:
    if disk.held:
        yield "a client runs on this disk: its files are older than after a clean stop"
    elif disk.held is None:
        yield "it is unknown whether a client runs on this disk: its files may be older than after a clean stop"
    unreadable = _named(copy for copy in disk.copies if not copy.readable)
    if unreadable:
        yield f"{unreadable}: what is there could not be read, and is taken not to be reported"
    if disk.in_stores is None and any(copy.counts_last_record for copy in disk.copies):
        yield "the release is unknown: offsets were found in the stores, so 4.3 or later is assumed"
    elif disk.in_stores is None:
        yield "the release is unknown: from 4.3 on each changelog with a record in it counts one more"
    silent = _named(copy for copy in disk.copies if copy.silent)
    if silent and disk.transactional:
        yield f"{silent}: not every store says how far it is; one that has a changelog is thrown away, and its task not reported"
    still_open = _named(copy for copy in disk.copies if copy.open)
    if still_open and not disk.transactional:
        yield f"{still_open}: the stores were not closed cleanly; they say how far they were when they were last flushed"


def _named(copies: Iterable[DiskCopy]) -> str:
    return ", ".join(str(copy.task) for copy in copies)
