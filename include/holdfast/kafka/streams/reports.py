"""What each member would report if its group rebalanced now, inferred from what can be seen from outside.

The broker keeps the members' last JoinGroup, which is old: since then they were handed tasks, started them, and closed
others. The rules (Java: `TaskManager.getTaskOffsetSums`, 2.6 to 4.3; the design's "Snapshot" says how far they reach):

1. A member owns the partitions that it was handed. A stateful active task runs: -2.
2. A standby (a warm-up is one) has caught up to the end offsets, unless its checkpoint file shows that it is far behind. With
   exactly-once the end offset of a changelog counts the marker of its last transaction, which no copy ever counts.
3. A copy that no thread of the client runs is closed on the disk. It is reported with the raw sum of its checkpoint file, by the
   member that reported it last. Without a look at the disk: with what was reported when it was last seen; a task that was running
   then (-2, or a standby of the assignment before) was closed cleanly since, which up to 4.2 costs one offset a changelog.

Whatever is not observed is an `AssumedOffsets`, so that a reader knows what the inference depends on.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.kafka.streams.group import Task
from holdfast.kafka.streams.membership import Member
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId, TopicPartition
from holdfast.kafka.wire.assignment_info import NO_REBALANCE

CHECKPOINT_EVERY = 10_000
"""Records that a running task may be ahead of its checkpoint file. Java: `StateManagerUtil.checkpointNeeded`, 2.7 to 4.2."""


@dataclass(frozen=True, slots=True)
class DiskCopy:
    """A task directory that holds something. `raw_sum`: the sum of its offsets; None: there were none that could be read.

    `in_stores`: the release keeps offsets in the stores themselves (4.3).
    """

    task: TaskId
    raw_sum: int | None
    in_stores: bool = False
    counts_last_record: bool = False
    """`raw_sum` counts the last record of each changelog, as a running copy does and 4.3 always; until 4.2 a file's does not."""
    open: bool = False
    """A store of it says that it was not closed."""
    readable: bool = True
    """Whether all of it could be read. Where it could, `raw_sum` None means that the disk says nothing."""
    unknown_offset: bool = False
    """One of its offsets is -4: the store was open, and how far it was is unknown."""
    silent: bool = False
    """Some of its stores have no offset, though others have."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one member would send."""

    member_id: str
    owned: tuple[TopicPartition, ...]
    task_offset_sums: tuple[tuple[TaskId, int], ...]


@dataclass(frozen=True, slots=True)
class AssumedOffsets:
    """Something the inference assumes, of the tasks of one client."""

    process_id: ProcessId
    tasks: tuple[TaskId, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class KnownState:
    """All that is known. `disks`: what each client's state directory holds, for the clients whose directory was read.

    `standby_before`: the standby tasks of each member in the generation before the present one, where that is known.
    `transactional`: the application runs with exactly-once.
    `closed_copies_deleted`: so long ago was the last rebalance that Kafka's cleaner has deleted closed copies since.
    `closed_copy_counts_last_record`: 4.3 and later (`release.Behaviour`). `idle_close_keeps_progress`: 2.8 and later, likewise.
    """

    members: tuple[Member, ...]
    tasks: tuple[Task, ...]
    disks: Mapping[ProcessId, tuple[DiskCopy, ...]]
    standby_before: Mapping[str, tuple[TaskId, ...]]
    closed_copy_counts_last_record: bool
    closed_copies_deleted: bool = False
    transactional: bool = False
    idle_close_keeps_progress: bool = True


def infer(seen: KnownState) -> tuple[tuple[Report, ...], tuple[AssumedOffsets, ...]]:
    """A report for each member, in their order, and what was assumed."""
    clients: dict[ProcessId, list[Member]] = {}
    for member in seen.members:
        clients.setdefault(member.process_id, []).append(member)
    sums: dict[str, dict[TaskId, int]] = {member.member_id: {} for member in seen.members}
    assumed: list[AssumedOffsets] = []
    for process_id, members in clients.items():
        client = _Client(process_id, tuple(members), seen)
        client.active(sums)
        client.standby(sums)
        client.closed(sums)
        assumed.extend(AssumedOffsets(process_id, tuple(sorted(tasks)), reason) for reason, tasks in client.assumed.items())
    reports = tuple(
        Report(member.member_id, member.partitions, tuple(sorted(sums[member.member_id].items()))) for member in seen.members
    )
    return reports, tuple(assumed)


def settled(members: tuple[Member, ...]) -> bool:
    """Whether no member was asked to rejoin."""
    return all(member.next_rebalance_ms == NO_REBALANCE for member in members)


class _Client:
    """One client's part of the inference."""

    def __init__(self, process_id: ProcessId, members: tuple[Member, ...], seen: KnownState) -> None:
        self.assumed: dict[str, list[TaskId]] = {}
        self._members = members
        self._seen = seen
        self._tasks = {task.id: task for task in seen.tasks}
        self._running = {task: None for member in members for task in member.running}
        self._joined = {task: offset_sum for member in members for task, offset_sum in member.joined_sums}
        disk = seen.disks.get(process_id)
        self._disk = None if disk is None else {copy.task: copy for copy in disk}

    def active(self, sums: dict[str, dict[TaskId, int]]) -> None:
        for member in self._members:
            for task_id, _ in member.active:
                if not self._stateful(task_id):
                    continue
                sums[member.member_id][task_id] = LATEST_OFFSET
                if not self._was_ready(task_id):
                    self._assume(
                        "active tasks that were not running when they were handed out are taken to have restored since", task_id
                    )

    def standby(self, sums: dict[str, dict[TaskId, int]]) -> None:
        for member in self._members:
            for task_id, _ in member.standby:
                sums[member.member_id][task_id] = self._progress(task_id)

    def closed(self, sums: dict[str, dict[TaskId, int]]) -> None:
        """Copies on the disk that no thread runs."""
        reporters = {task: member.member_id for member in self._members for task, _ in member.joined_sums}
        first = min(member.member_id for member in self._members)
        for task_id in sorted({**self._joined, **(self._disk or {})}):
            if task_id in self._running:
                continue
            offset_sum = self._closed_sum(task_id)
            if offset_sum is not None:
                sums[reporters.get(task_id, first)][task_id] = offset_sum

    def _was_ready(self, task_id: TaskId) -> bool:
        """Whether the client ran the task when it last joined, or had a copy that had caught up."""
        joined = self._joined.get(task_id, 0)
        end = self._reachable(task_id)
        return joined == LATEST_OFFSET or (end is not None and joined >= end - self._changelogs(task_id))

    def _stateful(self, task_id: TaskId) -> bool:
        task = self._tasks.get(task_id)
        if task is None or task.changelogs is None:
            return task_id in self._joined  # a task that was ever reported is stateful
        return task.stateful

    def _progress(self, task_id: TaskId) -> int:
        end = self._reachable(task_id)
        joined = max(0, self._joined.get(task_id, 0))
        copy = (self._disk or {}).get(task_id)
        written = 0 if copy is None or copy.raw_sum is None else copy.raw_sum
        if copy is not None and copy.raw_sum is not None and not copy.counts_last_record:
            written += self._changelogs(task_id)
        if end is None:
            self._assume("standby copies whose end offsets are unknown are assumed to be where they were last seen", task_id)
            return max(joined, written)
        if copy is not None and copy.raw_sum and end - max(written, joined) > CHECKPOINT_EVERY:
            self._assume(
                "standby copies are assumed to be at their checkpointed offsets, which are up to 10,000 records behind", task_id
            )
            return max(joined, written)
        self._assume(
            "standby copies (and warm-ups) are assumed to be caught up: their progress is not visible from outside", task_id
        )
        return end

    def _closed_sum(self, task_id: TaskId) -> int | None:
        if self._disk is not None:
            copy = self._disk.get(task_id)
            if copy is None or (copy.raw_sum is None and not copy.in_stores):
                return None
            if copy.raw_sum is not None:
                return copy.raw_sum
            self._assume(
                "closed copies whose offsets are in their stores (4.3) are assumed to be where they were last reported", task_id
            )
        elif self._seen.closed_copies_deleted:
            self._assume(
                "closed copies are assumed to be deleted: the last rebalance is more than twice state.cleanup.delay.ms ago, and no "
                "state directory was read",
                task_id,
            )
            return None
        else:
            self._assume(
                "closed copies are taken from what was last reported, and to be there still: no state directory was read, and "
                "Kafka deletes a closed copy after state.cleanup.delay.ms",
                task_id,
            )
        return self._closed_since(task_id)

    def _closed_since(self, task_id: TaskId) -> int | None:
        joined = self._joined.get(task_id)
        if joined is None or joined < LATEST_OFFSET:
            return None
        lost = 0 if self._seen.closed_copy_counts_last_record else self._changelogs(task_id)
        end = self._reachable(task_id)
        if joined == LATEST_OFFSET:
            if end is None:
                return None
            self._assume(
                "tasks that were running at the last join and were closed since are assumed to be at today's end offsets", task_id
            )
            if self._seen.transactional and not self._seen.idle_close_keeps_progress:
                self._assume(
                    "up to 2.7 a copy closed under exactly-once with nothing to commit says only how far it was when it was"
                    " started: it may report much less, and only its state directory shows it",
                    task_id,
                )
            return max(0, end - lost)
        was_standby = any(task_id in self._seen.standby_before.get(member.member_id, ()) for member in self._members)
        # A standby that was handed out a moment before the join was not running yet, and reported the offset in its file.
        counted_last_record = was_standby and (end is None or joined > end - lost)
        return max(0, joined - lost) if counted_last_record else joined

    def _reachable(self, task_id: TaskId) -> int | None:
        """What a running copy reports that has applied every record; None where the end offsets are unknown."""
        task = self._tasks.get(task_id)
        if task is None or task.changelogs is None or task.end_offset_sum is None:
            return None
        own = {partition.topic: None for partition in task.partitions}
        markers = sum(1 for each in task.changelogs if each.end_offset and each.topic not in own)
        return task.end_offset_sum - (markers if self._seen.transactional else 0)

    def _changelogs(self, task_id: TaskId) -> int:
        task = self._tasks.get(task_id)
        return len(task.changelogs or ()) if task else 0

    def _assume(self, reason: str, task_id: TaskId) -> None:
        self.assumed.setdefault(reason, []).append(task_id)
