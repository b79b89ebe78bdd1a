"""The names in a snapshot of a streams group whose broker assigns, and the snapshot without them.

Which text decides: member IDs and process IDs, which are random, by their hash codes, and subtopology IDs by their order. Topics,
hosts, racks and tags decide nothing in any covered release. (IDs that a forecast draws are made of the name of the group: of a
redacted group others are drawn.)
"""

from dataclasses import replace

from holdfast.kafka.coordinator.streams.group import Task, Tasks
from holdfast.rollout.broker_streams.snapshot.classic import ClassicGroup
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedMember, RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import (
    GroupTopology,
    Owned,
    StreamsGroupSnapshot,
    StreamThread,
    Topic,
    TopicsOfSubtopology,
)
from holdfast.rollout.broker_streams.snapshot.tasks import in_order
from holdfast.rollout.group.redacting import Redacting
from holdfast.rollout.redaction import disks, settings, unknowns, vocabulary
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names
from holdfast.rollout.redaction.unknowns import LEFT_OUT

Offsets = tuple[tuple[Task, int], ...]


def _names(snapshot: StreamsGroupSnapshot) -> Found:
    found = Found(snapshot.group_id, streams=True)
    found.add(Role.CLUSTER, snapshot.cluster)
    settings.take(found, snapshot.config)
    for one in snapshot.members:
        _take_member(found, one)
    for each in () if snapshot.topology is None else snapshot.topology.subtopologies:
        found.add(Role.SUBTOPOLOGY, each.subtopology)
        found.add(Role.TOPIC, *each.source_topics, *each.repartition_source_topics)
        found.add(Role.TOPIC, *each.repartition_sink_topics, *each.changelog_topics)
    found.add(Role.TOPIC, *(topic.name for topic in snapshot.topics))
    for target in snapshot.recorded_targets:
        for member in target.members:
            found.add(Role.MEMBER, member.member_id)
            found.add(Role.PROCESS, member.process_id)
            _take_tasks(found, member.active, member.standby, member.warmup)
        settings.take(found, target.config)
    disks.take(found, snapshot.state_directories)
    if snapshot.classic is not None:
        disks.take(found, snapshot.classic.reported)
    return found


def _redacted(snapshot: StreamsGroupSnapshot, names: Names) -> StreamsGroupSnapshot:
    """Every field is made anew: one that is missing here is left out."""
    return StreamsGroupSnapshot(
        group_id=names.of(Role.GROUP, snapshot.group_id),
        members=tuple(_member(one, names) for one in snapshot.members),
        cluster=names.of(Role.CLUSTER, snapshot.cluster),
        captured_at=snapshot.captured_at,
        protocol=snapshot.protocol,
        broker_release=vocabulary.release(snapshot.broker_release),
        group_state=vocabulary.word(snapshot.group_state),
        group_epoch=snapshot.group_epoch,
        assignment_epoch=snapshot.assignment_epoch,
        config=settings.redacted(snapshot.config, names),
        topology=None if snapshot.topology is None else _topology(snapshot.topology, names),
        topics=tuple(sorted((_topic(one, names) for one in snapshot.topics), key=lambda topic: topic.name)),
        unknown=unknowns.redacted(snapshot.unknown, names),
        recorded_targets=tuple(_target(one, names) for one in snapshot.recorded_targets),
        state_directories=disks.redacted(snapshot.state_directories, names),
        classic=None if snapshot.classic is None else _classic(snapshot.classic, names),
    )


def _take_member(found: Found, member: StreamThread) -> None:
    found.add(Role.MEMBER, member.member_id)
    found.add(Role.PROCESS, member.process_id)
    found.add(Role.CLIENT, member.client_id)
    found.add(Role.HOST, member.host)
    found.add(Role.INSTANCE, member.instance_id)
    found.add(Role.RACK, member.rack)
    found.add(Role.ENDPOINT, member.user_endpoint)
    for tag, value in member.client_tags:
        found.add(Role.TAG, tag)
        found.add(Role.TAG_VALUE, value)
    for owned in (member.assignment, member.target):
        if owned is not None:
            _take_tasks(found, owned.active, owned.standby, owned.warmup)
    found.add(Role.SUBTOPOLOGY, *(task.subtopology for task, _ in (*member.task_offsets, *member.task_end_offsets)))


def _take_tasks(found: Found, *all_tasks: Tasks) -> None:
    found.add(Role.SUBTOPOLOGY, *(subtopology for tasks in all_tasks for subtopology, _ in tasks))


def _member(member: StreamThread, names: Names) -> StreamThread:
    return StreamThread(
        member_id=names.of(Role.MEMBER, member.member_id),
        process_id=names.maybe(Role.PROCESS, member.process_id),
        client_id=names.of(Role.CLIENT, member.client_id),
        host=names.maybe(Role.HOST, member.host),
        instance_id=names.maybe(Role.INSTANCE, member.instance_id),
        rack=names.maybe(Role.RACK, member.rack),
        client_tags=tuple((names.of(Role.TAG, tag), names.of(Role.TAG_VALUE, value)) for tag, value in member.client_tags),
        user_endpoint=names.maybe(Role.ENDPOINT, member.user_endpoint),
        member_epoch=member.member_epoch,
        topology_epoch=member.topology_epoch,
        assignment=_owned(member.assignment, names),
        target=_owned(member.target, names),
        task_offsets=_offsets(member.task_offsets, names),
        task_end_offsets=_offsets(member.task_end_offsets, names),
    )


def _owned(owned: Owned | None, names: Names) -> Owned | None:
    if owned is None:
        return None
    return Owned(_tasks(owned.active, names), _tasks(owned.standby, names), _tasks(owned.warmup, names))


def _tasks(tasks: Tasks, names: Names) -> Tasks:
    return in_order(tuple((names.of(Role.SUBTOPOLOGY, subtopology), partitions) for subtopology, partitions in tasks))


def _offsets(offsets: Offsets, names: Names) -> Offsets:
    return tuple((Task(names.of(Role.SUBTOPOLOGY, task.subtopology), task.partition), offset) for task, offset in offsets)


def _topology(topology: GroupTopology, names: Names) -> GroupTopology:
    subtopologies = (
        TopicsOfSubtopology(
            subtopology=names.of(Role.SUBTOPOLOGY, one.subtopology),
            source_topics=names.each(Role.TOPIC, one.source_topics),
            repartition_source_topics=names.each(Role.TOPIC, one.repartition_source_topics),
            repartition_sink_topics=names.each(Role.TOPIC, one.repartition_sink_topics),
            changelog_topics=names.each(Role.TOPIC, one.changelog_topics),
        )
        for one in topology.subtopologies
    )
    return GroupTopology(tuple(subtopologies), topology.epoch)


def _topic(topic: Topic, names: Names) -> Topic:
    return Topic(names.of(Role.TOPIC, topic.name), topic.partitions, topic.logs)


def _target(target: RecordedTarget, names: Names) -> RecordedTarget:
    members = (
        RecordedMember(
            member_id=names.of(Role.MEMBER, one.member_id),
            active=_tasks(one.active, names),
            standby=_tasks(one.standby, names),
            warmup=_tasks(one.warmup, names),
            process_id=names.maybe(Role.PROCESS, one.process_id),
        )
        for one in target.members
    )
    config = tuple((key, str(value)) for key, value in settings.redacted(target.config, names))
    return RecordedTarget(target.assignment_epoch, target.computed_at, tuple(members), config)


def _classic(classic: ClassicGroup, names: Names) -> ClassicGroup:
    return ClassicGroup(
        session_timeout_ms=classic.session_timeout_ms,
        heartbeat_ms=classic.heartbeat_ms,
        keeps_process_ids=classic.keeps_process_ids,
        names_topics=classic.names_topics,
        prevents=tuple(replace(one, reason=LEFT_OUT if one.reason else "") for one in classic.prevents),
        reported=disks.redacted(classic.reported, names),
    )


REDACTING = Redacting(_names, _redacted)
