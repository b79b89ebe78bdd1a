"""Tasks and endpoints of streams groups on the wire and in records: the same structures in every message of KIP-1071."""

from dataclasses import dataclass

from holdfast.kafka.coordinator.streams.group import Task, Tasks
from holdfast.kafka.wire.compact import CompactReader

_SMALLEST_TASK_IDS = 1 + 1 + 1
_SMALLEST_PAIR = 1 + 1 + 1
_SMALLEST_OFFSET = 1 + 4 + 8 + 1


@dataclass(frozen=True, slots=True)
class OwnedTasks:
    """The tasks of one member, by subtopology, in the order in which the broker wrote them."""

    active: Tasks
    standby: Tasks
    warmup: Tasks


def owned_tasks(reader: CompactReader) -> OwnedTasks:
    """Active, standby and warm-up tasks, one array after the other."""
    return OwnedTasks(tasks(reader, "active tasks"), tasks(reader, "standby tasks"), tasks(reader, "warm-up tasks"))


def tasks(reader: CompactReader, what: str) -> Tasks:
    return reader.array(_SMALLEST_TASK_IDS, what, lambda one: _task_ids(one, what))


def _task_ids(reader: CompactReader, what: str) -> tuple[str, tuple[int, ...]]:
    """`TaskIds`. Epochs of active tasks are tagged (4.2), and not needed."""
    subtopology = reader.compact_string(f"a subtopology of the {what}")
    partitions = reader.numbers(f"partitions of the {what}")
    if partitions and min(partitions) < 0:
        raise reader.malformed(f"subtopology {subtopology!r} has the negative partition {min(partitions)}")
    reader.end_of_structure()
    return subtopology, partitions


def task_offsets(reader: CompactReader, what: str) -> tuple[tuple[Task, int], ...]:
    return reader.array(_SMALLEST_OFFSET, what, _task_offset)


def _task_offset(reader: CompactReader) -> tuple[Task, int]:
    task = Task(reader.compact_string("the subtopology of an offset"), reader.int32("the partition of an offset"))
    if task.partition < 0:
        raise reader.malformed(f"subtopology {task.subtopology!r} has the negative partition {task.partition}")
    offset = reader.int64("an offset")
    reader.end_of_structure()
    return task, offset


def pairs(reader: CompactReader, what: str) -> tuple[tuple[str, str], ...]:
    """An array of (key, value)."""
    return reader.array(_SMALLEST_PAIR, what, lambda one: _pair(one, what))


def _pair(reader: CompactReader, what: str) -> tuple[str, str]:
    pair = reader.compact_string(f"a key of the {what}"), reader.compact_string(f"a value of the {what}")
    reader.end_of_structure()
    return pair


def endpoint(reader: CompactReader) -> str | None:
    """`host:port`, or None."""
    if not reader.present("an endpoint"):
        return None
    host, port = reader.compact_string("an endpoint's host"), reader.int16("an endpoint's port") & 0xFFFF
    reader.end_of_structure()
    return f"{host}:{port}"


@dataclass(frozen=True, slots=True)
class InternalTopic:
    """A changelog or repartition topic. `partitions` 0: the coordinator decides how many."""

    name: str
    partitions: int
    replication_factor: int
    configs: tuple[tuple[str, str], ...]


def internal_topics(reader: CompactReader, what: str) -> tuple[InternalTopic, ...]:
    return reader.array(1 + 4 + 2 + 1 + 1, what, _internal_topic)


def _internal_topic(reader: CompactReader) -> InternalTopic:
    topic = InternalTopic(
        reader.compact_string("an internal topic"),
        reader.int32("the partitions of an internal topic"),
        reader.int16("a replication factor"),
        pairs(reader, "configs of an internal topic"),
    )
    if topic.partitions < 0:
        raise reader.malformed(f"the internal topic {topic.name!r} has {topic.partitions} partitions")
    reader.end_of_structure()
    return topic
