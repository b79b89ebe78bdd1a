"""A classic group as the streams group that it is to become: its topology, its clients with what they run, its disks.

The coordinator learns the topology from the clients (`StreamThread.initStreamsRebalanceData`): a subtopology has the number that it
has in the classic group, the same source topics and changelogs, those that are source topics too included.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams.group import Task, tasks_of
from holdfast.kafka.release import LINES
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.streams.group import Task as ClassicTask
from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId, TopicPartition
from holdfast.rollout.broker_streams.snapshot.classic import ClassicGroup
from holdfast.rollout.broker_streams.snapshot.snapshot import (
    GroupTopology,
    Owned,
    PartitionLog,
    StreamsGroupSnapshot,
    StreamThread,
    Topic,
    TopicsOfSubtopology,
)
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory, TaskDirectory
from holdfast.rollout.kinds.moving.prevented import prevented
from holdfast.rollout.streams.events.move_to_streams_protocol import MoveToStreamsProtocol
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.snapshot.stores import keeps_ids

SESSION_MS = LINES[-1].session_timeout_ms
"""Kafka's default, where the Snapshot has neither the setting nor the release."""


def moving(snapshot: Snapshot, event: MoveToStreamsProtocol) -> StreamsGroupSnapshot:
    """The group before the move. Raise CannotPredict where it is unknown which tasks are stateful."""
    classic = ClassicGroup(
        session_timeout_ms=_session_ms(snapshot),
        heartbeat_ms=_milliseconds(snapshot, outage.HEARTBEAT, outage.HEARTBEAT_MS),
        keeps_process_ids=keeps_ids(snapshot) if event.keeps_process_ids is None else event.keeps_process_ids,
        names_topics=event.source_patterns is False,
        prevents=tuple(prevented(snapshot, event)),
        reported=tuple(_reported(snapshot)),
    )
    found = as_streams_group(snapshot, classic, event.broker_release)
    unknown = list(snapshot.unknown)
    if event.kafka_release is None and snapshot.kafka_release is None:
        unknown.append(Unknown("kafka_release", "not given: clients older than 4.2 do not have group.protocol=streams"))
    return _with_unknown(found, unknown)


def as_streams_group(snapshot: Snapshot, classic: ClassicGroup, broker_release: str | None) -> StreamsGroupSnapshot:
    """`classic`: what is known of the move."""
    stateful_unknown = [str(one.id) for one in snapshot.tasks if one.changelogs is None]
    if stateful_unknown:
        raise CannotPredict(
            f"Which tasks are stateful is unknown ({stateful_unknown[0]} and others): the coordinator learns the changelogs of each"
            " subtopology. Take a snapshot with the state directory of a client (--state-dir)"
        )
    epoch = _initial_epoch(broker_release)
    by_partition = {partition: task.id for task in snapshot.tasks for partition in task.partitions}
    return StreamsGroupSnapshot(
        group_id=snapshot.group_id,
        members=tuple(_member(client, one, by_partition) for client in snapshot.clients for one in client.consumers),
        cluster=snapshot.cluster,
        captured_at=snapshot.captured_at,
        broker_release=broker_release,
        group_state=snapshot.group_state,
        group_epoch=epoch,
        assignment_epoch=epoch,
        topology=_topology(snapshot),
        topics=_topics(snapshot),
        unknown=(Unknown("config", "the group is still classic: its configs as a streams group were not read"),),
        state_directories=snapshot.state_directories,
        classic=classic,
    )


def _initial_epoch(broker_release: str | None) -> int:
    """Of a release that is not covered nothing is forecast."""
    try:
        return 0 if broker_release is None else behaviour(broker_release).initial_epoch
    except Unsupported:
        return 0


def _with_unknown(snapshot: StreamsGroupSnapshot, unknown: Iterable[Unknown]) -> StreamsGroupSnapshot:
    """Without what only the leader of a classic group goes by."""
    kept = [one for one in unknown if one.what.startswith(("kafka_release", "topics", "state_directories", "end_offset"))]
    return replace(snapshot, unknown=tuple(kept))


def _member(client: Client, one: Consumer, by_partition: Mapping[TopicPartition, TaskId]) -> StreamThread:
    """What it runs; its standby copies are among those that it reports."""
    running = {by_partition[partition] for partition in one.owned if partition in by_partition}
    running |= {task for task, total in one.task_offset_sums if total == LATEST_OFFSET}
    owned = Owned(tasks_of(Task(str(task.subtopology), task.partition) for task in sorted(running)))
    return StreamThread(
        member_id=one.member_id,
        process_id=str(client.process_id),
        client_id=one.client_id,
        host=client.host,
        rack=client.rack,
        assignment=owned,
        target=owned,
    )


def _topology(snapshot: Snapshot) -> GroupTopology:
    sources: dict[int, dict[str, None]] = {}
    changelogs: dict[int, dict[str, None]] = {}
    for task in snapshot.tasks:
        sources.setdefault(task.id.subtopology, {}).update(dict.fromkeys(one.topic for one in task.partitions))
        changelogs.setdefault(task.id.subtopology, {}).update(dict.fromkeys(one.topic for one in task.changelogs or ()))
    prefix = f"{snapshot.group_id}-"

    def inside(topic: str) -> bool:
        return topic.startswith(prefix) and topic.endswith("-repartition")

    return GroupTopology(
        tuple(
            TopicsOfSubtopology(
                str(number),
                source_topics=tuple(sorted(one for one in topics if not inside(one))),
                repartition_source_topics=tuple(sorted(one for one in topics if inside(one))),
                changelog_topics=tuple(sorted(changelogs[number])),
            )
            for number, topics in sorted(sources.items(), key=lambda each: str(each[0]))
        ),
        0,
    )


def _topics(snapshot: Snapshot) -> tuple[Topic, ...]:
    """Source topics have the partitions that tasks read; a changelog one a task."""
    counts: dict[str, int] = {}
    ends: dict[tuple[str, int], int | None] = {}
    for task in snapshot.tasks:
        for one in task.partitions:
            counts[one.topic] = max(counts.get(one.topic, 0), one.partition + 1)
        for log in task.changelogs or ():
            counts[log.topic] = max(counts.get(log.topic, 0), log.partition + 1)
            ends[log.topic, log.partition] = log.end_offset
    known = {(topic.name, one.id): one for topic in snapshot.topics for one in topic.partitions}
    found = []
    for name, count in sorted(counts.items()):
        logs = []
        for number in range(count) if any((name, each) in ends for each in range(count)) else ():
            seen = known.get((name, number))
            logs.append(
                PartitionLog(
                    number,
                    None if seen is None else seen.begin_offset,
                    ends.get((name, number)),
                    None if seen is None else seen.log_bytes,
                )
            )
        found.append(Topic(name, count, tuple(one for one in logs if one.known)))
    return tuple(found)


def _reported(snapshot: Snapshot) -> Iterable[StateDirectory]:
    """Copies that are not run where they are: those that members report with a sum of offsets. What a task with several changelogs
    lacks in all is put to the first of them."""
    tasks = {one.id: one for one in snapshot.tasks}
    for client in snapshot.clients:
        sums = {task: total for one in client.consumers for task, total in one.task_offset_sums if total >= 0 and task in tasks}
        found = tuple(
            TaskDirectory(task, checkpoint, non_empty=True)
            for task, total in sorted(sums.items())
            if (checkpoint := _checkpoint(tasks[task], total)) is not None
        )
        if found:
            yield StateDirectory(f"reported:{client.process_id}", client.process_id, tasks=found)


def _checkpoint(task: ClassicTask, total: int) -> tuple[tuple[TopicPartition, int], ...] | None:
    """Offsets of the last records. None: the end of a changelog is unknown."""
    ends = [(TopicPartition(one.topic, one.partition), one.end_offset) for one in task.changelogs or ()]
    lag = None if task.end_offset_sum is None else max(0, task.end_offset_sum - total)
    if not ends or lag is None:
        return None
    found = []
    for partition, end in ends:
        assert end is not None, "their sum is known"
        short = min(lag, end)
        lag -= short
        found.append((partition, max(0, end - short) - 1))
    return tuple((partition, offset) for partition, offset in found if offset >= 0) or None


def _session_ms(snapshot: Snapshot) -> int:
    """The longest that members were last seen with; else their setting, or their release's default."""
    seen = [one.session_timeout_ms for each in snapshot.generations[-1:] for one in each.members if one.session_timeout_ms]
    if seen:
        return max(seen)
    if snapshot.kafka_release is None:
        return _milliseconds(snapshot, "session.timeout.ms", SESSION_MS)
    return int(outage.session_timeout_s(Scene.of(snapshot)) * 1000)


def _milliseconds(snapshot: Snapshot, key: str, default: int) -> int:
    text = str(dict(snapshot.config).get(key, default)).strip()
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**31:
        raise InvalidInput(f"a number of milliseconds is needed, {text[:40]!r} was found", f"config.{key}")
    return int(text)
