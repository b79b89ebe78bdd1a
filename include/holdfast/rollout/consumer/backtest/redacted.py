"""A question about a consumer group without names: the same always by the same, in the same order.

Hash codes of names decide too: the sticky assignors read members in the order of a HashMap. Those of members are kept. Those of
topics are not, for their names could be guessed: an answer may be another one, and is judged again, with another `seed`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from holdfast.errors import MalformedBytes
from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire import consumer_protocol, sticky_user_data
from holdfast.rollout.backtest.generation import GenerationMember
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion
from holdfast.rollout.redaction.numbered import numbered, with_hash_codes


def redacted(question: ConsumerQuestion, seed: int = 0) -> ConsumerQuestion:
    """Raise MalformedBytes where its members cannot be read."""
    members = question.generation.members
    joined = [consumer_protocol.decode_subscription(one.subscription) for one in members]
    topics = {name for name, _ in question.topics} | {topic for one in joined for topic in one.topics}
    names = _Names(
        topic=numbered("topic", topics, seed),
        member=with_hash_codes("member", (one.member_id for one in members)),
        host=numbered("host", (one.client_host for one in members), seed),
        client=numbered("client", (one.client_id for one in members), seed),
        instance=numbered("instance", (one.group_instance_id or "" for one in members), seed),
        rack=numbered("rack", (one.rack_id or "" for one in joined), seed),
    )
    leader = question.generation.leader_member_id
    generation = replace(
        question.generation,
        leader_member_id=None if leader is None else names.member.get(leader, "leader"),
        members=tuple(_member(one, names, question.generation.protocol or "") for one in members),
    )
    return replace(
        question, topics=tuple(sorted((names.topic[name], count) for name, count in question.topics)), generation=generation
    )


class _Names:
    def __init__(self, **kinds: Mapping[str, str]) -> None:
        self.topic, self.member, self.host = kinds["topic"], kinds["member"], kinds["host"]
        self.client, self.instance, self.rack = kinds["client"], kinds["instance"], kinds["rack"]

    def partitions(self, partitions: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
        return tuple(TopicPartition(self.topic.get(one.topic, "topic-0"), one.partition) for one in partitions)


def _member(member: GenerationMember, names: _Names, protocol: str) -> GenerationMember:
    envelope = consumer_protocol.decode_subscription(member.subscription)
    handed = consumer_protocol.decode_assignment(member.assignment)
    sent = consumer_protocol.encode_subscription(
        replace(
            envelope,
            topics=tuple(names.topic[topic] for topic in envelope.topics),
            owned=names.partitions(envelope.owned),
            user_data=_user_data(envelope.user_data, names, protocol),
            rack_id=None if envelope.rack_id is None else names.rack[envelope.rack_id],
        )
    )
    return GenerationMember(
        names.member[member.member_id],
        names.client[member.client_id],
        names.host[member.client_host],
        None if member.group_instance_id is None else names.instance[member.group_instance_id],
        sent,
        consumer_protocol.encode_assignment(replace(handed, partitions=names.partitions(handed.partitions), user_data=None)),
        member.session_timeout_ms,
    )


def _user_data(data: bytes | None, names: _Names, protocol: str) -> bytes | None:
    """That of the sticky assignors holds partitions, or a generation; that of others decides nothing."""
    if not data:
        return data
    try:
        if protocol == Assignor.STICKY:
            found = sticky_user_data.decode_sticky(data)
            return sticky_user_data.encode_sticky(names.partitions(found.partitions), found.generation)
        if protocol == Assignor.COOPERATIVE_STICKY:
            return sticky_user_data.encode_cooperative_sticky(sticky_user_data.decode_cooperative_sticky(data))
    except MalformedBytes:
        return b""  # a leader cannot read it either
    return None
