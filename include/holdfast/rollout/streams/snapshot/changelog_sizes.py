"""The bytes that restoring a task reads from the brokers: its changelogs' sizes there, in proportion to offsets.

An estimate. A log that is read whole has its full size; where only the end of it is lacking, its records are assumed to be
as large as the others. Compaction leaves fewer records than offsets, so that it is the records that are an upper bound. A source
topic that is its own changelog also counts what the group has not committed yet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdfast.kafka.streams.group import Task
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.contract.unknown import Unknown
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, TopicPartitionInfo

NOT_IN_THE_SNAPSHOT = "the snapshot does not state the size of this changelog"


@dataclass(frozen=True, slots=True)
class TaskLogs:
    """All changelogs of one task together: bytes, and the offsets between where they begin and where they end."""

    size: int
    offsets: int

    def to_restore(self, records: int) -> int:
        """The bytes of the given number of records at the end of the logs, rounded up; no more than the logs have."""
        return self.size if records >= self.offsets else -(-self.size * records // self.offsets)


def task_logs(snapshot: Snapshot) -> Mapping[TaskId, TaskLogs]:
    """By stateful task; those of which a changelog was not measured are left out."""
    measured = _measured(snapshot)
    logs = ((task.id, _together(task, measured)) for task in snapshot.tasks if task.stateful)
    return {task: found for task, found in logs if found is not None}


def to_restore(logs: Mapping[TaskId, TaskLogs], records: Mapping[TaskId, int]) -> int | None:
    """The bytes of these records of these tasks; None where one of them was not measured."""
    lacking = [(task, number) for task, number in records.items() if number]
    return sum(logs[task].to_restore(number) for task, number in lacking) if all(task in logs for task, _ in lacking) else None


def total_or_none(sizes: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is unknown."""
    found = list(sizes)
    known = [size for size in found if size is not None]
    return sum(known) if len(known) == len(found) else None


def not_measured(snapshot: Snapshot, tasks: Iterable[TaskId]) -> tuple[Unknown, ...]:
    """Which changelogs of `tasks` were not measured, and why."""
    measured = _measured(snapshot)
    changelogs = {task.id: task.changelogs or () for task in snapshot.tasks}
    partitions = (TopicPartition(one.topic, one.partition) for task in tasks for one in changelogs.get(task, ()))
    topics = dict.fromkeys(partition.topic for partition in partitions if partition not in measured)
    unknown = [one for one in snapshot.unknown if one.about_log_sizes]
    found: dict[Unknown, None] = {}
    for topic in sorted(topics):
        reasons = [one for one in unknown if _is_about(one, topic, snapshot.group_id)]
        found.update(dict.fromkeys(reasons or [Unknown(f"log_bytes.{topic}", NOT_IN_THE_SNAPSHOT)]))
    return tuple(found)


def _is_about(one: Unknown, topic: str, group_id: str) -> bool:
    """Collecting names a topic, a partition, or the group where nothing was measured at all."""
    name = one.what.partition(".")[2]
    return name in (topic, group_id) or name.startswith(f"{topic}-")


def _measured(snapshot: Snapshot) -> Mapping[TopicPartition, TopicPartitionInfo]:
    return {
        TopicPartition(topic.name, one.id): one
        for topic in snapshot.topics
        for one in topic.partitions
        if one.begin_offset is not None and one.log_bytes is not None
    }


def _together(task: Task, measured: Mapping[TopicPartition, TopicPartitionInfo]) -> TaskLogs | None:
    size = offsets = 0
    for changelog in task.changelogs or ():
        info = measured.get(TopicPartition(changelog.topic, changelog.partition))
        if info is None or info.begin_offset is None or info.log_bytes is None or changelog.end_offset is None:
            return None
        if changelog.end_offset > info.begin_offset:
            size += info.log_bytes
            offsets += changelog.end_offset - info.begin_offset
    return TaskLogs(size, offsets)
