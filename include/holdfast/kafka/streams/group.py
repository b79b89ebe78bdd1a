"""A classic Streams group as its leader sees it in one rebalance, and what the leader decides.

`Group` is the input of `leader.assign`, `Assignment` its result. All values are frozen; tuples keep the order in which the
broker lists members, which matters only where Java's hash order does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from holdfast.kafka import java
from holdfast.kafka.streams.config import AssignorConfig
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition


class Changelog(NamedTuple):
    """A changelog partition of a task. `end_offset` is the one that the leader would use; None: it could not be had.

    A tuple, because reading a document makes one for each stateful task.
    """

    topic: str
    partition: int
    end_offset: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """A task, its source partitions and its changelogs: `()` if it is stateless, None if unknown."""

    id: TaskId
    partitions: tuple[TopicPartition, ...]
    changelogs: tuple[Changelog, ...] | None

    @property
    def stateful(self) -> bool:
        return bool(self.changelogs)

    @property
    def end_offset_sum(self) -> int | None:
        """The sum that lags are measured against, pinned to Long.MAX_VALUE as Java pins it; None: unknown."""
        if self.changelogs is not None and len(self.changelogs) == 1:
            end = self.changelogs[0][2]
            return end if end is None or end <= java.LONG_MAX else java.LONG_MAX
        total = 0
        for changelog in self.changelogs or ():
            if changelog.end_offset is None:
                return None
            total += changelog.end_offset
        return min(total, java.LONG_MAX)


@dataclass(frozen=True, slots=True)
class Consumer:
    """One member of the group (one stream thread), and what it would report if the group rebalanced now.

    `task_offset_sums` holds (task, sum) pairs; `LATEST_OFFSET` is a running active task. `metadata_version` None: that of the
    release. `error_code`: what it asks for with its report (`SHUTDOWN_REQUESTED`, from 2.8; KIP-671), 0 for nothing.
    """

    member_id: str
    client_id: str
    group_instance_id: str | None = None
    owned: tuple[TopicPartition, ...] = ()
    task_offset_sums: tuple[tuple[TaskId, int], ...] = ()
    metadata_version: int | None = None
    error_code: int = 0


@dataclass(frozen=True, slots=True)
class Client:
    """One Streams client (process): its consumers are its stream threads, and their number is its capacity."""

    process_id: ProcessId
    consumers: tuple[Consumer, ...]
    host: str | None = None
    rack: str | None = None
    client_tags: tuple[tuple[str, str], ...] = ()
    user_endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """All that the leader's decision depends on. `leader_process_id` None: the leading client is unknown."""

    release: str
    config: AssignorConfig
    tasks: tuple[Task, ...]
    clients: tuple[Client, ...]
    leader_process_id: ProcessId | None = None
    replica_racks: tuple[tuple[TopicPartition, tuple[str | None, ...]], ...] = ()
    """The rack of each replica's broker (None: it has none), of source and changelog partitions. Only rack-aware groups need it."""
    member_order: tuple[str, ...] = ()
    """The member IDs in the broker's order; `()`: the order of `clients`."""
    missing_topics: tuple[str, ...] = ()
    """Source topics of the leader's topology (other than repartition topics, which it makes) that the brokers do not have."""

    def members(self) -> tuple[str, ...]:
        return self.member_order or tuple(consumer.member_id for client in self.clients for consumer in client.consumers)


class About(StrEnum):
    """What a leader's decision leaves open. `NOT_SAID`: read from a document, which has the sentence only."""

    LEADER = "leader"
    JAVA = "java"
    PLACES = "places"
    PROBING = "probing"
    REJOINS = "rejoins"
    NOT_SAID = "not said"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that the group shows too little of to be certain about, and the sentence that says it."""

    about: About
    text: str


class NextRebalance(StrEnum):
    """What the assignment says about a member's next rejoin: `AssignmentInfo.nextRebalanceMs` none, 0, or a probing deadline."""

    NONE = "none"
    IMMEDIATE = "immediate"
    PROBING = "probing"
    UNKNOWN = "unknown"
    """Which of them is not determined: at once or not at all, with newer members also probing. `Assignment.undetermined`
    says why."""


class ClientAssignment(NamedTuple):
    """What the task assignor decided for a client; `standby` includes warm-ups, which look the same. A tuple, as below."""

    process_id: ProcessId
    active: tuple[TaskId, ...]
    standby: tuple[TaskId, ...]


class ConsumerAssignment(NamedTuple):
    """What goes over the wire to a consumer; `standby` includes the temporary standbys of `withheld` tasks.

    A tuple, because a decision for thousands of threads makes as many.
    """

    member_id: str
    active: tuple[TaskId, ...]
    standby: tuple[TaskId, ...]
    withheld: tuple[TaskId, ...]
    next_rebalance: NextRebalance


@dataclass(frozen=True, slots=True)
class UndeterminedTask:
    """A task with places that are not determined: at each of these it is or is not, in this role.

    Certain placements are in the Assignment and not here. A consumer of `active_consumers` may be handed the active task;
    one of `withheld_consumers` may get it only when its owner has given it up. It may be an active task of their clients.
    """

    id: TaskId
    standby_clients: tuple[ProcessId, ...] = ()
    active_consumers: tuple[str, ...] = ()
    standby_consumers: tuple[str, ...] = ()
    withheld_consumers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assignment:
    """One decision. Task lists are sorted; clients and consumers are in the order of the Group.

    Clients and consumers have what is certain. With `undetermined_tasks` that is not all that they will be given.
    """

    probing_rebalance_needed: bool
    clients: tuple[ClientAssignment, ...]
    consumers: tuple[ConsumerAssignment, ...]
    undetermined: tuple[Doubt, ...] = ()
    """What the group shows too little of to be certain about, one sentence each (e.g. which member leads)."""
    undetermined_tasks: tuple[UndeterminedTask, ...] = ()
    """By task, where it may be besides. Only where nothing observable determines it: with KIP-924's sticky assignor, or
    where members are newer than the leader."""

    @property
    def withheld_tasks(self) -> int:
        """How many tasks are withheld."""
        return sum(len(one.withheld) for one in self.consumers)

    def by_client(self, clients: Iterable[Client]) -> list[tuple[Client, tuple[ConsumerAssignment, ...]]]:
        """The clients of the Group, each with what its consumers are handed."""
        found, at = [], 0
        for client in clients:
            found.append((client, self.consumers[at : at + len(client.consumers)]))
            at += len(client.consumers)
        return found


@dataclass(frozen=True, slots=True)
class LeaderFailure:
    """The leader's own class would throw (`error`), or answer every member with an `error_code`. An answer, not a bad input."""

    error: str
    error_code: int | None = None
