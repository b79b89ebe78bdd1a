"""A streams group as its coordinator sees it when it computes a target, and the target.

Tasks are named by subtopology, as the protocol and the records do: `(("0", (0, 1)), ("1", (0,)))` is 0_0, 0_1 and 1_0. Subtopology
IDs are any text (the client chooses them; Kafka Streams numbers them), and are ordered as Java orders strings: "10" before "2".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

from holdfast.errors import InvalidInput
from holdfast.kafka import java

Tasks = tuple[tuple[str, tuple[int, ...]], ...]
"""Tasks by subtopology: (subtopology ID, partitions)."""


class Task(NamedTuple):
    """`org.apache.kafka.coordinator.group.streams.assignor.TaskId`: a subtopology ID, which is any text, and a partition."""

    subtopology: str
    partition: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raise InvalidInput unless `text` is like `1_0`: the partition follows the last `_`, a Java int."""
        subtopology, between, number = text.rpartition("_")
        plain = number.isascii() and number.isdigit() and (number == "0" or not number.startswith("0"))
        if not between or not plain or len(number) > len(str(java.INT_MAX)) or int(number) > java.INT_MAX:
            raise InvalidInput(f"{text!r} is not a task ID; the format is '1_0' (subtopology, partition)")
        return cls(subtopology, int(number))

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"

    @property
    def rank(self) -> tuple[bytes, int]:
        """Orders as `TaskId.compareTo` does: by subtopology as a string, then by partition."""
        return java.string_order(self.subtopology), self.partition


def tasks_of(tasks: Iterable[Task]) -> Tasks:
    """These tasks by subtopology, in Java's order, each once."""
    by_subtopology: dict[str, set[int]] = {}
    for subtopology, partition in tasks:
        by_subtopology.setdefault(subtopology, set()).add(partition)
    return tuple((each, tuple(sorted(by_subtopology[each]))) for each in sorted(by_subtopology, key=java.string_order))


def each_task(tasks: Tasks) -> Iterator[Task]:
    """The tasks one by one, in their order."""
    if sum(len(partitions) for _, partitions in tasks) <= _FEW:
        return iter(_few(tasks))
    return (Task(subtopology, partition) for subtopology, partitions in tasks for partition in partitions)


_FEW = 256


@lru_cache(maxsize=4096)
def _few(tasks: Tasks) -> tuple[Task, ...]:
    """Kept: in a large group most members have the same from target to target, and from forecast to forecast."""
    return tuple(Task(subtopology, partition) for subtopology, partitions in tasks for partition in partitions)


@dataclass(frozen=True, slots=True)
class Subtopology:
    """A subtopology of a topology that is ready. `tasks`: how many, the most partitions of any of its source topics."""

    id: str
    tasks: int
    stateful: bool
    """Whether it has changelog topics."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member (one stream thread). `active` and `standby`: what the assignor sticks to. Up to 4.3 that is the member's previous
    target, from 4.4 its current assignment. `task_offsets`: what it reported of its disk (from 4.4), each task at most once."""

    member_id: str
    process_id: str
    active: Tasks = ()
    standby: Tasks = ()
    task_offsets: tuple[tuple[Task, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """All that a target depends on. The members are in the order in which the coordinator puts them into the assignor's map: that
    in which StreamsGroupDescribe lists them, then those whose heartbeat computes the target and who are new. It decides ties."""

    release: str
    """The coordinator's."""
    members: tuple[Member, ...]
    subtopologies: tuple[Subtopology, ...]
    num_standby_replicas: int = 0


class MemberTarget(NamedTuple):
    """What one member is to own. No covered release assigns warm-up tasks. A tuple: a target for many threads makes as many."""

    member_id: str
    active: Tasks
    standby: Tasks


@dataclass(frozen=True, slots=True)
class Target:
    """A target assignment, the members in the order of the Group. `missing_standbys`: how many a task could not be given, because
    there are too few processes."""

    members: tuple[MemberTarget, ...]
    missing_standbys: tuple[tuple[Task, int], ...] = ()
