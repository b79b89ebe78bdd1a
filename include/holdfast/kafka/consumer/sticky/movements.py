"""Which partitions have moved between which members. Java: `AbstractStickyAssignor.PartitionMovements`.

A partition that would go from B to A while another of its topic went from A to B is left alone: that other one goes back.
"""

from holdfast.kafka import java
from holdfast.kafka.consumer.space import Space

_FIRST_CAPACITY = 16
_CROWDED = 9
_TREE_CAPACITY = 64

Pair = tuple[int, int]
"""From, to: members by rank."""


class Movements:
    def __init__(self, space: Space) -> None:
        self._space = space
        self._hash_of_topic = [java.string_hash(topic) for topic in space.topics]
        self._pair_of: dict[int, Pair] = {}
        self._moved: dict[int, dict[Pair, _Partitions]] = {}
        """By topic and pair."""

    def move(self, code: int, source: int, target: int) -> None:
        """Note a move. One that moved before has moved from where it came first; back there, it has not moved at all."""
        topic = self._space.place(code)
        before = self._pair_of.pop(code, None)
        if before is not None:
            of_topic = self._moved[topic]
            of_topic[before].remove(code)
            if not of_topic[before]:
                del of_topic[before]
            if not of_topic:
                del self._moved[topic]
            source = before[0]
            if source == target:
                return
        pair = source, target
        self._pair_of[code] = pair
        self._moved.setdefault(topic, {}).setdefault(pair, _Partitions()).add(code, self._hash(code))

    def instead_of(self, code: int, source: int, target: int) -> int:
        """The partition to move where `code` should go from `source` to `target`."""
        of_topic = self._moved.get(self._space.place(code))
        if of_topic is None:
            return code
        before = self._pair_of.get(code)
        back = target, source if before is None else before[0]
        return of_topic[back].first() if back in of_topic else code

    def _hash(self, code: int) -> int:
        """As a HashMap spreads `TopicPartition.hashCode`."""
        number = self._space.number(code)
        whole = (31 * (31 + number) + self._hash_of_topic[self._space.place(code)]) & 0xFFFFFFFF
        return whole ^ (whole >> 16)


class _Partitions:
    """A `HashSet` of partitions of one topic, of which only the first is ever asked for.

    Where nine meet in one of 64 buckets or more, Java makes a tree of it. That takes nine numbers that are equal in all low bits,
    in one small set: it is not modelled.
    """

    def __init__(self) -> None:
        self._spread: dict[int, int] = {}
        self._capacity = _FIRST_CAPACITY

    def __bool__(self) -> bool:
        return bool(self._spread)

    def add(self, code: int, spread: int) -> None:
        self._spread[code] = spread
        if self._capacity < _TREE_CAPACITY and len(self._spread) >= _CROWDED:
            mask = self._capacity - 1
            if sum(other & mask == spread & mask for other in self._spread.values()) >= _CROWDED:
                self._capacity *= 2
        if len(self._spread) > self._capacity * 3 // 4:
            self._capacity *= 2

    def remove(self, code: int) -> None:
        del self._spread[code]

    def first(self) -> int:
        mask = self._capacity - 1
        return min(self._spread, key=lambda code: self._spread[code] & mask)
