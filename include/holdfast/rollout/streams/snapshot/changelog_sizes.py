"""The sizes of the changelogs of a Snapshot, task by task (`disks.logs`). A source topic that is its own changelog also counts what
the group has not committed yet."""

from collections.abc import Iterable, Mapping

from holdfast.kafka.streams.group import Task
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.logs import TaskLogs
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, TopicPartitionInfo

NOT_IN_THE_SNAPSHOT = "the snapshot does not state the size of this changelog"


def task_logs(snapshot: Snapshot) -> Mapping[TaskId, TaskLogs]:
    """By stateful task; those of which a changelog was not measured are left out."""
    measured = _measured(snapshot)
    logs = ((task.id, _together(task, measured)) for task in snapshot.tasks if task.stateful)
    return {task: found for task, found in logs if found is not None}


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
