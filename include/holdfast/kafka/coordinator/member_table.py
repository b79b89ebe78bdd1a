"""The order in which a coordinator goes through the members of a group: that of its `TimelineHashMap`.

Java: `org.apache.kafka.timeline.BaseHashTable` and `SnapshottableHashTable.CurrentIterator` (4.2.0 to 4.4.0). Slots ascend by the
highest bits of the hash, multiplied by Knuth's constant; within a slot the iterator goes backwards, so that a new member is the
first of its slot. The table only grows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, Self

from holdfast.kafka import java, java_hash

_SMALLEST_BITS = 1
_LARGEST_BITS = 30
Move = tuple[str, bool]
"""A member's ID, and whether it joins; else it leaves."""
_KNUTH = -7046029254386353131 & (2**64 - 1)


@lru_cache(maxsize=2**16)
def _place(member_id: str) -> int:
    """`findSlot` before the shift: the slot is its highest bits."""
    return java.string_hash(member_id) * _KNUTH & (2**64 - 1)


def _bits_for(entries: int) -> int:
    """log2 of the slots after `entries` entries have been added one by one: a load of more than 4/3 doubles the table."""
    bits = _SMALLEST_BITS
    while entries * 3 > 4 << bits and bits < _LARGEST_BITS:
        bits += 1
    return bits


class Filling(NamedTuple):
    """The members in the order in which they are put into the assignor's map, and how many it has at once, at most."""

    order: tuple[str, ...]
    most: int

    def in_map(self) -> list[str]:
        """The members as the assignor goes through them."""
        return java_hash.string_map_order(self.order, java_hash.buckets_after(self.most, len(self.order)))


def filled(others: Iterable[str], last: str, replaced: str | None) -> Filling:
    """The target is computed in the heartbeat with which `last` joins. The member in whose place it comes is still among those that
    the coordinator has: a map of the two changes says which of them is made first (`TargetAssignmentBuilder.build`)."""
    order = (*others, last)
    both = replaced is not None and java_hash.string_map_order([last, replaced])[0] == last
    return Filling(order, len(order) + both)


@dataclass(frozen=True, slots=True)
class MemberTable:
    """`joined`: the members, the first to join first. `bits`: log2 of the slots; None: the order that was listed is none that such
    a table can have, so that it is kept, and new members come after it."""

    joined: tuple[str, ...]
    bits: int | None

    @classmethod
    def listed(cls, member_ids: Iterable[str]) -> Self:
        """The table that lists these members so. A coordinator that had more members once may have a larger one: nothing shows it.

        An update of a member asks for room as a new one does, and every member is updated after it has joined.
        """
        there = tuple(member_ids)
        for entries in (len(there) + 1, len(there)):
            table = cls(there[::-1], _bits_for(entries))
            if table.order() == there:
                return table
        return cls(there[::-1], None)

    @classmethod
    def possible(cls, joined: Sequence[str], most: int) -> Iterator[Self]:
        """Every table that may hold these members. `joined`: the first to join first. `most`: how many there may have been at once:
        a table that has grown stays so, until another broker becomes the coordinator and reads the members anew."""
        there = tuple(joined)
        for bits in range(_bits_for(len(there)), _bits_for(max(most, len(there)) + 1) + 1):
            yield cls(there, bits)

    @staticmethod
    def bits_for(entries: int) -> int:
        """log2 of the slots of a table into which that number of members has been put one by one."""
        return _bits_for(entries)

    @staticmethod
    def slot_of(member_id: str, bits: int) -> int:
        """The slot of a member in a table of that many."""
        return _place(member_id) >> (64 - bits)

    def slots(self) -> tuple[tuple[str, ...], ...]:
        """The members of each slot, in the order in which they are gone through."""
        if self.bits is None:
            return tuple((one,) for one in self.order())
        shift = 64 - self.bits
        return tuple(tuple(slot) for _, slot in groupby(self.order(), key=lambda one: _place(one) >> shift))

    def order(self) -> tuple[str, ...]:
        """As `Map.forEach` goes through it, and as StreamsGroupDescribe lists it."""
        backwards = self.joined[::-1]
        if self.bits is None:
            return backwards
        shift = 64 - self.bits
        return tuple(sorted(backwards, key=lambda one: _place(one) >> shift))

    def after(self, moves: Iterable[Move]) -> Self:
        """After members have joined and left, one after the other."""
        joined = dict.fromkeys(self.joined)
        bits = self.bits
        for member_id, joins in moves:
            if not joins:
                joined.pop(member_id, None)
                continue
            joined[member_id] = None
            if bits is not None:
                bits = max(bits, _bits_for(len(joined) + 1))
        there = tuple(joined)
        if bits is None:
            there = (*(one for one in reversed(there) if one not in self.joined), *(one for one in there if one in self.joined))
        return type(self)(there, bits)
