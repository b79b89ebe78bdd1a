"""The names in a snapshot of a classic Streams group, and the snapshot without them.

Which text decides: process IDs by their signed order and their hash codes, member IDs by their order within a client and by their
hash codes (the leader reads members from a HashMap, and the sticky assignors go by it), racks and tags by being equal. Topics
decide nothing. The hash code of the application ID decides with the sticky assignors: it is in the member IDs of clients that are
still to come.
"""

from collections.abc import Iterable
from dataclasses import replace

from holdfast.errors import HoldfastError
from holdfast.kafka.streams.config import DECIDING
from holdfast.kafka.streams.group import Changelog, Client, Consumer, Task
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.group.redacting import Redacting
from holdfast.rollout.redaction import disks, settings, unknowns, vocabulary
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names
from holdfast.rollout.streams.snapshot import renamed_generation
from holdfast.rollout.streams.snapshot.evidence import Assigned, Evidence, LastJoin
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot, Topic, TopicPartitionInfo

_ASSIGNORS = tuple(key for key in DECIDING if key.endswith("assignor.class"))
_STICKY = ("StickyTaskAssignor", "FallbackPriorTaskAssignor")


def _names(snapshot: Snapshot) -> Found:
    given = dict(snapshot.config)
    named = (snapshot.task_assignor, *(given.get(key) for key in _ASSIGNORS))
    found = Found(snapshot.group_id, streams=True, deciding=_deciding(str(one) for one in named))
    found.add(Role.CLUSTER, snapshot.cluster)
    settings.take(found, snapshot.config)
    found.add(Role.PROCESS, None if snapshot.leader_process_id is None else str(snapshot.leader_process_id))
    for task in snapshot.tasks:
        found.add(Role.TOPIC, *(one.topic for one in task.partitions), *(one.topic for one in task.changelogs or ()))
    for client in snapshot.clients:
        _take_client(found, client)
    for topic in snapshot.topics:
        found.add(Role.TOPIC, topic.name)
        for partition in topic.partitions:
            found.add(Role.RACK, *partition.replica_racks)
    found.add(Role.TOPIC, *snapshot.missing_topics)
    for one in snapshot.evidence:
        found.add(Role.MEMBER, one.member_id)
        found.add(Role.TOPIC, *(partition.topic for partition in one.last_join.owned or ()))
    disks.take(found, snapshot.state_directories)
    for generation in _readable(snapshot.generations):
        renamed_generation.take(found, generation)
    return found


def _redacted(snapshot: Snapshot, names: Names) -> Snapshot:
    """Every field is made anew: one that is missing here is left out. Rebalances whose bytes cannot be read are left out, too."""
    leader = snapshot.leader_process_id
    return Snapshot(
        cluster=names.of(Role.CLUSTER, snapshot.cluster),
        group_id=names.of(Role.GROUP, snapshot.group_id),
        captured_at=snapshot.captured_at,
        protocol=snapshot.protocol,
        group_state=vocabulary.word(snapshot.group_state),
        kafka_release=vocabulary.release(snapshot.kafka_release),
        task_assignor=settings.assignor(snapshot.task_assignor),
        leader_process_id=None if leader is None else names.process(leader),
        config=settings.redacted(snapshot.config, names),
        tasks=tuple(_task(task, names) for task in snapshot.tasks),
        clients=tuple(_client(client, names) for client in snapshot.clients),
        topics=tuple(sorted((_topic(topic, names) for topic in snapshot.topics), key=lambda topic: topic.name)),
        missing_topics=names.each(Role.TOPIC, snapshot.missing_topics),
        evidence=tuple(_evidence(one, names) for one in snapshot.evidence),
        state_directories=disks.redacted(snapshot.state_directories, names),
        generations=tuple(_generation(one, names) for one in _readable(snapshot.generations)),
        stores=snapshot.stores,
        unknown=unknowns.redacted(snapshot.unknown, names),
    )


def _deciding(assignors: Iterable[str]) -> frozenset[Role]:
    return frozenset((Role.GROUP,)) if any(one.endswith(_STICKY) for one in assignors) else frozenset()


def _take_client(found: Found, client: Client) -> None:
    found.add(Role.PROCESS, str(client.process_id))
    found.add(Role.HOST, client.host)
    found.add(Role.RACK, client.rack)
    found.add(Role.ENDPOINT, client.user_endpoint)
    for tag, value in client.client_tags:
        found.add(Role.TAG, tag)
        found.add(Role.TAG_VALUE, value)
    found.together.append(tuple(consumer.member_id for consumer in client.consumers))
    for consumer in client.consumers:
        found.add(Role.MEMBER, consumer.member_id)
        found.add(Role.CLIENT, consumer.client_id)
        found.add(Role.INSTANCE, consumer.group_instance_id)
        found.add(Role.TOPIC, *(partition.topic for partition in consumer.owned))


def _readable(generations: Iterable[Generation]) -> tuple[Generation, ...]:
    return tuple(one for one in generations if _is_readable(one))


def _is_readable(generation: Generation) -> bool:
    try:
        renamed_generation.take(Found("", streams=True), generation)
    except HoldfastError:
        return False
    return True


def _generation(generation: Generation, names: Names) -> Generation:
    return replace(renamed_generation.renamed(generation, names), protocol=vocabulary.word(generation.protocol))


def _partitions(partitions: Iterable[TopicPartition], names: Names) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(names.of(Role.TOPIC, one.topic), one.partition) for one in partitions)


def _task(task: Task, names: Names) -> Task:
    changelogs = None
    if task.changelogs is not None:
        changelogs = tuple(Changelog(names.of(Role.TOPIC, one.topic), one.partition, one.end_offset) for one in task.changelogs)
    return Task(task.id, _partitions(task.partitions, names), changelogs)


def _client(client: Client, names: Names) -> Client:
    return Client(
        process_id=names.process(client.process_id),
        consumers=tuple(_consumer(one, names) for one in client.consumers),
        host=names.maybe(Role.HOST, client.host),
        rack=names.maybe(Role.RACK, client.rack),
        client_tags=tuple((names.of(Role.TAG, tag), names.of(Role.TAG_VALUE, value)) for tag, value in client.client_tags),
        user_endpoint=names.maybe(Role.ENDPOINT, client.user_endpoint),
    )


def _consumer(consumer: Consumer, names: Names) -> Consumer:
    return Consumer(
        member_id=names.of(Role.MEMBER, consumer.member_id),
        client_id=names.of(Role.CLIENT, consumer.client_id),
        group_instance_id=names.maybe(Role.INSTANCE, consumer.group_instance_id),
        owned=_partitions(consumer.owned, names),
        task_offset_sums=consumer.task_offset_sums,
        metadata_version=consumer.metadata_version,
        error_code=consumer.error_code,
    )


def _topic(topic: Topic, names: Names) -> Topic:
    partitions = tuple(
        TopicPartitionInfo(
            id=one.id,
            replica_racks=tuple(names.maybe(Role.RACK, rack) for rack in one.replica_racks),
            begin_offset=one.begin_offset,
            log_bytes=one.log_bytes,
            leader=one.leader,
        )
        for one in topic.partitions
    )
    return Topic(names.of(Role.TOPIC, topic.name), partitions)


def _evidence(one: Evidence, names: Names) -> Evidence:
    joined = one.last_join
    return Evidence(
        member_id=names.of(Role.MEMBER, one.member_id),
        assigned=Assigned(one.assigned.active, one.assigned.standby),
        last_join=LastJoin(
            owned=None if joined.owned is None else _partitions(joined.owned, names),
            task_offset_sums=joined.task_offset_sums,
            metadata_version=joined.metadata_version,
        ),
    )


REDACTING = Redacting(_names, _redacted, _deciding)
