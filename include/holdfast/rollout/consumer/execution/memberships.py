"""How long each member is in a consumer group in the course of a change: from the event that brings it to the one that ends it.

A change may name one ID twice, where a consumer restarts under an unknown one: each stay is one of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.kafka.consumer.group import Member
from holdfast.rollout.consumer.change.change import ConsumerItem
from holdfast.rollout.consumer.events.parts import new_consumer
from holdfast.rollout.consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.batches import Then


@dataclass(frozen=True, slots=True)
class Stay:
    """`joined`, `left`: the numbers of the events that bring the member and end it. None: it was there before; it stays."""

    member: Member
    joined: int | None = None
    left: int | None = None

    @property
    def member_id(self) -> str:
        return self.member.member_id

    @property
    def passes(self) -> bool:
        """Whether it comes and is gone again: no snapshot afterwards has it."""
        return self.joined is not None and self.left is not None

    def meets(self, other: "Stay") -> bool:
        """Whether both are in the group at one time."""
        return not (_over_before(self, other) or _over_before(other, self))


def _over_before(one: Stay, other: Stay) -> bool:
    return one.left is not None and other.joined is not None and one.left < other.joined


def stays(basis: ConsumerSnapshot, items: Sequence[ConsumerItem]) -> list[Stay]:
    """Those that are there, in their order, then those that join, in theirs. `items` fit the group."""
    found = [Stay(member) for member in basis.members]
    now = {one.member_id: number for number, one in enumerate(found)}
    for index, item in enumerate(items):
        for old, new in () if isinstance(item, Then) else item.swaps():
            before = now.pop(old, None) if old is not None else None
            if before is not None:
                found[before] = replace(found[before], left=index)
            if new is not None:
                joining = None if isinstance(item, Then) else item.joining()
                was = None if before is None else found[before].member
                now[new] = len(found)
                found.append(Stay(new_consumer.made(joining or NewConsumer(new), was), joined=index))
    return found
