"""What keeps a classic group from moving to a new protocol: as values, and in words.

Java: `KafkaStreams.throwIfUnsupportedFeatureIsUsedWithStreamsRebalanceProtocol`, `StreamsConfig.verifyStreamsProtocolCompatibility`
(4.2 to 4.3.1), `GroupMetadataManager.getOrMaybeCreatePersistedStreamsGroup` (KAFKA-20254).
"""

from collections.abc import Iterable
from enum import StrEnum

from holdfast.rollout.json.codec import TEXT, choice, items
from holdfast.rollout.json.record import codec_of, member, record


class Prevents(StrEnum):
    """Clients or brokers refuse the move: `BROKER_TOO_OLD`, `BROKER_LOSES_GROUP` (KAFKA-20254), `CLIENT_TOO_OLD`, `STATIC_MEMBERS`,
    `NAMED_TOPOLOGIES`, `SOURCE_PATTERNS`, `MISSING_TOPICS`, `PARTITIONS`, `STANDBYS`.

    They accept the move and ignore what the application uses: those of `IGNORED`.

    Of a consumer group that is to have `group.protocol=consumer`: `CONSUMER_BROKER_TOO_OLD`, `CONSUMER_CLIENT_TOO_OLD`,
    `CONSUMER_SETTINGS` (`ConsumerConfig.CONSUMER_PROTOCOL_UNSUPPORTED_CONFIGS`, 4.3.1: the client does not start with them).
    """

    BROKER_TOO_OLD = "broker_too_old"
    BROKER_LOSES_GROUP = "broker_loses_group"
    CLIENT_TOO_OLD = "client_too_old"
    STATIC_MEMBERS = "static_members"
    NAMED_TOPOLOGIES = "named_topologies"
    SOURCE_PATTERNS = "source_patterns"
    MISSING_TOPICS = "missing_topics"
    PARTITIONS = "partitions"
    STANDBYS = "standbys"
    CLIENT_TAGS = "client_tags"
    RACK_AWARE = "rack_aware"
    TASK_ASSIGNOR = "task_assignor"
    CONSUMER_BROKER_TOO_OLD = "consumer_broker_too_old"
    CONSUMER_CLIENT_TOO_OLD = "consumer_client_too_old"
    CONSUMER_SETTINGS = "consumer_settings"


IGNORED = (Prevents.CLIENT_TAGS, Prevents.RACK_AWARE, Prevents.TASK_ASSIGNOR)
"""Features that no covered coordinator has: the application starts, and does without. A request may give them up by name."""

_WORDS = {
    Prevents.BROKER_TOO_OLD: "the broker runs Kafka {reason}: group.protocol=streams is ready for production from 4.2 on (4.1 has"
    " an early version, older brokers have none). Upgrade the brokers first",
    Prevents.BROKER_LOSES_GROUP: "the broker runs Kafka {reason}: 4.2.0 cannot load a group again that was moved while its"
    " committed offsets were kept (KAFKA-20254). Upgrade the brokers to 4.2.1 or later first",
    Prevents.CLIENT_TOO_OLD: "the clients run Kafka Streams {reason}: group.protocol=streams is ready for production from 4.2 on."
    " Upgrade the clients first, or give the release of the build that they start with (kafka_release)",
    Prevents.STATIC_MEMBERS: "it has static members (group.instance.id; {reason}): brokers and clients before 4.4 refuse them"
    " with group.protocol=streams. Remove group.instance.id",
    Prevents.NAMED_TOPOLOGIES: "a state directory has named topologies ({reason}): KafkaStreams refuses them with"
    " group.protocol=streams",
    Prevents.SOURCE_PATTERNS: "its topology subscribes to topics by a pattern: KafkaStreams refuses that with"
    " group.protocol=streams",
    Prevents.MISSING_TOPICS: "source topics are missing ({reason}): the coordinator answers MISSING_SOURCE_TOPICS and assigns"
    " nothing. Create them first",
    Prevents.PARTITIONS: "internal topics have other numbers of partitions than their subtopologies need ({reason}): the"
    " coordinator answers INCORRECTLY_PARTITIONED_TOPICS and assigns nothing",
    Prevents.STANDBYS: "it has {reason} standby replicas, and brokers allow 2 (group.streams.max.standby.replicas): give the number"
    " that it is to have (config: streams.num.standby.replicas)",
    Prevents.CLIENT_TAGS: "it places standbys by client tags (rack.aware.assignment.tags={reason}): no coordinator up to 4.4 does",
    Prevents.RACK_AWARE: "it assigns by racks (rack.aware.assignment.strategy={reason}): no coordinator up to 4.4 does",
    Prevents.TASK_ASSIGNOR: "it has a task assignor of its own ({reason}): with group.protocol=streams the coordinator assigns, and"
    " ignores it",
    Prevents.CONSUMER_BROKER_TOO_OLD: "the broker runs Kafka {reason}: group.protocol=consumer is ready for production from 4.0 on."
    " Upgrade the brokers first",
    Prevents.CONSUMER_CLIENT_TOO_OLD: "the clients run Kafka {reason}: group.protocol=consumer is ready for production from 4.0 on."
    " Upgrade the clients first",
    Prevents.CONSUMER_SETTINGS: "its consumers set {reason}: with group.protocol=consumer none starts with them. Remove"
    " them; session and heartbeat become configs of the group",
}


@record
class Prevention:
    """`reason`: what was found: a release, members, topics, a setting's value."""

    kind: Prevents = member(choice(Prevents))
    reason: str = member(TEXT, default="", omit=True)


PREVENTIONS = items(codec_of(Prevention))


def sentence(one: Prevention) -> str:
    """With how to do without it, where a request may give it up; without its full stop."""
    said = _WORDS[one.kind].format(reason=one.reason)
    return f"{said} (to do without it, give it in gives_up: {one.kind})" if one.kind in IGNORED else said


def sentences(found: Iterable[Prevention]) -> str:
    return "; ".join(map(sentence, found))
