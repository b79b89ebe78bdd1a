"""A completed rebalance with other names: the bytes that members sent and were sent, decoded, renamed and encoded again.

Endpoints, and who has which partition at which endpoint, are left out: they decide nothing.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from holdfast.errors import Unsupported
from holdfast.kafka.vocabulary import ProcessId, TopicPartition
from holdfast.kafka.wire import assignment_info, consumer_protocol, subscription_info, tasks
from holdfast.kafka.wire.assignment_info import AssignmentInfo
from holdfast.kafka.wire.consumer_protocol import ConsumerProtocolSubscription
from holdfast.kafka.wire.subscription_info import SubscriptionInfo
from holdfast.rollout.backtest.generation import Generation, GenerationMember
from holdfast.rollout.redaction.found import Found, Role


class Renaming(Protocol):
    """What stands for a name in its role."""

    def of(self, role: Role, name: str) -> str: ...

    def process(self, process_id: ProcessId) -> ProcessId: ...


def take(found: Found, generation: Generation) -> None:
    """The names in it. Raise MalformedBytes or Unsupported where a member cannot be read; then some names may have been taken."""
    found.add(Role.MEMBER, generation.leader_member_id)
    for one in generation.members:
        envelope, info = _joined(one)
        handed = consumer_protocol.decode_assignment(one.assignment)
        found.add(Role.MEMBER, one.member_id)
        found.add(Role.CLIENT, one.client_id)
        found.add(Role.INSTANCE, one.group_instance_id)
        found.add(Role.HOST, one.client_host)
        found.add(Role.RACK, envelope.rack_id)
        found.add(Role.PROCESS, str(info.process_id))
        for tag, value in info.client_tags:
            found.add(Role.TAG, tag)
            found.add(Role.TAG_VALUE, value)
        sent = _sent(handed.user_data)
        standby = () if sent is None else (partition for _, partitions in sent.standby for partition in partitions)
        found.add(Role.TOPIC, *envelope.topics, *(each.topic for each in (*envelope.owned, *handed.partitions, *standby)))


def renamed(generation: Generation, names: Renaming) -> Generation:
    leader = generation.leader_member_id
    return replace(
        generation,
        leader_member_id=None if leader is None else names.of(Role.MEMBER, leader),
        members=tuple(_member(one, names) for one in generation.members),
    )


def _member(member: GenerationMember, names: Renaming) -> GenerationMember:
    return GenerationMember(
        names.of(Role.MEMBER, member.member_id),
        names.of(Role.CLIENT, member.client_id),
        names.of(Role.HOST, member.client_host),
        _maybe(Role.INSTANCE, member.group_instance_id, names),
        _subscription(member, names),
        _assignment(member, names),
        member.session_timeout_ms,
    )


def _subscription(member: GenerationMember, names: Renaming) -> bytes:
    envelope, info = _joined(member)
    tags = tuple((names.of(Role.TAG, tag), names.of(Role.TAG_VALUE, value)) for tag, value in info.client_tags)
    process = names.process(info.process_id)
    sent = subscription_info.encode(replace(info, process_id=process, user_endpoint=None, client_tags=tags))
    return consumer_protocol.encode_subscription(
        replace(
            envelope,
            topics=tuple(names.of(Role.TOPIC, topic) for topic in envelope.topics),
            owned=_partitions(envelope.owned, names),
            user_data=sent,
            rack_id=_maybe(Role.RACK, envelope.rack_id, names),
        )
    )


def _assignment(member: GenerationMember, names: Renaming) -> bytes:
    envelope = consumer_protocol.decode_assignment(member.assignment)
    sent, info = envelope.user_data, _sent(envelope.user_data)
    if info is not None:
        standby = tuple((task, _partitions(partitions, names)) for task, partitions in info.standby)
        sent = assignment_info.encode(
            replace(info, standby=standby, partitions_by_host=(), standby_partitions_by_host=(), topic_dictionary=())
        )
    return consumer_protocol.encode_assignment(
        replace(envelope, partitions=_partitions(envelope.partitions, names), user_data=sent)
    )


def _joined(member: GenerationMember) -> tuple[ConsumerProtocolSubscription, SubscriptionInfo]:
    envelope = consumer_protocol.decode_subscription(member.subscription)
    info = subscription_info.decode(envelope.user_data or b"")
    if not isinstance(info, SubscriptionInfo):
        raise Unsupported(f"a member joined with metadata version {info.version}, which is unknown")
    for task, _ in info.task_offset_sums:
        tasks.plain(task)
    return envelope, info


def _sent(user_data: bytes | None) -> AssignmentInfo | None:
    """None: nothing was sent."""
    if not user_data:
        return None
    info = assignment_info.decode(user_data)
    if not isinstance(info, AssignmentInfo):
        raise Unsupported(f"a member was assigned tasks in metadata version {info.version}, which is unknown")
    for task in (*info.active, *(task for task, _ in info.standby)):
        tasks.plain(task)
    return info


def _maybe(role: Role, name: str | None, names: Renaming) -> str | None:
    return None if name is None else names.of(role, name)


def _partitions(partitions: Iterable[TopicPartition], names: Renaming) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(names.of(Role.TOPIC, one.topic), one.partition) for one in partitions)
