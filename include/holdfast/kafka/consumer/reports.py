"""What the leader of a sticky group reads from its members: subscriptions, owned partitions, generations.

Java: `StickyAssignor.memberData`, `CooperativeStickyAssignor.memberData`, and `ConsumerProtocol` for the order on the wire.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.kafka import java, java_hash
from holdfast.kafka.consumer.group import Member
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.vocabulary import TopicPartition

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
    """Every member's report, in the order of a HashMap of the member IDs: the order in which the leader reads them."""
    by_id = {member.member_id: member for member in members}
    ranks = {member_id: rank for rank, member_id in enumerate(sorted(by_id, key=java.string_order))}
    ordered = java_hash.hash_order(by_id, java.string_hash, java.string_order)
    return [_report(by_id[member_id], ranks[member_id], line, cooperative=cooperative) for member_id in ordered]


def _report(member: Member, rank: int, line: Behaviour, *, cooperative: bool) -> Report:
    said = NO_GENERATION if member.owned_generation is None else member.owned_generation
    generation: int | None
    if cooperative:
        owned = member.owned if member.cooperative else ()
        owned = tuple(sorted(owned, key=_wire_order)) if line.owned_sorted_on_wire else grouped_by_topic(owned)
        generation = said if line.cooperative_generation else None
    else:
        owned = grouped_by_topic(member.owned)
        generation = said if member.owned or member.owned_generation is not None else None
    return Report(member.member_id, rank, frozenset(member.subscription), owned, generation, said, member.rack or None)


def _wire_order(partition: TopicPartition) -> tuple[bytes, int]:
    return java.string_order(partition.topic), partition.partition


def grouped_by_topic(partitions: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
    """Topic by topic in the order of a HashMap, each with its numbers as they came: `CollectionUtils.groupPartitionsByTopic`.

    It asks `computeIfAbsent`, which puts a new key before those that are in its bucket already.
    """
    groups: dict[str, list[TopicPartition]] = {}
    for partition in partitions:
        groups.setdefault(partition.topic, []).append(partition)
    topics = java_hash.hash_order(reversed(groups), java.string_hash, java.string_order)
    return tuple(partition for topic in topics for partition in groups[topic])


def subscribed_alike(reports: Sequence[Report]) -> tuple[bool, int]:
    """Whether the leader takes all subscriptions for equal, and how many members come before the first that is not.

    `AbstractStickyAssignor.allSubscriptionsEqual`: the first subscription that is not empty is what the others are compared with,
    so that members without any that come before it do not count.
    """
    topics: frozenset[str] = frozenset()
    for index, report in enumerate(reports):
        if not topics:
            topics = report.topics
        elif report.topics != topics:
            return False, index
    return True, len(reports)
