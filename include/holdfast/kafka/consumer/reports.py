"""What the leader of a sticky group reads from its members: subscriptions, owned partitions, generations.

Java: `StickyAssignor.memberData`, `CooperativeStickyAssignor.memberData`, and `ConsumerProtocol` for the order on the wire.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

from holdfast.kafka import java, java_hash
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.vocabulary import TopicPartition

_ONE_TOO_MANY = frozenset(12 * 2**doubled + 1 for doubled in range(20))
"""This many keys are more than a table of 16, 32, … buckets should hold."""

NO_GENERATION = -1
"""`AbstractStickyAssignor.DEFAULT_GENERATION`."""


@dataclass(frozen=True, slots=True)
class Report:
    """One member's. `rank` is its place among all by member ID; `generation` None: its user data says none."""

    member_id: str
    rank: int
    topics: frozenset[str]
    owned: tuple[TopicPartition, ...]
    generation: int | None
    envelope_generation: int
    rack: str | None


def in_hash_order(members: Sequence[Member], line: Behaviour, *, cooperative: bool) -> list[Report]:
    """Every member's report, in the order of a HashMap of the member IDs: the order in which the leader reads them.

    What each owns is in the member's order, see `in_sent_order`.
    """
    by_id = {member.member_id: member for member in members}
    ranks = {member_id: rank for rank, member_id in enumerate(sorted(by_id, key=java.string_order))}
    ordered = java_hash.hash_order(by_id, java.string_hash, java.string_order)
    reports: list[Report] = []
    before: tuple[str, ...] = ()
    topics: frozenset[str] = frozenset()
    for member_id in ordered:
        member = by_id[member_id]
        if member.subscription != before:
            before, topics = member.subscription, frozenset(member.subscription)
        reports.append(_report(member, ranks[member_id], topics, line, cooperative=cooperative))
    return reports


def in_sent_order(reports: Sequence[Report], line: Behaviour, *, cooperative: bool) -> list[Report]:
    """The reports with what each owns in the order in which it is read, which is not the order in which the member has it."""
    if cooperative and line.owned_sorted_on_wire:
        return [replace(report, owned=_as_on_wire(report.owned)) if report.owned else report for report in reports]
    grouping = Grouping(map(itemgetter(0), chain.from_iterable(report.owned for report in reports)))
    return [replace(report, owned=grouping(report.owned)) if report.owned else report for report in reports]


def _report(member: Member, rank: int, topics: frozenset[str], line: Behaviour, *, cooperative: bool) -> Report:
    owned_generation = NO_GENERATION if member.owned_generation is None else member.owned_generation
    generation: int | None
    if cooperative:
        owned = member.owned if member.cooperative else ()
        generation = owned_generation if line.cooperative_generation else None
    else:
        owned = member.owned
        generation = owned_generation if member.owned or member.owned_generation is not None else None
    return Report(member.member_id, rank, topics, owned, generation, owned_generation, member.rack or None)


def _as_on_wire(owned: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
    """By topic and number. ASCII sorts as Java sorts it, and there may be a million of them."""
    if all(map(str.isascii, frozenset(map(itemgetter(0), owned)))):
        return tuple(sorted(owned))
    return tuple(sorted(owned, key=_wire_order))


def _wire_order(partition: TopicPartition) -> tuple[bytes, int]:
    return java.string_order(partition.topic), partition.partition


class Grouping:
    """Topic by topic in the order of a HashMap, each with its numbers as they came: `CollectionUtils.groupPartitionsByTopic`.

    It asks `computeIfAbsent`, which puts a new key before those that are in its bucket already, and makes the table larger only
    with the next question: never, if the topic that is one too many comes with the last partition.
    """

    def __init__(self, topics: Iterable[str]) -> None:
        """`topics`: all that will ever be asked for, each as often as one likes."""
        self._names = list(dict.fromkeys(topics))
        self._number = {topic: number for number, topic in enumerate(self._names)}
        self._order = java_hash.SubsetOrder([java.string_hash(topic) for topic in self._names])

    def __call__(self, partitions: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        if not partitions:
            return partitions
        groups: dict[str, list[TopicPartition]] = {}
        for partition in partitions:
            groups.setdefault(partition[0], []).append(partition)
        newest_first = list(reversed(groups))
        last = partitions[-1].topic
        if len(groups) in _ONE_TOO_MANY and last == newest_first[0] and len(groups[last]) == 1:
            mask = len(groups) // 3 * 4 - 1
            ordered = [groups[topic] for topic in sorted(newest_first, key=lambda topic: _spread(topic) & mask)]
        else:
            ordered = [groups[self._names[number]] for number in self._order([self._number[topic] for topic in newest_first])]
        return tuple(chain.from_iterable(ordered))


def grouped_by_topic(partitions: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
    """The same for one list."""
    return Grouping(one.topic for one in partitions)(partitions)


def _spread(text: str) -> int:
    """The hash code of a string as a HashMap uses it."""
    code = java.string_hash(text) & 0xFFFFFFFF
    return code ^ (code >> 16)


def subscribed_alike(reports: Sequence[Report]) -> tuple[bool, int]:
    """Whether the leader takes all subscriptions for equal, and how many members come before the first that is not.

    `AbstractStickyAssignor.allSubscriptionsEqual`: the first subscription that is not empty is what the others are compared with,
    so that members without any that come before it do not count.
    """
    topics: frozenset[str] = frozenset()
    for index, report in enumerate(reports):
        if not topics:
            topics = report.topics
        elif report.topics is not topics and report.topics != topics:
            return False, index
    return True, len(reports)
