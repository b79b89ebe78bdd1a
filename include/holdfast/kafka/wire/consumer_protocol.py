"""The envelope that every classic consumer group shares: what a member subscribes to and what it is handed.

Java: `ConsumerProtocolSubscription` and `ConsumerProtocolAssignment` (2.4 to 4.3; up to 3.3 members send version 1,
from 3.4 on version 3).
A newer version only appends, so it is read with the last layout that is known.
"""

from dataclasses import dataclass

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.buffer import Reader, Writer
from holdfast.kafka.wire.decode_cache import remembered

LATEST_SUBSCRIPTION_VERSION = 3
LATEST_ASSIGNMENT_VERSION = 3
"""The layout of an assignment is the same in versions 0 to 3."""


@dataclass(frozen=True, slots=True)
class ConsumerProtocolSubscription:
    """What a member sends when it joins. `generation_id` -1 and `rack_id` None: the version does not carry them, or none is set."""

    version: int
    topics: tuple[str, ...]
    user_data: bytes | None = None
    owned: tuple[TopicPartition, ...] = ()
    generation_id: int = -1
    rack_id: str | None = None


@dataclass(frozen=True, slots=True)
class ConsumerProtocolAssignment:
    """What a member is handed. The partitions are in the order of the wire, grouped by topic."""

    version: int
    partitions: tuple[TopicPartition, ...]
    user_data: bytes | None = None


@remembered
def decode_subscription(data: bytes) -> ConsumerProtocolSubscription:
    """Raise MalformedBytes where `data` is not a subscription."""
    reader = Reader(data, "ConsumerProtocolSubscription")
    version = _version(reader)
    topics = tuple(reader.string("a topic") for _ in range(reader.count(2, "topics")))
    user_data = reader.nullable_bytes("the user data")
    return ConsumerProtocolSubscription(
        version,
        topics,
        user_data,
        owned=reader.topic_partitions("owned partitions") if version >= 1 else (),
        generation_id=reader.int32("the generation") if version >= 2 else -1,
        rack_id=reader.nullable_string("the rack") if version >= 3 else None,
    )


def encode_subscription(subscription: ConsumerProtocolSubscription) -> bytes:
    """Raise Unsupported for a version that is unknown."""
    writer = _writer(subscription.version, LATEST_SUBSCRIPTION_VERSION)
    writer.int32(len(subscription.topics))
    for topic in subscription.topics:
        writer.string(topic)
    writer.nullable_bytes(subscription.user_data)
    if subscription.version >= 1:
        writer.topic_partitions(subscription.owned)
    if subscription.version >= 2:
        writer.int32(subscription.generation_id)
    if subscription.version >= 3:
        writer.nullable_string(subscription.rack_id)
    return writer.result()


@remembered
def decode_assignment(data: bytes) -> ConsumerProtocolAssignment:
    """Raise MalformedBytes where `data` is not an assignment. No bytes at all are an empty assignment, as for Kafka's clients."""
    if not data:
        return ConsumerProtocolAssignment(0, ())
    reader = Reader(data, "ConsumerProtocolAssignment")
    version = _version(reader)
    partitions = reader.topic_partitions("assigned partitions")
    return ConsumerProtocolAssignment(version, partitions, reader.nullable_bytes("the user data"))


def encode_assignment(assignment: ConsumerProtocolAssignment) -> bytes:
    """Raise Unsupported for a version that is unknown."""
    writer = _writer(assignment.version, LATEST_ASSIGNMENT_VERSION)
    writer.topic_partitions(assignment.partitions)
    writer.nullable_bytes(assignment.user_data)
    return writer.result()


def _version(reader: Reader) -> int:
    version = reader.int16("the version")
    if version < 0:
        raise reader.malformed(f"there is no version {version}")
    return version


def _writer(version: int, latest: int) -> Writer:
    if not 0 <= version <= latest:
        raise Unsupported(f"cannot write version {version} of the consumer protocol; known are 0 to {latest}")
    writer = Writer()
    writer.int16(version)
    return writer
