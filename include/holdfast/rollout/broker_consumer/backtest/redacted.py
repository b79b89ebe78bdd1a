"""A question about a consumer group without names: members, instances, topics and expressions are replaced, the same always by the
same.

Hash codes of members and topics decide ties: they are kept. Topic IDs are random, and no names.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.backtest.question import ConsumerTargetQuestion, PastConsumer
from holdfast.rollout.redaction.numbered import numbered, with_hash_codes

Names = Mapping[str, str]


def redacted(question: ConsumerTargetQuestion) -> ConsumerTargetQuestion:
    members = with_hash_codes("member", (one.member_id for one in question.members))
    topics = with_hash_codes("topic", _topics(question))
    instances = numbered("instance", (one.instance_id for one in question.members if one.instance_id is not None))
    regexes = {one for one in (*(each.regex for each in question.members), *(each.regex for each in question.expressions)) if one}
    patterns = numbered("pattern", regexes)

    def renamed(one: PastConsumer) -> PastConsumer:
        return replace(
            one,
            member_id=members[one.member_id],
            given=_partitions(one.given, topics),
            target=_partitions(one.target, topics),
            subscription=tuple(topics[each] for each in one.subscription),
            regex=None if one.regex is None else patterns[one.regex],
            instance_id=None if one.instance_id is None else instances[one.instance_id],
        )

    return replace(
        question,
        members=tuple(map(renamed, question.members)),
        topics=tuple(replace(one, name=topics[one.name]) for one in question.topics),
        expressions=tuple(
            replace(one, regex=patterns[one.regex], topics=tuple(topics[each] for each in one.topics))
            for one in question.expressions
        ),
    )


def _topics(question: ConsumerTargetQuestion) -> set[str]:
    found = {one.name for one in question.topics}
    for each in question.members:
        found |= {*each.subscription, *(one.topic for one in (*each.given, *each.target))}
    return found.union(*(one.topics for one in question.expressions))


def _partitions(found: Iterable[TopicPartition], topics: Names) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(topics[one.topic], one.partition) for one in found)
