"""From what a coordinator describes (StreamsGroupDescribe) to a Snapshot. Pure: who asks the broker hands in what it answered."""

from collections.abc import Mapping

from holdfast.kafka.wire.streams_group_description import DescribedGroup, DescribedMember, DescribedTopology
from holdfast.kafka.wire.streams_tasks import InternalTopic, OwnedTasks
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import (
    GroupTopology,
    Owned,
    PartitionLog,
    StreamsGroupSnapshot,
    StreamThread,
    Topic,
    TopicsOfSubtopology,
)
from holdfast.rollout.broker_streams.snapshot.tasks import in_order
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.rollout.json.kafka import ConfigValue


def snapshot_of(
    group: DescribedGroup,
    partitions: Mapping[str, int],
    *,
    cluster: str = "",
    captured_at: str | None = None,
    broker_release: str | None = None,
    config: tuple[tuple[str, ConfigValue], ...] = (),
    unknown: tuple[Unknown, ...] = (),
    recorded_targets: tuple[RecordedTarget, ...] = (),
    logs: Mapping[str, tuple[PartitionLog, ...]] | None = None,
    state_directories: tuple[StateDirectory, ...] = (),
) -> StreamsGroupSnapshot:
    """The group as it was described without an error. `partitions`: how many each topic has; topics without are left
    out. `logs`: of changelogs.

    The members keep the order of the description, which decides ties.
    """
    return StreamsGroupSnapshot(
        group_id=group.group_id,
        members=tuple(map(_member, group.members)),
        cluster=cluster,
        captured_at=captured_at,
        broker_release=broker_release,
        group_state=group.state,
        group_epoch=group.group_epoch,
        assignment_epoch=group.assignment_epoch,
        config=config,
        topology=None if group.topology is None else _topology(group.topology),
        topics=tuple(Topic(name, partitions[name], (logs or {}).get(name, ())) for name in topics_of(group) if name in partitions),
        unknown=unknown,
        recorded_targets=recorded_targets,
        state_directories=state_directories,
    )


def topics_of(group: DescribedGroup) -> tuple[str, ...]:
    """The topics whose partitions matter, in order, each once: sources, repartition topics, changelogs."""
    subtopologies = () if group.topology is None else group.topology.subtopologies or ()
    found: dict[str, None] = {}
    for one in subtopologies:
        names = (
            *one.source_topics,
            *_names(one.repartition_source_topics),
            *one.repartition_sink_topics,
            *_names(one.changelog_topics),
        )
        found |= dict.fromkeys(names)
    return tuple(sorted(found))


def _names(topics: tuple[InternalTopic, ...]) -> tuple[str, ...]:
    return tuple(topic.name for topic in topics)


def _topology(topology: DescribedTopology) -> GroupTopology | None:
    """None where the coordinator itself could not configure it."""
    if topology.subtopologies is None:
        return None
    return GroupTopology(
        tuple(
            TopicsOfSubtopology(
                subtopology=one.id,
                source_topics=one.source_topics,
                repartition_source_topics=_names(one.repartition_source_topics),
                repartition_sink_topics=one.repartition_sink_topics,
                changelog_topics=_names(one.changelog_topics),
            )
            for one in topology.subtopologies
        ),
        topology.epoch,
    )


def _member(member: DescribedMember) -> StreamThread:
    return StreamThread(
        member_id=member.member_id,
        process_id=member.process_id or None,
        client_id=member.client_id,
        host=member.client_host.removeprefix("/") or None,
        instance_id=member.instance_id,
        rack=member.rack_id,
        client_tags=member.client_tags,
        user_endpoint=member.user_endpoint,
        member_epoch=member.member_epoch,
        topology_epoch=member.topology_epoch,
        assignment=_owned(member.assignment),
        target=_owned(member.target),
        task_offsets=member.task_offsets,
        task_end_offsets=member.task_end_offsets,
    )


def _owned(tasks: OwnedTasks) -> Owned:
    return Owned(in_order(tasks.active), in_order(tasks.standby), in_order(tasks.warmup))
