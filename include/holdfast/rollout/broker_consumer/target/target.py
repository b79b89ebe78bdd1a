"""`holdfast assign` for a consumer group whose broker assigns: the target that its coordinator would compute now."""

from collections.abc import Iterable
from functools import lru_cache

from holdfast.kafka.coordinator.consumer import target
from holdfast.kafka.coordinator.consumer.group import Assignor, Owned
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.snapshot.snapshot import OWNED, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.target.group import group_of
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.json.codec import NAME, TEXT
from holdfast.rollout.json.record import codec_of, key, keyed, member, record

BothOrders = tuple[tuple[TopicPartition, ...], tuple[TopicPartition, ...]]
"""As the coordinator keeps them, and sorted."""
_MOST_KNOWN = 100
"""Partitions of a member that are kept: more would take memory."""
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
    return as_target(group.assignor, found.members, depends_on_java=found.depends_on_java)


def as_target(
    assignor: Assignor,
    members: Iterable[tuple[str, Owned]],
    undetermined: tuple[TopicPartition, ...] = (),
    *,
    depends_on_java: bool = False,
) -> ConsumerTarget:
    """`members`: what each is to own, in the order of the answer."""
    return ConsumerTarget(
        str(assignor),
        tuple(MemberPartitions(member_id, _either_order(owned)[1]) for member_id, owned in members),
        undetermined,
        (_OTHER_JAVA,) if depends_on_java else (),
    )


def each_partition(owned: Owned) -> tuple[TopicPartition, ...]:
    """In the order in which the coordinator keeps them."""
    return _either_order(owned)[0]


def _either_order(owned: Owned) -> BothOrders:
    return (_known if sum(len(numbers) for _, numbers in owned) <= _MOST_KNOWN else _made)(owned)


def _made(owned: Owned) -> BothOrders:
    found = tuple(TopicPartition(topic, number) for topic, numbers in owned for number in numbers)
    return found, tuple(sorted(found))


_known = lru_cache(maxsize=2_048)(_made)
"""From one target of a course to the next most members keep what they had."""
