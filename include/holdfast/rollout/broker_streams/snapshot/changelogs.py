"""What the changelogs of each stateful task hold, as the Snapshot says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from holdfast.kafka.coordinator.streams.group import Subtopology, Task
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_streams.snapshot.snapshot import GroupTopology, PartitionLog, Topic
from holdfast.rollout.disks.logs import TaskLogs


@dataclass(frozen=True, slots=True)
class TaskChangelogs:
    """`logs`: each partition with the offsets where it begins and ends. `sizes` None: bytes are unknown."""

    logs: tuple[tuple[TopicPartition, int, int], ...]
    sizes: TaskLogs | None

    def lacking(self, checkpoint: Mapping[TopicPartition, int]) -> int:
        """How many records, by offset, a store is short of that has these as the last ones; at most. A partition without an offset,
        or with an unknown one (-4), is read whole: so does `StoreChangelogReader`."""
        return sum(
            max(0, end - max(begin, offset + 1 if (offset := checkpoint.get(partition, -1)) >= 0 else begin))
            for partition, begin, end in self.logs
        )

    def lacking_of(self, reported: int) -> int:
        """The same of a store that reports this as the sum of the offsets after its last records; at most."""
        ends = sum(end for _, _, end in self.logs)
        return max(0, min(ends - reported, sum(end - begin for _, begin, end in self.logs)))


@lru_cache(maxsize=2)  # the forecasts of one group come one after the other
def of_tasks(
    topology: GroupTopology, subtopologies: tuple[Subtopology, ...], topics: tuple[Topic, ...]
) -> Mapping[Task, TaskChangelogs]:
    """By stateful task; those of which the end of a changelog is unknown are left out. Where one begins that is unknown: at 0."""
    logs = {topic.name: {one.id: one for one in topic.logs} for topic in topics}
    of_topology = {one.subtopology: one.changelog_topics for one in topology.subtopologies}
    found: dict[Task, TaskChangelogs] = {}
    for subtopology in subtopologies:
        names = of_topology.get(subtopology.id, ())
        for partition in range(subtopology.tasks if subtopology.stateful else 0):
            every = [(TopicPartition(name, partition), logs.get(name, {}).get(partition)) for name in names]
            known = [(one, log, log.end_offset) for one, log in every if log is not None and log.end_offset is not None]
            if len(known) == len(every):
                ends = tuple((one, min(log.begin_offset or 0, end), end) for one, log, end in known)
                found[Task(subtopology.id, partition)] = TaskChangelogs(ends, _sizes([log for _, log, _ in known]))
    return MappingProxyType(found)


def _sizes(logs: list[PartitionLog]) -> TaskLogs | None:
    size = offsets = 0
    for log in logs:
        if log.begin_offset is None or log.end_offset is None or log.log_bytes is None:
            return None
        if log.end_offset > log.begin_offset:
            size += log.log_bytes
            offsets += log.end_offset - log.begin_offset
    return TaskLogs(size, offsets)
