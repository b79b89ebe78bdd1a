"""The Snapshot of a consumer group: its state at one moment. The JSON is in `consumer.snapshot.json`."""

from dataclasses import dataclass

from holdfast.kafka.consumer.group import Group, Member, Topic
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.contract.unknown import Unknown
from holdfast.rollout.json.kafka import ConfigValue


@dataclass(frozen=True, slots=True)
class ConsumedPartition:
    """`replica_racks`: one entry a replica, None where a broker has no rack. An offset that is None is not known.

    `committed_offset` is the group's own. `uncommitted`: it has none there, as somebody has seen who asked.
    """

    replica_racks: tuple[str | None, ...] = ()
    begin_offset: int | None = None
    end_offset: int | None = None
    committed_offset: int | None = None
    uncommitted: bool = False


@dataclass(frozen=True, slots=True)
class ConsumedTopic:
    """A topic that exists, with its partitions from 0 on."""

    name: str
    partitions: tuple[ConsumedPartition, ...]


@dataclass(frozen=True, slots=True)
class ConsumerSnapshot:
    """`members` stand in the order of the group's member list, each with what it would report if the group rebalanced now.

    `kafka_release` is that of the members, `broker_release` that of their coordinator. None: not known. `config`: settings of the
    consumers under Kafka's names; they decide no assignment, but when the group notices and where readers go on.
    `assigned`: what each member was handed in the last rebalance, in the order of `members`; None: what it owns,
    or not known.
    """

    cluster: str
    group_id: str
    captured_at: str | None
    group_state: str | None
    kafka_release: str | None
    broker_release: str | None
    generation: int | None
    leader_member_id: str | None
    members: tuple[Member, ...]
    topics: tuple[ConsumedTopic, ...]
    unknown: tuple[Unknown, ...] = ()
    config: tuple[tuple[str, ConfigValue], ...] = ()
    assigned: tuple[tuple[TopicPartition, ...], ...] | None = None

    def group(self, release: str) -> Group:
        """The leader's input, where every member runs this release."""
        return Group(
            release=release,
            members=self.members,
            topics=tuple(Topic(topic.name, tuple(one.replica_racks for one in topic.partitions)) for topic in self.topics),
            broker_release=self.broker_release,
            leader_member_id=self.leader_member_id,
        )
