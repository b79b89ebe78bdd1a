"""A Snapshot of a streams group whose broker assigns: `"protocol": "streams"`, format 1.x; fields that are unknown are ignored.

One StreamsGroupDescribe shows what decides. The members are in the order in which the broker lists them: that order decides ties.
"""

from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.coordinator.streams.group import Task, Tasks
from holdfast.rollout.broker_streams.snapshot.classic import ClassicGroup
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.broker_streams.snapshot.tasks import TASK_OFFSETS, TASKS
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import COUNT, INSTANT, NAME, NAMES, TEXT, Codec, integer, items, nullable
from holdfast.rollout.json.fast_reader import TextReader
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, PARTITION, RELEASE, STRING_MAP
from holdfast.rollout.json.record import codec_of, gathered, key, keyed, member, record

PROTOCOL = "streams"
_EPOCH = integer(-1, java.INT_MAX)
_MAYBE_COUNT = nullable(COUNT)


@record(closed=False)
class Owned:
    """Tasks of one member."""

    active: Tasks = member(TASKS)
    standby: Tasks = member(TASKS, default=())
    warmup: Tasks = member(TASKS, default=())


_OWNED = codec_of(Owned)


@record(closed=False)
class StreamThread:
    """One member, which is one stream thread; the members of one process share its `process_id`.

    `assignment`: what it runs now, `target`: what it is to run; None: unknown. `task_offsets`: what it reported of its disk.
    """

    member_id: str = key(NAME)
    process_id: str | None = member(nullable(TEXT), default=None)
    client_id: str = member(TEXT, default="")
    host: str | None = member(nullable(TEXT), default=None)
    instance_id: str | None = member(nullable(TEXT), default=None)
    rack: str | None = member(nullable(TEXT), default=None)
    client_tags: tuple[tuple[str, str], ...] = member(STRING_MAP, default=())
    user_endpoint: str | None = member(nullable(TEXT), default=None)
    member_epoch: int | None = member(nullable(_EPOCH), default=None)
    topology_epoch: int | None = member(nullable(_EPOCH), default=None)
    assignment: Owned | None = member(nullable(_OWNED), default=None)
    target: Owned | None = member(nullable(_OWNED), default=None)
    task_offsets: tuple[tuple[Task, int], ...] = member(TASK_OFFSETS, default=())
    task_end_offsets: tuple[tuple[Task, int], ...] = member(TASK_OFFSETS, default=())


@record(closed=False)
class TopicsOfSubtopology:
    """The topics of a subtopology: what it reads, what it writes for others, and its changelogs."""

    subtopology: str = key(TEXT)
    source_topics: tuple[str, ...] = member(NAMES, default=())
    repartition_source_topics: tuple[str, ...] = member(NAMES, default=())
    repartition_sink_topics: tuple[str, ...] = member(NAMES, default=())
    changelog_topics: tuple[str, ...] = member(NAMES, default=())


@record(closed=False)
class GroupTopology:
    """The topology that the group's coordinator knows."""

    subtopologies: tuple[TopicsOfSubtopology, ...] = member(keyed(codec_of(TopicsOfSubtopology)))
    epoch: int | None = member(nullable(_EPOCH), default=None)


@record(closed=False)
class PartitionLog:
    """The log of one partition of a changelog. None: unknown. `begin_offset`: of the first record still in it; `end_offset`: after
    the last one; `log_bytes`: its size on one broker's disk."""

    id: int = member(PARTITION)
    begin_offset: int | None = member(_MAYBE_COUNT, default=None, omit=True)
    end_offset: int | None = member(_MAYBE_COUNT, default=None, omit=True)
    log_bytes: int | None = member(_MAYBE_COUNT, default=None, omit=True)

    @property
    def known(self) -> bool:
        """Whether anything is known of it."""
        return (self.begin_offset, self.end_offset, self.log_bytes) != (None, None, None)


_LOGS = items(codec_of(PartitionLog))


def _count(partitions: tuple[PartitionLog, ...]) -> int:
    if sorted(one.id for one in partitions) != list(range(len(partitions))):
        raise InvalidInput("the partitions of a topic are numbered from 0 on, each once; others were found")
    return len(partitions)


_PARTITIONS: Codec[int] = _LOGS.to(_count, lambda count: tuple(map(PartitionLog, range(count))))


def _logs_in(topic: object) -> tuple[PartitionLog, ...]:
    partitions = topic.get("partitions") if isinstance(topic, dict) else None
    measured = [one for one in partitions if isinstance(one, dict) and len(one) > 1] if isinstance(partitions, list) else []
    try:
        return tuple(one for one in _LOGS.read(measured) if one.known)
    except InvalidInput:
        return ()  # who reads `partitions` says so


def _partitions_with_logs(topic: "Topic") -> object:
    logs = {one.id: one for one in topic.logs}
    return _LOGS.write(tuple(logs.get(number, PartitionLog(number)) for number in range(topic.partitions)))


@record(closed=False)
class Topic:
    """A topic, and how many partitions it has. `logs`: of those of a changelog of which anything is known."""

    name: str = key(NAME)
    partitions: int = member(_PARTITIONS, write=_partitions_with_logs)
    logs: tuple[PartitionLog, ...] = gathered(_logs_in, default=())


def _protocol(value: object) -> str:
    if value != PROTOCOL:
        raise strict.mismatch(f"the protocol {PROTOCOL!r}", value)
    return PROTOCOL


@record(closed=False, version="1.0", contract="Snapshot")
class StreamsGroupSnapshot:
    """The group, its topology and its members, as one describe shows them. None: unknown."""

    group_id: str = member(NAME)
    members: tuple[StreamThread, ...] = member(keyed(codec_of(StreamThread)), "In the order in which the broker lists them.")
    cluster: str = member(TEXT, default="")
    captured_at: str | None = member(nullable(INSTANT), default=None)
    protocol: str = member(Codec(_protocol, str, lambda: shapes.one_of((PROTOCOL,))), default=PROTOCOL)
    broker_release: str | None = member(nullable(RELEASE), "The release of the group's coordinator.", default=None)
    group_state: str | None = member(nullable(TEXT), default=None)
    group_epoch: int | None = member(nullable(_EPOCH), default=None)
    assignment_epoch: int | None = member(nullable(_EPOCH), default=None)
    config: tuple[tuple[str, ConfigValue], ...] = member(
        CONFIG, "The group's configs; others are the broker's defaults.", default=()
    )
    topology: GroupTopology | None = member(nullable(codec_of(GroupTopology)), default=None)
    topics: tuple[Topic, ...] = member(keyed(codec_of(Topic)), default=())
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, default=())
    recorded_targets: tuple[RecordedTarget, ...] = member(
        items(codec_of(RecordedTarget)), "The newest targets in __consumer_offsets, oldest first.", default=(), omit=True
    )
    state_directories: tuple[StateDirectory, ...] = member(
        items(codec_of(StateDirectory)), "What the disks of clients held.", default=(), omit=True
    )
    classic: ClassicGroup | None = member(
        nullable(codec_of(ClassicGroup)),
        "Of a group that is still classic, and is to become a streams group: the members are those of the classic group.",
        default=None,
        omit=True,
    )

    @property
    def kafka_release(self) -> str | None:
        """The release that decides, as for every kind of group: here the broker's."""
        return self.broker_release


SNAPSHOT = codec_of(StreamsGroupSnapshot)
"""Reads, writes and describes it."""
TEXTS = TextReader(SNAPSHOT)


def without_disks(snapshot: StreamsGroupSnapshot) -> StreamsGroupSnapshot:
    """The same without what changes with every record: the logs of changelogs, and what disks hold."""
    classic = None if snapshot.classic is None else replace(snapshot.classic, reported=())
    topics = tuple(replace(one, logs=()) for one in snapshot.topics)
    return replace(snapshot, topics=topics, state_directories=(), classic=classic)
