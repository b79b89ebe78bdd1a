"""Completed rebalances from the broker's own topic `__consumer_offsets`: the only place where the leader shows.

Read without a group, so that nothing of ours is written, and from its end backwards: the topic of a busy cluster is large.
"""

from datetime import UTC, datetime
from typing import Any

from kafka import KafkaConsumer
from kafka import TopicPartition as KafkaTopicPartition

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.session import KafkaSession, translated
from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka.wire import group_metadata
from holdfast.kafka.wire.group_metadata import StoredGroup
from holdfast.rollout.snapshot import Generation, GenerationMember, Unknown

TOPIC = "__consumer_offsets"
_LATEST_RECORDS = 200_000
_POLL_MS = 500
_SHARE_OF_TIME = 0.6
"""Of what is left: the generations are worth having, and not worth failing for."""


def generations(session: KafkaSession, group_id: str) -> tuple[tuple[Generation, ...], tuple[Unknown, ...]]:
    """What is there of the last 200,000 records, oldest first. Raise ClusterTrouble without the right to read the topic."""
    what = f"reading {TOPIC} for {group_id!r}"
    seconds = _SHARE_OF_TIME * session.deadline.remaining_s()
    with translated(what):
        return session.deadline.within(what, lambda: _read(session, group_id, seconds))


def _read(session: KafkaSession, group_id: str, seconds: float) -> tuple[tuple[Generation, ...], tuple[Unknown, ...]]:
    limit = Deadline(seconds)
    timeout_ms = max(1_000, int(1000 * seconds))
    consumer = KafkaConsumer(
        **session.connection.settings(),
        group_id=None,
        enable_auto_commit=False,
        exclude_internal_topics=False,
        request_timeout_ms=timeout_ms,
        bootstrap_timeout_ms=timeout_ms,
    )
    try:
        return _history(consumer, group_id, limit)
    finally:
        consumer.close(autocommit=False, timeout_ms=1000)


def _history(consumer: Any, group_id: str, limit: Deadline) -> tuple[tuple[Generation, ...], tuple[Unknown, ...]]:
    partitions = consumer.partitions_for_topic(TOPIC)
    if not partitions:
        raise ClusterTrouble(f"{TOPIC} cannot be read: it is not there, or this user lacks DESCRIBE and READ on it")
    home = KafkaTopicPartition(TOPIC, group_metadata.partition_for(group_id, len(partitions)))
    consumer.assign([home])
    first = consumer.beginning_offsets([home])[home]
    end = consumer.end_offsets([home])[home]
    start = max(first, end - _LATEST_RECORDS)
    consumer.seek(home, start)
    found: dict[int, Generation] = {}
    unknown: list[Unknown] = []
    if start > first:
        unknown.append(Unknown("generations", f"only the last {_LATEST_RECORDS} records of {TOPIC}-{home.partition} were read"))
    while consumer.position(home) < end:
        if limit.passed():
            reached = consumer.position(home)
            unknown.append(Unknown("generations", f"{TOPIC}-{home.partition} was read up to {reached} of {end} only: time was up"))
            return (), tuple(unknown)
        for record in consumer.poll(timeout_ms=_POLL_MS).get(home, ()):
            _take(record, group_id, found, unknown)
    return tuple(found.values()), tuple(unknown)


def _take(record: Any, group_id: str, found: dict[int, Generation], unknown: list[Unknown]) -> None:
    """Note what `record` says about the group. A record without a value: the group was deleted, and counts anew from 1."""
    try:
        if not record.key or group_metadata.decode_key(bytes(record.key)) != group_id:
            return
        if record.value is None:
            found.clear()
            return
        stored = group_metadata.decode_value(bytes(record.value))
    except HoldfastError as refusal:
        unknown.append(Unknown("generations", f"the record at offset {record.offset} of {TOPIC}: {refusal}"))
        return
    if any(member.assignment for member in stored.members):
        found.pop(stored.generation, None)
        found[stored.generation] = _generation(stored, record.timestamp)


def _generation(stored: StoredGroup, written_at_ms: int) -> Generation:
    moment = stored.state_timestamp_ms if stored.state_timestamp_ms is not None else written_at_ms
    members = tuple(
        GenerationMember(
            member.member_id,
            member.client_id,
            member.client_host,
            member.group_instance_id,
            member.subscription,
            member.assignment,
        )
        for member in stored.members
    )
    completed_at = datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Generation(stored.generation, completed_at, stored.leader, stored.protocol, members)
