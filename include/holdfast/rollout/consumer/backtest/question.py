"""A recorded rebalance of a consumer group as a question with a known answer: complete in itself."""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer.group import Assignor, Group, Member, Topic
from holdfast.kafka.consumer.joining import decode
from holdfast.kafka.consumer.reports import grouped_by_topic
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire import consumer_protocol
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL
from holdfast.rollout.json.codec import NAME, TEXTS, integer, table
from holdfast.rollout.json.record import codec_of, member, record

MOST_PARTITIONS = 1_000_000
"""Of one topic, in the file of a mismatch."""


@record(version="1.0", about="One recorded rebalance of a consumer group, and what its leader's decision depended on.")
class ConsumerQuestion:
    """`releases`: one of each line of releases that the leader may have run. `topics`: how many partitions each had."""

    protocol: str = member(NAME)
    releases: tuple[str, ...] = member(TEXTS)
    topics: tuple[tuple[str, int], ...] = member(table(NAME, integer(0, MOST_PARTITIONS)))
    generation: Generation = member(codec_of(Generation))


MOST_GAPS = 1_000
"""Partitions of a topic that no member has, next to three for each that one has: beyond that a record is damaged."""


def of(releases: tuple[str, ...], generation: Generation) -> ConsumerQuestion:
    """Raise MalformedBytes, and CannotPredict where the number of partitions is not certain. A leader assigns every partition, and
    withholds those that another member owns: so the records show how many there were.
    """
    counts: dict[str, int] = {}
    seen: dict[str, set[int]] = {}
    for one in generation.members:
        owned = consumer_protocol.decode_subscription(one.subscription)
        handed = consumer_protocol.decode_assignment(one.assignment)
        for partition in (*owned.owned, *handed.partitions):
            counts[partition.topic] = max(counts.get(partition.topic, 0), partition.partition + 1)
            seen.setdefault(partition.topic, set()).add(partition.partition)
    for topic, count in counts.items():
        if count > 4 * len(seen[topic]) + MOST_GAPS:
            raise CannotPredict(f"members have {len(seen[topic]):,} partitions of a topic, and one is number {count - 1:,}")
    return ConsumerQuestion(PROTOCOL, releases, tuple(sorted(counts.items())), generation)


def group_of(question: ConsumerQuestion, release: str) -> Group:
    """As its leader saw it. Raise MalformedBytes. The records name the assignor that was used, not the others of each member."""
    generation = question.generation
    assignor = Assignor(generation.protocol or "")
    members = tuple(_member(one.member_id, one.subscription, assignor, one.group_instance_id) for one in generation.members)
    topics = tuple(Topic(name, ((),) * count) for name, count in question.topics)
    return Group(release, members, topics, leader_member_id=generation.leader_member_id)


def _member(member_id: str, subscription: bytes, assignor: Assignor, instance: str | None) -> Member:
    found = decode(subscription, member_id, assignor)
    owned = as_the_member_had_it(found.owned)
    return replace(found, owned=owned, group_instance_id=instance)


def as_the_member_had_it(sent: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
    """An order of what a member owned that it sends in this order (`kafka.consumer.reports`): the model takes the member's.

    Topics in one bucket of the HashMap that they are grouped by come out in the opposite order.
    """
    topics: dict[str, list[TopicPartition]] = {}
    for partition in sent:
        topics.setdefault(partition.topic, []).append(partition)
    opposite = tuple(partition for topic in reversed(topics) for partition in topics[topic])
    return opposite if grouped_by_topic(opposite) == sent else sent


def handed(question: ConsumerQuestion) -> dict[str, frozenset[TopicPartition]]:
    """What the leader really sent. Raise MalformedBytes."""
    return {
        one.member_id: frozenset(consumer_protocol.decode_assignment(one.assignment).partitions)
        for one in question.generation.members
    }
