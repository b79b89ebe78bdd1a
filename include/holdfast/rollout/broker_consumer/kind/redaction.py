"""The names in a snapshot of a consumer group whose broker assigns, and the snapshot without them.

Which text decides: member IDs by their order and their hash codes, instance IDs by their order, topics by their hash codes. Topic
IDs are no names, and decide by theirs: they are kept. Hosts and racks decide nothing in any covered release. What stands for a
regular expression matches what stands for the topics that it matched, and no other topic. (IDs that a forecast draws are made of
the name of the group: of a redacted group others are drawn.)
"""

from collections.abc import Iterable

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.snapshot.snapshot import (
    BrokerConsumedTopic,
    BrokerConsumer,
    BrokerConsumerSnapshot,
    ClassicGroup,
)
from holdfast.rollout.group.redacting import Redacting
from holdfast.rollout.json.consumed_topics import ConsumedPartition
from holdfast.rollout.redaction import consumed, settings, unknowns, vocabulary
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names


def _names(snapshot: BrokerConsumerSnapshot) -> Found:
    found = Found(snapshot.group_id, streams=False, deciding=(Role.TOPIC,))
    found.add(Role.CLUSTER, snapshot.cluster)
    settings.take(found, snapshot.config)
    for one in snapshot.members:
        found.add(Role.MEMBER, one.member_id)
        found.add(Role.CLIENT, one.client_id)
        found.add(Role.INSTANCE, one.instance_id)
        found.add(Role.HOST, one.host)
        found.add(Role.RACK, one.rack)
        found.add(Role.PATTERN, one.subscription_regex)
        found.add(Role.TOPIC, *one.subscription)
        found.add(Role.TOPIC, *(partition.topic for owned in (one.assignment, one.target) for partition in owned or ()))
    for topic in snapshot.topics:
        found.add(Role.TOPIC, topic.name)
        for partition in topic.partitions:
            found.add(Role.RACK, *partition.replica_racks)
    if snapshot.classic is not None:
        found.add(Role.MEMBER, snapshot.classic.leader_member_id)
        for each in snapshot.classic.members:
            consumed.take_classic_member(found, each)
    return found


def _redacted(snapshot: BrokerConsumerSnapshot, names: Names) -> BrokerConsumerSnapshot:
    """Every field is made anew: one that is missing here is left out."""
    return BrokerConsumerSnapshot(
        group_id=names.of(Role.GROUP, snapshot.group_id),
        members=tuple(_member(one, names) for one in snapshot.members),
        cluster=names.of(Role.CLUSTER, snapshot.cluster),
        captured_at=snapshot.captured_at,
        protocol=snapshot.protocol,
        broker_release=vocabulary.release(snapshot.broker_release),
        client_release=vocabulary.release(snapshot.client_release),
        group_state=vocabulary.word(snapshot.group_state),
        group_epoch=snapshot.group_epoch,
        assignment_epoch=snapshot.assignment_epoch,
        assignor=vocabulary.word(snapshot.assignor),
        config=settings.redacted(snapshot.config, names),
        topics=tuple(_topic(one, names) for one in snapshot.topics),
        still_classic=snapshot.still_classic,
        classic=None if snapshot.classic is None else _classic(snapshot.classic, names),
        unknown=unknowns.redacted(snapshot.unknown, names),
    )


def _member(one: BrokerConsumer, names: Names) -> BrokerConsumer:
    return BrokerConsumer(
        member_id=names.of(Role.MEMBER, one.member_id),
        client_id=names.of(Role.CLIENT, one.client_id),
        host=names.maybe(Role.HOST, one.host),
        instance_id=names.maybe(Role.INSTANCE, one.instance_id),
        rack=names.maybe(Role.RACK, one.rack),
        member_epoch=one.member_epoch,
        member_type=vocabulary.word(one.member_type),
        assignors=one.assignors,
        subscription=names.each(Role.TOPIC, one.subscription),
        subscription_regex=names.maybe(Role.PATTERN, one.subscription_regex),
        assignment=_owned(one.assignment, names),
        target=_owned(one.target, names),
    )


def _classic(group: ClassicGroup, names: Names) -> ClassicGroup:
    return ClassicGroup(
        members=tuple(consumed.classic_member(one, names) for one in group.members),
        leader_member_id=names.maybe(Role.MEMBER, group.leader_member_id),
    )


def _owned(owned: Iterable[TopicPartition] | None, names: Names) -> tuple[TopicPartition, ...] | None:
    """In the broker's order, which decides."""
    return None if owned is None else consumed.partitions(owned, names)


def _topic(topic: BrokerConsumedTopic, names: Names) -> BrokerConsumedTopic:
    partitions: tuple[ConsumedPartition, ...] = tuple(consumed.partition(one, names) for one in topic.partitions)
    return BrokerConsumedTopic(names.of(Role.TOPIC, topic.name), topic.id, partitions)


REDACTING = Redacting(_names, _redacted)
