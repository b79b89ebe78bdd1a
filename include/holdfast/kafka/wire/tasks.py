"""Task IDs as they are in the user data of Streams, where a task may belong to a named topology (metadata version 10 and later)."""

from dataclasses import dataclass

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import TaskId
from holdfast.kafka.wire.buffer import Reader

LATEST_VERSION = 11
"""Of that user data, in both directions: `StreamsAssignmentProtocolVersions.LATEST_SUPPORTED_VERSION`."""


@dataclass(frozen=True, slots=True)
class WireTask:
    """A task, and its named topology if it has one (3.1 to 3.9, never public). Java: `TaskId`, `ConsumerProtocolUtils`."""

    task_id: TaskId
    topology: str | None = None


def plain(task: WireTask) -> TaskId:
    """Raise Unsupported for a task of a named topology."""
    if task.topology is not None:
        raise Unsupported(f"task {task.task_id} belongs to the named topology {task.topology!r}: named topologies are not covered")
    return task.task_id


def task_id(reader: Reader, subtopology: int, partition: int) -> TaskId:
    if subtopology < 0 or partition < 0:
        raise reader.malformed(f"a task cannot be {subtopology}_{partition}")
    return TaskId(subtopology, partition)
