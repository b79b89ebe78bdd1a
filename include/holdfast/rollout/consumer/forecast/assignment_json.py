"""The JSON of a consumer group's Assignment: the leader's decision in one rebalance, or its failure. They know none themselves."""

from collections.abc import Iterable
from typing import cast

from holdfast.kafka import java
from holdfast.kafka.consumer.group import Assignment, Assignor, LeaderFailure, MemberAssignment, NextRebalance
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.codec import NAME, TEXT, Codec, either
from holdfast.rollout.json.kafka_codecs import TOPIC_PARTITIONS
from holdfast.rollout.json.record import key, keyed, member, record_of
from holdfast.rollout.json.unions import where_there


def _sorted(partitions: Iterable[TopicPartition]) -> list[object]:
    """By topic and number, as Java sorts strings."""
    found = list(partitions)
    if not found:
        return []
    if all(one.topic.isascii() for one in found):
        return kafka.topic_partitions_to_json(sorted(found))
    return kafka.topic_partitions_to_json(sorted(found, key=lambda one: (java.string_order(one.topic), one.partition)))


_PARTITIONS: Codec[tuple[TopicPartition, ...]] = Codec(TOPIC_PARTITIONS.read, _sorted, TOPIC_PARTITIONS.shape)
_MEMBER = record_of(
    MemberAssignment,
    closed=False,
    member_id=key(NAME),
    partitions=member(_PARTITIONS),
    withheld=member(_PARTITIONS),
    revoked=member(_PARTITIONS),
    next_rebalance=member(either(NextRebalance, "none or immediate")),
)
_DECIDED = record_of(
    Assignment,
    closed=False,
    version=strict.FORMAT_VERSION,
    assignor=member(either(Assignor, f"one of {', '.join(Assignor)}"), "The one that the coordinator picks."),
    members=member(keyed(_MEMBER), name="consumers"),
)
_FAILED = record_of(LeaderFailure, closed=False, version=strict.FORMAT_VERSION, error=member(TEXT))
ASSIGNMENT = where_there(
    ("error",),
    LeaderFailure,
    _FAILED,
    _DECIDED,
    "What the leader decides in one rebalance; `error` where it would fail.",
)


def consumer_assignment_to_json(decision: Assignment | LeaderFailure) -> dict[str, object]:
    return cast("dict[str, object]", ASSIGNMENT.write(decision))


def consumer_assignment_from_json(value: object) -> Assignment | LeaderFailure:
    """The inverse, but for the leader's order. Raise InvalidInput, or Unsupported for another major version."""
    return ASSIGNMENT.read(value)
