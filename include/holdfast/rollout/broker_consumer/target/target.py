"""`holdfast assign` for a consumer group whose broker assigns: the target that its coordinator would compute now."""

from holdfast.kafka.coordinator.consumer import target
from holdfast.kafka.coordinator.consumer.group import Owned
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.snapshot.snapshot import OWNED, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.target.group import group_of
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.json.codec import NAME, TEXT
from holdfast.rollout.json.record import codec_of, key, keyed, member, record

_OTHER_JAVA = Unknown(
    "broker_release",
    "a broker on Java 19 or later keeps sets of 12, 24, 48, … entries in another order, and may assign otherwise; this is what one"
    " on Java 17 or 18 does",
)


@record
class MemberPartitions:
    """What one member is to own."""

    member_id: str = key(NAME)
    partitions: tuple[TopicPartition, ...] = member(OWNED)


@record(version="1.0", about="The next target of a consumer group whose broker assigns.")
class ConsumerTarget:
    """The next target. `undetermined_partitions`: those whose owner depends on what no request shows; a quiet group has none.
    `unknown`: what the answer depends on and no request shows."""

    assignor: str = member(TEXT)
    members: tuple[MemberPartitions, ...] = member(keyed(codec_of(MemberPartitions)), "In the order of the Snapshot.")
    undetermined_partitions: tuple[TopicPartition, ...] = member(OWNED, default=())
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, default=(), omit=True)


ASSIGNMENT = codec_of(ConsumerTarget)
"""Reads, writes and describes it."""


def decide(snapshot: BrokerConsumerSnapshot) -> ConsumerTarget:
    """The target that the coordinator would compute now, as if something had raised the group's epoch.

    Raise CannotPredict where what decides is unknown, Unsupported for a release or an assignor that is not covered.
    """
    group = group_of(snapshot)
    found = target.assign(group)
    return ConsumerTarget(
        str(group.assignor),
        tuple(MemberPartitions(one.member_id, _sorted(one.owned)) for one in found.members),
        unknown=(_OTHER_JAVA,) if found.depends_on_java else (),
    )


def _sorted(owned: Owned) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(topic, number) for topic, numbers in sorted(owned) for number in sorted(numbers))
