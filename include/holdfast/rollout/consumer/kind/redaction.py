"""The names in a snapshot of a consumer group, and the snapshot without them.

Which text decides: member IDs, instance IDs and topics by their order, racks by being equal. With the sticky assignors the hash
codes of member IDs and of topics decide too: they go through both in the order of a HashMap.
"""

from collections.abc import Iterable

from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic, ConsumerSnapshot
from holdfast.rollout.group.redacting import Redacting
from holdfast.rollout.redaction import consumed, settings, unknowns, vocabulary
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names

_STICKY = frozenset((Assignor.STICKY, Assignor.COOPERATIVE_STICKY))


def _names(snapshot: ConsumerSnapshot) -> Found:
    found = Found(snapshot.group_id, streams=False, deciding=_deciding(each for one in snapshot.members for each in one.assignors))
    found.add(Role.CLUSTER, snapshot.cluster)
    found.add(Role.MEMBER, snapshot.leader_member_id)
    settings.take(found, snapshot.config)
    for one in snapshot.members:
        consumed.take_classic_member(found, one)
    for topic in snapshot.topics:
        found.add(Role.TOPIC, topic.name)
        for partition in topic.partitions:
            found.add(Role.RACK, *partition.replica_racks)
    for handed in snapshot.assigned or ():
        found.add(Role.TOPIC, *(partition.topic for partition in handed))
    return found


def _redacted(snapshot: ConsumerSnapshot, names: Names) -> ConsumerSnapshot:
    """Every field is made anew: one that is missing here is left out."""
    return ConsumerSnapshot(
        cluster=names.of(Role.CLUSTER, snapshot.cluster),
        group_id=names.of(Role.GROUP, snapshot.group_id),
        captured_at=snapshot.captured_at,
        protocol=snapshot.protocol,
        group_state=vocabulary.word(snapshot.group_state),
        kafka_release=vocabulary.release(snapshot.kafka_release),
        broker_release=vocabulary.release(snapshot.broker_release),
        generation=snapshot.generation,
        leader_member_id=names.maybe(Role.MEMBER, snapshot.leader_member_id),
        members=tuple(consumed.classic_member(one, names) for one in snapshot.members),
        topics=tuple(_topic(one, names) for one in snapshot.topics),
        config=settings.redacted(snapshot.config, names),
        unknown=unknowns.redacted(snapshot.unknown, names),
        assigned=None if snapshot.assigned is None else tuple(consumed.partitions(one, names) for one in snapshot.assigned),
    )


def _deciding(assignors: Iterable[str]) -> frozenset[Role]:
    return frozenset() if _STICKY.isdisjoint(assignors) else frozenset((Role.TOPIC,))


def _topic(topic: ConsumedTopic, names: Names) -> ConsumedTopic:
    partitions = tuple(consumed.partition(one, names) for one in topic.partitions)
    return ConsumedTopic(names.of(Role.TOPIC, topic.name), partitions, topic.id)


REDACTING = Redacting(_names, _redacted, _deciding)
