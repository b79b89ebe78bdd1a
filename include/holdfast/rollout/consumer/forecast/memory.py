"""The reports of a consumer group's members from one rebalance to the next.

Java: `StickyAssignor.onAssignment` remembers what it was handed, `ConsumerCoordinator.onJoinComplete` makes it what a cooperative
member owns; RangeAssignor and RoundRobinAssignor remember nothing. Only the assignor that the coordinator picked hears of a round.
"""

from collections.abc import Iterable
from dataclasses import replace

from holdfast.kafka.consumer.group import Assignment, Assignor, Member


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
