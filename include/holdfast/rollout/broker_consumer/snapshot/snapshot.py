"""A Snapshot of a consumer group whose broker assigns: `"protocol": "consumer"`, format 1.x; fields that are unknown are ignored.

One ConsumerGroupDescribe shows what decides. Members, subscribed topics and targets are in the order in which the broker lists
them: that order decides ties.
"""

from collections.abc import Iterable

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.kafka.consumer.group import Assignor as ClassicAssignor
from holdfast.kafka.consumer.group import Member as ClassicMember
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.json import strict
from holdfast.rollout.json.classic_members import ASSIGNORS, MEMBERS
from holdfast.rollout.json.codec import BOOLEAN, INSTANT, NAME, TEXT, Codec, integer, nullable, only
from holdfast.rollout.json.consumed_topics import PARTITIONS, SUBSCRIPTION, ConsumedPartition
from holdfast.rollout.json.fast_reader import TextReader
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, RELEASE, TOPIC_ID, TOPIC_PARTITIONS
from holdfast.rollout.json.record import codec_of, key, keyed, member, record

PROTOCOL = "consumer"
_EPOCH = integer(-2, java.INT_MAX)


def _each_once(partitions: tuple[TopicPartition, ...]) -> None:
    if len(dict.fromkeys(partitions)) < len(partitions):
        seen: set[TopicPartition] = set()
        for one in partitions:
            if one in seen:
                raise InvalidInput(f"partition {strict.shown(str(one))} is given twice")
            seen.add(one)


OWNED: Codec[tuple[TopicPartition, ...]] = TOPIC_PARTITIONS.checked(_each_once)


@record(closed=False)
class BrokerConsumer:
    """One member. `assignment`: what it has now, `target`: what it is to have; None: unknown. `member_type`: `classic` for a member
    of the classic protocol in a group that is moving; `assignors`: those that it lists, which no broker shows; empty: unknown."""

    member_id: str = key(NAME)
    client_id: str = member(TEXT, default="")
    host: str | None = member(nullable(TEXT), default=None)
    instance_id: str | None = member(nullable(NAME), default=None)
    rack: str | None = member(nullable(TEXT), default=None)
    member_epoch: int | None = member(nullable(_EPOCH), default=None)
    member_type: str | None = member(nullable(TEXT), default=None)
    assignors: tuple[ClassicAssignor, ...] = member(ASSIGNORS, "Of a classic member.", default=(), omit=True)
    subscription: tuple[str, ...] = member(SUBSCRIPTION, default=())
    subscription_regex: str | None = member(nullable(TEXT), default=None)
    assignment: tuple[TopicPartition, ...] | None = member(nullable(OWNED), default=None)
    target: tuple[TopicPartition, ...] | None = member(nullable(OWNED), default=None)


@record(closed=False)
class BrokerConsumedTopic:
    """A topic that exists, with its ID and its partitions from 0 on."""

    name: str = key(NAME)
    id: int = member(TOPIC_ID, "Kafka's Uuid; its hash code decides ties.")
    partitions: tuple[ConsumedPartition, ...] = member(PARTITIONS)


@record(closed=False)
class ClassicGroup:
    """What the leader of a group goes by that is still classic. None: unknown."""

    members: tuple[ClassicMember, ...] = member(MEMBERS, "In the order of the group's member list.")
    leader_member_id: str | None = member(nullable(NAME), default=None)


def _agrees(snapshot: "BrokerConsumerSnapshot") -> None:
    strict.refuse(_contradictions(snapshot))


def _contradictions(snapshot: "BrokerConsumerSnapshot") -> Iterable[InvalidInput]:
    """What no single field shows."""
    instances: set[str] = set()
    for one in snapshot.members:
        if one.instance_id is not None and one.instance_id in instances:
            yield InvalidInput(f"the instance ID {strict.shown(one.instance_id)} is given twice", "members")
        instances |= {one.instance_id} if one.instance_id is not None else set()
    topic_of: dict[int, str] = {}
    for topic in snapshot.topics:
        if topic.id in topic_of:
            both = f"{strict.shown(topic_of[topic.id])} and {strict.shown(topic.name)}"
            yield InvalidInput(f"{both} have the same ID; each topic has one of its own", "topics")
        topic_of[topic.id] = topic.name
    classic, there = snapshot.classic, {one.member_id for one in snapshot.members}
    if classic is not None and {one.member_id for one in classic.members} != there:
        yield InvalidInput("a group that is still classic has the same members as the group", "classic.members")
    if classic is not None and classic.leader_member_id is not None and classic.leader_member_id not in there:
        yield InvalidInput(f"{strict.shown(classic.leader_member_id)} is not among the members", "classic.leader_member_id")


@record(closed=False, version="1.0", contract="Snapshot", check=_agrees)
class BrokerConsumerSnapshot:
    """The group and its members, as one describe shows them, and the topics that they are subscribed to. None: unknown.

    A subscribed topic that is not in `topics` does not exist. Where members subscribe by regular expressions, `topics` has every
    topic that these match.
    """

    group_id: str = member(NAME)
    members: tuple[BrokerConsumer, ...] = member(keyed(codec_of(BrokerConsumer)), "In the order in which the broker lists them.")
    cluster: str = member(TEXT, default="")
    captured_at: str | None = member(nullable(INSTANT), default=None)
    protocol: str = member(only(PROTOCOL, "protocol"), default=PROTOCOL)
    broker_release: str | None = member(nullable(RELEASE), "The release of the group's coordinator.", default=None)
    client_release: str | None = member(
        nullable(RELEASE),
        "That of the members of the classic protocol; as soon as they assign it decides.",
        default=None,
        omit=True,
    )
    group_state: str | None = member(nullable(TEXT), default=None)
    group_epoch: int | None = member(nullable(_EPOCH), default=None)
    assignment_epoch: int | None = member(nullable(_EPOCH), default=None)
    assignor: str | None = member(nullable(NAME), "`uniform` or `range`.", default=None)
    config: tuple[tuple[str, ConfigValue], ...] = member(
        CONFIG, "The group's configs; others are the broker's defaults.", default=()
    )
    topics: tuple[BrokerConsumedTopic, ...] = member(keyed(codec_of(BrokerConsumedTopic)), default=())
    still_classic: bool = member(
        BOOLEAN, "True: a classic group still, that the first consumer which joins converts.", default=False, omit=True
    )
    classic: ClassicGroup | None = member(
        nullable(codec_of(ClassicGroup)), "Of a group that is still classic: what its leader goes by.", default=None, omit=True
    )
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, default=())

    @property
    def kafka_release(self) -> str | None:
        """The release that decides, as for every kind of group: here the broker's."""
        return self.broker_release


SNAPSHOT = codec_of(BrokerConsumerSnapshot)
"""Reads, writes and describes it."""
TEXTS = TextReader(SNAPSHOT)
