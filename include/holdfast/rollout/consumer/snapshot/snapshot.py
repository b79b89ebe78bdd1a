"""The Snapshot of a consumer group: its state at one moment. The JSON is in `consumer.snapshot.json`."""

from collections.abc import Iterable
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.group import Group, Member, Topic
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.json import strict
from holdfast.rollout.json.classic_members import GENERATION, MEMBERS, assigned_in, members_to_json
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, nullable, only
from holdfast.rollout.json.consumed_topics import PARTITIONS, ConsumedPartition
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, RELEASE, TOPIC_ID
from holdfast.rollout.json.record import codec_of, gathered, key, keyed, member, record

PROTOCOL = "consumer-classic"


@record(closed=False)
class ConsumedTopic:
    """A topic that exists, with its partitions from 0 on. `id`: it decides nothing as long as members assign; None: unknown."""

    name: str = key(NAME)
    partitions: tuple[ConsumedPartition, ...] = member(PARTITIONS)
    id: int | None = member(nullable(TOPIC_ID), "Kafka's Uuid.", default=None, omit=True)


def _broker_release(release: str) -> None:
    """Like `3.9.1`: its first number is what is asked of it."""
    if not release.partition(".")[0].isascii() or not release.partition(".")[0].isdigit():
        raise strict.mismatch("a release of Kafka like '3.9.1'", release)


PROTOCOL_NAME = only(PROTOCOL, "protocol")
_BROKER_RELEASE = NAME.checked(_broker_release).shaped({"type": "string", "pattern": r"^[0-9]+(\.|$)"})


def _members_to_json(snapshot: "ConsumerSnapshot") -> dict[str, Any]:
    return members_to_json(snapshot.members, snapshot.assigned)


def _agrees(snapshot: "ConsumerSnapshot") -> None:
    strict.refuse(_contradictions(snapshot))


def _contradictions(snapshot: "ConsumerSnapshot") -> Iterable[InvalidInput]:
    """What no single field shows."""
    if not snapshot.members:
        yield InvalidInput("a group has one member or more, none was found", "consumers")
    instances: dict[str, None] = {}
    for one in snapshot.members:
        if one.group_instance_id is not None:
            if one.group_instance_id in instances:
                yield InvalidInput(f"the group instance ID {strict.shown(one.group_instance_id)} is given twice", "consumers")
            instances[one.group_instance_id] = None
    leader = snapshot.leader_member_id
    if leader is not None and all(one.member_id != leader for one in snapshot.members):
        yield InvalidInput(f"{strict.shown(leader)} is not among the consumers; give null if it is unknown", "leader_member_id")


@record(
    closed=False,
    version=strict.FORMAT_VERSION,
    contract="Snapshot",
    check=_agrees,
    about="One consumer group without Kafka Streams at one moment. Fields that are not listed are ignored.",
)
class ConsumerSnapshot:
    """`members` are in the order of the group's member list, each with what it would report if the group rebalanced now.

    `kafka_release` is that of the members, `broker_release` that of their coordinator. None: unknown. `config`: settings of the
    consumers under Kafka's names; they decide no assignment, but when the group notices and where readers go on.
    `assigned`: what each member was handed in the last rebalance, in the order of `members`; None: what it owns,
    or unknown.
    """

    cluster: str = member(TEXT, absent="")
    group_id: str = member(NAME)
    captured_at: str | None = member(nullable(INSTANT), absent=None)
    protocol: str = member(PROTOCOL_NAME)
    group_state: str | None = member(nullable(TEXT), absent=None)
    kafka_release: str | None = member(nullable(RELEASE), "That of the clients.", absent=None)
    broker_release: str | None = member(nullable(_BROKER_RELEASE), "That of the coordinator: how it breaks ties.", absent=None)
    generation: int | None = member(GENERATION, absent=None)
    leader_member_id: str | None = member(nullable(NAME), "Null: unknown. One of the consumers.", absent=None)
    members: tuple[Member, ...] = member(
        MEMBERS, "By member ID, in the order of the group's member list.", name="consumers", write=_members_to_json
    )
    topics: tuple[ConsumedTopic, ...] = member(keyed(codec_of(ConsumedTopic)), absent=())
    config: tuple[tuple[str, ConfigValue], ...] = member(CONFIG, default=(), omit=True)
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, "What could not be read, each with its reason.", default=())
    assigned: tuple[tuple[TopicPartition, ...], ...] | None = gathered(assigned_in, default=None)

    def partitions_of(self, topic: str) -> int | None:
        """How many partitions that topic has. None: it is not among them."""
        return next((len(one.partitions) for one in self.topics if one.name == topic), None)

    def group(self, release: str) -> Group:
        """The leader's input, where every member runs this release."""
        return Group(
            release=release,
            members=self.members,
            topics=tuple(Topic(topic.name, tuple(one.replica_racks for one in topic.partitions)) for topic in self.topics),
            broker_release=self.broker_release,
            leader_member_id=self.leader_member_id,
        )
