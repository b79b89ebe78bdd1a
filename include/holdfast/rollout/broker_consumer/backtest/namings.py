"""The names that the topics of a question may have, where no record says which name is which ID's.

All that names decide is the order of topics whose IDs share a bucket (`hash_tables.topic_order`), and so the order in which
partitions are given that no member had. Other topics need not change names.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice, permutations, product

from holdfast.kafka.coordinator.consumer import hash_tables
from holdfast.kafka.coordinator.consumer.group import Assignor
from holdfast.rollout.broker_consumer.backtest.question import ConsumerTargetQuestion, Partitions, PastConsumer

MOST = 24
"""Of one question that are tried."""
Names = Mapping[str, str]


def namings(question: ConsumerTargetQuestion) -> Iterator[Names]:
    """The names of its topics by those in the question: first the same ones, then one more for each order that may have been."""
    if question.names_known or question.assignors == (Assignor.RANGE,):
        yield {}
        return
    buckets = _buckets(question)
    before = list(chain.from_iterable(buckets))
    for after in product(*(islice(permutations(names), MOST + 1) for names in buckets)):
        yield {old: new for old, new in zip(before, chain.from_iterable(after), strict=True) if old != new}


def _buckets(question: ConsumerTargetQuestion) -> list[list[str]]:
    """The topics with partitions that no member had, by bucket of the smallest table that they may be in."""
    had = Counter(one.topic for one in {one for member in question.members for one in member.target})
    capacity = hash_tables.SINCE_19.capacity(len(question.topics))
    found: dict[int, list[str]] = {}
    for one in question.topics:
        if had[one.name] < one.partitions:
            found.setdefault(hash_tables.bucket(one.id, capacity), []).append(one.name)
    return list(found.values())


def renamed(question: ConsumerTargetQuestion, names: Names) -> ConsumerTargetQuestion:
    """Topics that `names` does not have keep theirs."""
    if not names:
        return question

    def partitions(found: Partitions) -> Partitions:
        return tuple(one._replace(topic=names.get(one.topic, one.topic)) for one in found)

    def member(one: PastConsumer) -> PastConsumer:
        return replace(one, given=partitions(one.given), target=partitions(one.target))

    return replace(
        question,
        topics=tuple(replace(one, name=names.get(one.name, one.name)) for one in question.topics),
        members=tuple(map(member, question.members)),
    )
