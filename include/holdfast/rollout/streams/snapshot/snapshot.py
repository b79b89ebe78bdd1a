"""The Snapshot of a Kafka Streams group: its state at one moment, the input of every forecast.

The JSON form is in `json`. A Snapshot holds what the members *would report if the group rebalanced now* (`clients`, `tasks`: the
input of the model) and, in addition to it, the evidence that this was inferred from (`evidence`, `state_directories`,
`generations`).
"""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Any, Self

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.streams.group import Client, Consumer, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId, TopicPartition
from holdfast.rollout.backtest.generation import Generation as Generation  # noqa: PLC0414 - it belongs to a Snapshot, too
from holdfast.rollout.backtest.generation import GenerationMember as GenerationMember  # noqa: PLC0414 - likewise
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.json import strict, typed
from holdfast.rollout.json.codec import (
    COUNT,
    INSTANT,
    NAME,
    NAMES,
    TEXT,
    Codec,
    as_it_is,
    choice,
    items,
    nullable,
)
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, CONFIG_VALUE, PARTITION, PROCESS_ID, RELEASE
from holdfast.rollout.json.record import codec_of, gathered, key, keyed, member, record
from holdfast.rollout.json.shapes import Shape
from holdfast.rollout.streams.snapshot import defaults
from holdfast.rollout.streams.snapshot.evidence import CLIENTS, Evidence, clients_to_json, evidence_decoded, evidence_in
from holdfast.rollout.streams.snapshot.group_codecs import TASKS

PROTOCOL = "streams-classic"
OF_CONSUMER_GROUPS = "consumer-classic"
PROTOCOLS_TO_COME = ("streams", "consumer")
_MAYBE_COUNT = nullable(COUNT)


class Stores(StrEnum):
    """Where an application keeps its state. `MIXED`: some on disk, so that process IDs are kept, some in memory."""

    PERSISTENT = "persistent"
    IN_MEMORY = "in-memory"
    MIXED = "mixed"


@record(closed=False)
class TopicPartitionInfo:
    """`replica_racks`: one entry a replica, None where a broker has no rack.

    `begin_offset` is that of the first record still in the log, `log_bytes` the size of the log on one broker's disk. None:
    unknown, or not requested: only those of changelogs are. `leader`: the ID of the broker that leads it and serves its readers;
    None: unknown, or there is none now.
    """

    id: int = member(PARTITION)
    replica_racks: tuple[str | None, ...] = member(items(nullable(TEXT)), default=())
    begin_offset: int | None = member(_MAYBE_COUNT, default=None, omit=True)
    log_bytes: int | None = member(_MAYBE_COUNT, default=None, omit=True)
    leader: int | None = member(nullable(PARTITION), "The ID of the broker that leads it.", default=None, omit=True)


def _each_partition_once(topic: "Topic") -> None:
    numbers = [partition.id for partition in topic.partitions]
    if len(dict.fromkeys(numbers)) < len(numbers):
        raise InvalidInput("a partition is given twice", "partitions")


@record(closed=False, check=_each_partition_once)
class Topic:
    name: str = key(NAME)
    partitions: tuple[TopicPartitionInfo, ...] = member(items(codec_of(TopicPartitionInfo)))


def _protocol(value: object) -> str:
    if value == PROTOCOL:
        return PROTOCOL
    if value == OF_CONSUMER_GROUPS:
        raise Unsupported(
            f"this is a consumer group ({OF_CONSUMER_GROUPS}); needed here is a Kafka Streams group ({PROTOCOL}). All commands but"
            " guard accept both"
        )
    if value in PROTOCOLS_TO_COME:
        raise Unsupported(f"the protocol {strict.shown(value)} is not covered yet; {PROTOCOL!r} is")
    raise strict.mismatch(f"a protocol ({PROTOCOL!r})", value)


_PROTOCOL: Codec[str] = Codec(_protocol, as_it_is, lambda: {"enum": [PROTOCOL]}, typed=lambda: typed.only(PROTOCOL))


def _config() -> Shape:
    defaulted = {key: CONFIG_VALUE.shape() | {"default": CONFIG_VALUE.write(value)} for key, value in defaults.SETTINGS.items()}
    return CONFIG.shape() | {"properties": defaulted}


_CONFIG: Codec[tuple[tuple[str, ConfigValue], ...]] = Codec(CONFIG.read, CONFIG.write, _config, typed=CONFIG.typed)


def _clients_to_json(snapshot: "Snapshot") -> dict[str, Any]:
    return clients_to_json(snapshot.clients, snapshot.evidence)


def _agrees(snapshot: "Snapshot") -> None:
    if _may_contradict(snapshot):
        strict.refuse(_contradictions(snapshot))


def _may_contradict(snapshot: "Snapshot") -> bool:
    """Whether anything is given twice, or the leader is none of the clients."""
    partitions = [partition for task in snapshot.tasks for partition in task.partitions]
    members = [consumer.member_id for client in snapshot.clients for consumer in client.consumers]
    processes = {client.process_id for client in snapshot.clients}
    leader = snapshot.leader_process_id
    twice = any(len(set(ids)) < len(ids) for ids in (partitions, members)) or len(processes) < len(snapshot.clients)
    return twice or (leader is not None and leader not in processes)


def _contradictions(snapshot: "Snapshot") -> Iterable[InvalidInput]:
    """What no single field shows."""
    owner: dict[TopicPartition, TaskId] = {}
    for task in snapshot.tasks:
        for partition in task.partitions:
            if partition in owner:
                both = f"{owner[partition]} and {task.id}" if owner[partition] != task.id else f"{task.id} twice"
                yield InvalidInput(f"the partition {strict.shown(str(partition))} is in the tasks {both}", "tasks")
            owner[partition] = task.id
    members: dict[str, None] = {}
    processes: dict[object, None] = {}
    for client in snapshot.clients:
        if client.process_id in processes:
            yield InvalidInput(f"the process ID {client.process_id} is given twice", "clients")
        processes[client.process_id] = None
        for consumer in client.consumers:
            if consumer.member_id in members:
                yield InvalidInput(f"the member {strict.shown(consumer.member_id)} is given twice", "clients")
            members[consumer.member_id] = None
    if snapshot.leader_process_id is not None and snapshot.leader_process_id not in processes:
        yield InvalidInput(
            f"{snapshot.leader_process_id} is not among the clients; give null if the leader is unknown", "leader_process_id"
        )


@record(
    closed=False,
    version=strict.FORMAT_VERSION,
    contract="Snapshot",
    check=_agrees,
    about="What one classic Kafka Streams group looked like at one moment. Fields that are not listed are ignored.",
)
class Snapshot:
    """One classic Streams group at one moment. `config` keeps Kafka's names and what was given; `captured_at` is ISO 8601, UTC.

    `evidence`: what members were last seen with. `stores`: as the operator says; None: not given (the disks may show it).
    """

    cluster: str = member(TEXT.shaped(TEXT.shape() | {"default": ""}), absent="")
    group_id: str = member(NAME, "The application.id.")
    captured_at: str | None = member(nullable(INSTANT), absent=None)
    protocol: str = member(_PROTOCOL, "The group protocol.")
    group_state: str | None = member(nullable(TEXT), absent=None)
    kafka_release: str | None = member(nullable(RELEASE), absent=None)
    task_assignor: str | None = member(nullable(NAME), absent=None)
    leader_process_id: ProcessId | None = member(nullable(PROCESS_ID), "Null: unknown. One of the clients.", absent=None)
    config: tuple[tuple[str, ConfigValue], ...] = member(_CONFIG, absent=())
    tasks: tuple[Task, ...] = member(TASKS)
    clients: tuple[Client, ...] = member(CLIENTS, "By process ID, in the order of the group's member list.", write=_clients_to_json)
    topics: tuple[Topic, ...] = member(keyed(codec_of(Topic)), default=())
    missing_topics: tuple[str, ...] = member(
        NAMES, "Source topics that the brokers do not have: the leader sends all members an error.", default=(), omit=True
    )
    evidence: tuple[Evidence, ...] = gathered(evidence_in, default=(), decoded=evidence_decoded)
    state_directories: tuple[StateDirectory, ...] = member(items(codec_of(StateDirectory)), default=(), omit=True)
    generations: tuple[Generation, ...] = member(items(codec_of(Generation)), "Completed rebalances.", default=(), omit=True)
    stores: Stores | None = member(
        nullable(choice(Stores)),
        "Where state is kept: without a store on disk no process ID is kept. Null: not said; state directories may show it.",
        default=None,
        omit=True,
    )
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, "What could not be read, each with its reason.", default=())

    def client(self, process_id: ProcessId) -> Client | None:
        return next((client for client in self.clients if client.process_id == process_id), None)

    def consumers(self) -> tuple[Consumer, ...]:
        return tuple(consumer for client in self.clients for consumer in client.consumers)

    def with_config(self, changes: tuple[tuple[str, ConfigValue], ...]) -> Self:
        """The same group with these settings put over its own, in the order of their names."""
        if not changes:
            return self
        merged = dict(self.config) | dict(changes)
        return replace(self, config=tuple(sorted(merged.items())))
