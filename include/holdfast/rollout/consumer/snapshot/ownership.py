"""The reader of each partition, before a change and during its rebalances: what is unavailable, and what migrates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.election import chosen_assignor
from holdfast.kafka.consumer.group import Assignor, Group, LeaderFailure, Member
from holdfast.kafka.consumer.rebalances import Readers, readers_after
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.consumer.snapshot.snapshot import ConsumedTopic


def readers_now(group: Group, assigned: Sequence[Sequence[TopicPartition]] | None = None) -> Readers | None:
    """The assignment before anything is done. `assigned`: what each member was handed, if that is known. None: unknown.

    Range and roundrobin decide the same each time, so that a stable group has what they would decide now. Of the others the newest
    generation's report counts, and what two claim with the same right belongs to neither.
    """
    if assigned is not None:
        return _uncontested(zip((member.member_id for member in group.members), assigned, strict=True))
    try:
        assignor = chosen_assignor(group.members, group.broker_release)
        if assignor in (Assignor.RANGE, Assignor.ROUNDROBIN):
            return readers_after(leader.assign(group))
    except CannotPredict:
        return None
    if isinstance(assignor, LeaderFailure):
        return {}
    return _uncontested((member.member_id, member.owned) for member in _of_the_newest_generation(group.members))


def _uncontested(claims: Iterable[tuple[str, Sequence[TopicPartition]]]) -> Readers:
    reads: dict[TopicPartition, str] = {}
    contested: dict[TopicPartition, None] = {}
    for member_id, partitions in claims:
        for partition in partitions:
            if reads.setdefault(partition, member_id) != member_id:
                contested[partition] = None
    return {partition: reader for partition, reader in reads.items() if partition not in contested}


def _of_the_newest_generation(members: Iterable[Member]) -> list[Member]:
    found = list(members)
    newest = max((-1 if one.owned_generation is None else one.owned_generation for one in found), default=-1)
    return [one for one in found if one.owned_generation == newest or (newest == -1 and one.owned_generation is None)]


@dataclass(frozen=True, slots=True)
class OwnershipDifference:
    """Partitions that have another reader; `needless` of them went from one member to another that were both there all the time."""

    moved: int
    needless: int


def difference(before: Readers, after: Readers, staying: frozenset[str]) -> OwnershipDifference:
    """A partition that had no reader, or has none now because no member subscribes to it or it is gone, has not moved."""
    moved = [(old, after[one]) for one, old in before.items() if after.get(one, old) != old]
    return OwnershipDifference(len(moved), sum(old in staying and new in staying for old, new in moved))


def subscribed(members: Iterable[Member], topics: Iterable[ConsumedTopic]) -> int:
    """How many partitions there are to read."""
    wanted = frozenset[str]().union(*(member.subscription for member in members))
    return sum(len(topic.partitions) for topic in topics if topic.name in wanted)
