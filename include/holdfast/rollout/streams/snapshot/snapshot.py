"""The Snapshot of a Kafka Streams group: its state at one moment, the input of every forecast.

The JSON form is in `json`. A Snapshot holds what the members *would report if the group rebalanced now* (`clients`, `tasks`: the
input of the model) and, beside it, the evidence that this was inferred from (`evidence`, `state_directories`, `generations`).
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from holdfast.kafka.streams.first_report import FirstReport
from holdfast.kafka.streams.group import Client, Consumer, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.contract.unknown import Unknown
from holdfast.rollout.json.kafka import ConfigValue


class Stores(StrEnum):
    """Where an application keeps its state. `MIXED`: some on disk, so that process IDs are kept, some in memory."""

    PERSISTENT = "persistent"
    IN_MEMORY = "in-memory"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a member was last seen with: its current assignment, and its last JoinGroup (regularly stale at a stable point)."""

    member_id: str
    assigned_active: tuple[TaskId, ...] | None = None
    assigned_standby: tuple[TaskId, ...] | None = None
    joined_owned: tuple[TopicPartition, ...] | None = None
    joined_task_offset_sums: tuple[tuple[TaskId, int], ...] | None = None
    joined_metadata_version: int | None = None


@dataclass(frozen=True, slots=True)
class TopicPartitionInfo:
    """`replica_racks`: one entry a replica, None where a broker has no rack.

    `begin_offset` is that of the first record still in the log, `log_bytes` what the log weighs on one broker's disk. None: not
    known, or not asked for: only changelogs are. `leader`: the ID of the broker that leads it and serves who reads it; None: not
    known, or there is none now.
    """

    id: int
    replica_racks: tuple[str | None, ...] = ()
    begin_offset: int | None = None
    log_bytes: int | None = None
    leader: int | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    name: str
    partitions: tuple[TopicPartitionInfo, ...]


@dataclass(frozen=True, slots=True)
class StateFile:
    """A file that was read in a state directory: path below it, size in bytes, modification time (ISO 8601, UTC)."""

    path: str
    size: int
    modified_at: str | None


@dataclass(frozen=True, slots=True)
class Lock:
    """Whether a running client held the directory's `.lock` when it was read. None: it cannot be known, for `reason`.

    `pid`: the holder's process ID on the machine that read; None where it has none there (another container, another machine).
    """

    held: bool | None
    pid: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class TaskDirectory:
    """A task directory. `checkpoint` holds (partition, offset of the last record applied or -4); None: no file, or unreadable.

    `offsets_in_stores`: they were read from the stores themselves, where 4.3 keeps them. `stores`: what its folders of stores are
    called (those in memory have none), sorted. `open_stores`: those among them that say that they were not closed (4.3).
    `lock`: of its own `.lock`, which releases up to 2.8 have; None: there is none. `unreadable`: something in it that says how far
    its stores are could not be read, as the Snapshot's `unknown` says.
    """

    task_id: TaskId
    checkpoint: tuple[tuple[TopicPartition, int], ...] | None
    non_empty: bool
    stores: tuple[str, ...] = ()
    offsets_in_stores: bool = False
    open_stores: tuple[str, ...] = ()
    lock: Lock | None = None
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class StateDirectory:
    """What `<state.dir>/<application.id>` of one client held. `url` never carries a user or password.

    `lock`: who held it when it was read; None: it was not asked for. `global_checkpoint`: the offsets of the global stores.
    `named_topologies`: what lies in the directories `__name__`, by name. `others`: entries that Kafka Streams does not know.
    `first_report`: what a client that is started on it reports when it first joins; None: not inferred. `free_bytes`: what may
    still be written on its file system; None: it cannot be seen.
    """

    url: str
    process_id: ProcessId | None
    tasks: tuple[TaskDirectory, ...] = ()
    files: tuple[StateFile, ...] = ()
    lock: Lock | None = None
    global_checkpoint: tuple[tuple[TopicPartition, int], ...] | None = None
    named_topologies: tuple[tuple[str, tuple[TaskDirectory, ...]], ...] = ()
    others: tuple[str, ...] = ()
    first_report: FirstReport | None = None
    free_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class GenerationMember:
    """A member of a completed generation: the raw bytes of its subscription and assignment."""

    member_id: str
    client_id: str
    client_host: str
    group_instance_id: str | None
    subscription: bytes
    assignment: bytes
    session_timeout_ms: int | None = None
    """None: the broker did not say (a description does not, its own records do)."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A completed rebalance, as the broker wrote it to `__consumer_offsets`."""

    number: int
    completed_at: str
    leader_member_id: str | None
    protocol: str | None
    members: tuple[GenerationMember, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One classic Streams group at one moment. `config` keeps Kafka's names and what was given; `captured_at` is ISO 8601, UTC."""

    cluster: str
    group_id: str
    captured_at: str | None
    protocol: str
    group_state: str | None
    kafka_release: str | None
    task_assignor: str | None
    leader_process_id: ProcessId | None
    config: tuple[tuple[str, ConfigValue], ...]
    tasks: tuple[Task, ...]
    clients: tuple[Client, ...]
    topics: tuple[Topic, ...] = ()
    missing_topics: tuple[str, ...] = ()
    """Source topics of the application that the brokers do not have: such a leader sends everybody an error."""
    evidence: tuple[Evidence, ...] = ()
    state_directories: tuple[StateDirectory, ...] = ()
    generations: tuple[Generation, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    stores: Stores | None = None
    """As the operator says; None: not said (`in_memory.stores_of` may see it on the disks)."""

    def client(self, process_id: ProcessId) -> Client | None:
        return next((client for client in self.clients if client.process_id == process_id), None)

    def consumers(self) -> tuple[Consumer, ...]:
        return tuple(consumer for client in self.clients for consumer in client.consumers)

    def with_config(self, changes: tuple[tuple[str, ConfigValue], ...]) -> Self:
        """The same group with these settings put over its own, in the order of their names."""
        merged = dict(self.config) | dict(changes)
        return replace(self, config=tuple(sorted(merged.items())))
