"""ConsumerGroupDescribe (key 69), versions 0 and 1: what a coordinator says of consumer groups that it assigns. Kafka 4.0 to 4.4.

Java: the generated `ConsumerGroupDescribeResponseData`. Version 1 (4.1) adds each member's type. Kafka's own schema is what the
request is written by (`adapters/broker/messages`).
"""

from dataclasses import dataclass

from holdfast.kafka.coordinator.consumer.group import Owned
from holdfast.kafka.wire.compact import CompactReader

API_KEY = 69
LATEST_VERSION = 1
_UUID_BYTES = 16
_SMALLEST_GROUP = 2 + 1 + 1 + 1 + 4 + 4 + 1 + 1 + 4 + 1
_SMALLEST_MEMBER = 1 + 1 + 1 + 4 + 1 + 1 + 1 + 1 + 2 + 2 + 1
_SMALLEST_TOPIC = _UUID_BYTES + 1 + 1 + 1
_TYPES = {-1: "unknown", 0: "classic", 1: "consumer"}


@dataclass(frozen=True, slots=True)
class DescribedConsumer:
    """One member. `assignment`: what it has now; `target`: what it is to have; `member_type`: None before version 1."""

    member_id: str
    instance_id: str | None
    rack_id: str | None
    member_epoch: int
    client_id: str
    client_host: str
    subscription: tuple[str, ...]
    regex: str | None
    assignment: Owned
    target: Owned
    member_type: str | None


@dataclass(frozen=True, slots=True)
class DescribedConsumerGroup:
    """A group, or the error instead of it. Members, and their topics and partitions, are in the order in which the coordinator goes
    through them."""

    error_code: int
    error_message: str | None
    group_id: str
    state: str
    group_epoch: int
    assignment_epoch: int
    assignor: str
    members: tuple[DescribedConsumer, ...]
    authorized_operations: int


def decode_response(data: bytes, version: int = 0) -> tuple[DescribedConsumerGroup, ...]:
    """The groups of a response's body, without its header. Raise MalformedBytes."""
    reader = CompactReader(data, "ConsumerGroupDescribeResponse")
    reader.int32("the throttle time")
    groups = reader.array(_SMALLEST_GROUP, "groups", lambda one: _group(one, version))
    reader.end_of_structure()
    reader.end()
    return groups


def _group(reader: CompactReader, version: int) -> DescribedConsumerGroup:
    group = DescribedConsumerGroup(
        error_code=reader.int16("an error code"),
        error_message=reader.compact_nullable_string("an error message"),
        group_id=reader.compact_string("a group ID"),
        state=reader.compact_string("a group's state"),
        group_epoch=reader.int32("a group epoch"),
        assignment_epoch=reader.int32("an assignment epoch"),
        assignor=reader.compact_string("the assignor"),
        members=reader.array(_SMALLEST_MEMBER, "members", lambda one: _member(one, version)),
        authorized_operations=reader.int32("authorized operations"),
    )
    reader.end_of_structure()
    return group


def _member(reader: CompactReader, version: int) -> DescribedConsumer:
    member = DescribedConsumer(
        member_id=reader.compact_string("a member ID"),
        instance_id=reader.compact_nullable_string("an instance ID"),
        rack_id=reader.compact_nullable_string("a rack"),
        member_epoch=reader.int32("a member epoch"),
        client_id=reader.compact_string("a client ID"),
        client_host=reader.compact_string("a client host"),
        subscription=reader.strings("subscribed topics"),
        regex=reader.compact_nullable_string("a regular expression"),
        assignment=_owned(reader),
        target=_owned(reader),
        member_type=_TYPES.get(reader.int8("a member's type"), "unknown") if version >= 1 else None,
    )
    reader.end_of_structure()
    return member


def _owned(reader: CompactReader) -> Owned:
    owned = reader.array(_SMALLEST_TOPIC, "topics", _topic)
    reader.end_of_structure()
    return owned


def _topic(reader: CompactReader) -> tuple[str, tuple[int, ...]]:
    reader.take(_UUID_BYTES, "a topic ID")
    found = reader.compact_string("a topic"), reader.numbers("partitions")
    reader.end_of_structure()
    return found
