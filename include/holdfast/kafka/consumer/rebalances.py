"""The rebalances of a classic consumer group one after the other, until none is pending.

Java: `StickyAssignor.onAssignment` remembers what it was handed, `ConsumerCoordinator.onJoinComplete` makes it what a cooperative
member owns; RangeAssignor and RoundRobinAssignor remember nothing. Only the assignor that the coordinator picked hears of a round.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignment, Assignor, Group, LeaderFailure, Member, NextRebalance
from holdfast.kafka.vocabulary import TopicPartition

MOST_ROUNDS = 1_000
"""Without an end. A cooperative group needs two."""
Readers = Mapping[TopicPartition, str]
"""The member that reads a partition."""


@dataclass(frozen=True, slots=True)
class Rebalance:
    """`joined`: the members with what they reported; `members`: with what they would report next. `generation`: after it."""

    joined: tuple[Member, ...]
    decision: Assignment | LeaderFailure
    members: tuple[Member, ...]
    generation: int

    @property
    def is_last(self) -> bool:
        """Whether no member rejoins because of it."""
        if isinstance(self.decision, LeaderFailure):
            return False
        return not any(one.next_rebalance is NextRebalance.IMMEDIATE for one in self.decision.members)


class Unsettled(Exception):
    """Why the group does not become stable, in a sentence."""


def until_stable(group: Group, generation: int) -> Iterator[Rebalance]:
    """Every rebalance up to the one that is the last. Raise Unsettled after those that are decided, if there is none; and as
    `leader.assign` does."""
    seen: set[object] = set()
    for _ in range(MOST_ROUNDS):
        state = _state(group.members, generation)
        if state in seen:
            raise Unsettled("The group does not become stable: it returns to an earlier assignment, and keeps rebalancing.")
        seen.add(state)
        decision = leader.assign(group)
        if isinstance(decision, LeaderFailure):
            yield Rebalance(group.members, decision, group.members, generation)
            raise Unsettled(f"The leader itself fails: {decision.error}")
        generation += 1
        found = Rebalance(group.members, decision, after_round(group.members, decision, generation), generation)
        yield found
        if found.is_last:
            return
        group = replace(group, members=found.members)
    raise Unsettled(f"The group does not become stable within {MOST_ROUNDS:,} rebalances.")


def _state(members: tuple[Member, ...], newest: int) -> object:
    """What the next decision depends on. Generations are only compared with one another."""
    return tuple((member.owned, "newest" if member.owned_generation == newest else member.owned_generation) for member in members)


def first_generation(known: int | None, members: Iterable[Member]) -> int:
    """The generation that the group is in: the one known, and no older one than its members have seen."""
    return max([known or 0, *(member.owned_generation or 0 for member in members)])


def after_round(members: tuple[Member, ...], decision: Assignment, generation: int) -> tuple[Member, ...]:
    """The members with what they would report in the rebalance after this one, whose generation is `generation`.

    A member that has to give everything up before it joins owns nothing then; one with `sticky` in its list remembers, in its user
    data, what it was handed the last time that `sticky` was picked.
    """
    handed = {one.member_id: one.partitions for one in decision.members}
    return tuple(
        replace(member, owned=handed[member.member_id], owned_generation=generation)
        if decision.assignor is Assignor.STICKY or (decision.assignor is Assignor.COOPERATIVE_STICKY and member.cooperative)
        else member
        for member in members
    )


def readers_after(decision: Assignment | LeaderFailure) -> Readers:
    """The assignment after the round; empty if the leader fails."""
    if isinstance(decision, LeaderFailure):
        return {}
    return {partition: one.member_id for one in decision.members for partition in one.partitions}


def unavailable(reads: Readers, members: Iterable[Member]) -> tuple[TopicPartition, ...]:
    """The partitions that no one reads while these members join: those of members that are gone, restarted, or give up everything
    before they join. A cooperative member reads on."""
    reading_on = {member.member_id: frozenset(member.owned) for member in members if member.cooperative}
    return tuple(partition for partition, reader in reads.items() if partition not in reading_on.get(reader, ()))
