"""The hash tables of a coordinator that hold topics and partitions, in the order in which it iterates them.

Java: `Assignment.fromRecord` (a target as the coordinator keeps it: `kept`), `AssignorHelpers.deepCopyAssignment` (`TopicTable`),
`ConsumerGroupMember` (subscribed names: `set_of_names`). 4.0.0 to 4.4.0.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from holdfast.kafka import java, java_hash
from holdfast.kafka.coordinator.consumer.group import Owned
from holdfast.kafka.java_table import Table

_FIRST_CAPACITY = 16
_MOST_KNOWN = 100
"""Partitions of a topic whose order is kept: that of more would take memory."""


@dataclass(frozen=True, slots=True)
class Copies:
    """`capacity`: the buckets that a Java gives a set that is made from a collection, by its size."""

    capacity: Callable[[int], int]


UNTIL_18 = Copies(java_hash.capacity_of_copy)
SINCE_19 = Copies(java_hash.capacity_of_copy_since_19)


def set_of_names(names: Iterable[str], copies: Copies) -> list[str]:
    """`new HashSet<>(list)` of strings, in iteration order."""
    given = list(dict.fromkeys(names))
    return java_hash.string_map_order(given, copies.capacity(len(given)))


def set_of_numbers(numbers: Iterable[int], copies: Copies) -> list[int]:
    """`new HashSet<>(list)` of partitions, in iteration order."""
    given = tuple(numbers)
    ordered = _known_order if len(given) <= _MOST_KNOWN else _order
    return list(ordered(given, copies.capacity(len(given))))


def _order(numbers: tuple[int, ...], capacity: int) -> tuple[int, ...]:
    return tuple(java_hash.hash_order(numbers, _number, _number, capacity))


_known_order = lru_cache(maxsize=4_096)(_order)
"""From one target of a course to the next most members keep what they had."""


def listed(owned: Owned, ids: Mapping[str, int], copies: Copies) -> Owned:
    """A target that a broker lists, as that broker has it. In the order of another Java's sets it is that of a broker on that
    Java."""
    found = {
        topic: numbers
        for topic, numbers in owned
        if depends_on_java(len(numbers)) and list(numbers) == set_of_numbers(numbers, SINCE_19)
    }
    return tuple((topic, found.get(topic, numbers)) for topic, numbers in kept(owned, ids, copies))


def depends_on_java(size: int) -> bool:
    """Whether a set that is made from a collection of that size has another number of buckets in Java 19 and later."""
    return UNTIL_18.capacity(size) != SINCE_19.capacity(size)


def kept(owned: Owned, ids: Mapping[str, int], copies: Copies) -> Owned:
    """A target as the coordinator has it in memory, once it has read its record. Topics without an ID are left out: they do not
    exist any more, and only make the table larger."""
    partitions = dict(owned)
    topics = [topic for topic in partitions if topic in ids]
    if len(topics) > 1:
        topics = topic_order(topics, ids, java_hash.buckets_after(len(partitions), len(topics)))
    return tuple((topic, tuple(set_of_numbers(partitions[topic], copies))) for topic in topics)


def topic_order(topics: Iterable[str], ids: Mapping[str, int], capacity: int) -> list[str]:
    """Topics that are put one after the other into a new table of topic IDs, in iteration order."""
    return java_hash.hash_order(
        topics, lambda topic: java.uuid_hash(ids[topic]), lambda topic: java.signed_halves(ids[topic]), capacity
    )


def bucket(topic_id: int, capacity: int) -> int:
    """The bucket of a topic in a table of topic IDs. Those of two buckets are in two of every larger table, too."""
    return java_hash.bits_of(java.uuid_hash(topic_id)) & (capacity - 1)


def _number(number: int) -> int:
    return number


class PartitionSet:
    """A `HashSet` of partitions that changes."""

    __slots__ = ("_numbers", "_table")

    def __init__(self, capacity: int, numbers: Iterable[int] = ()) -> None:
        self._table: Table[int] = Table(_number, capacity)
        self._numbers: set[int] = set()
        for number in numbers:
            self.add(number)

    def __iter__(self) -> Iterator[int]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, number: int) -> None:
        if number not in self._numbers:
            self._numbers.add(number)
            self._table.put(number, java_hash.bits_of(number))

    def remove(self, number: int) -> None:
        if number in self._numbers:
            self._numbers.remove(number)
            self._table.remove(number, java_hash.bits_of(number))


class TopicTable:
    """A copy of what a member had, by topic, that the assignor changes (`deepCopyAssignment`)."""

    __slots__ = ("_codes", "_ids", "_table", "_topics")

    def __init__(self, owned: Owned, ids: Mapping[str, int], copies: Copies) -> None:
        self._ids = ids
        self._table: Table[str] = Table(lambda topic: java.signed_halves(ids[topic]), 1 << max(len(owned) - 1, 0).bit_length())
        self._topics: dict[str, PartitionSet] = {}
        for topic, numbers in owned:
            self._table.put(topic, self._code(topic))
            self._topics[topic] = PartitionSet(copies.capacity(len(numbers)), numbers)

    def _code(self, topic: str) -> int:
        return java_hash.bits_of(java.uuid_hash(self._ids[topic]))

    def add(self, topic: str, number: int, capacity: int = _FIRST_CAPACITY) -> None:
        """`capacity`: the buckets of a set of partitions that is new."""
        self._table.make_room()
        if topic not in self._topics:
            self._table.compute(topic, self._code(topic))
            self._topics[topic] = PartitionSet(capacity)
        self._topics[topic].add(number)

    def remove(self, topic: str, number: int) -> None:
        partitions = self._topics.get(topic)
        if partitions is not None:
            partitions.remove(number)
            if not len(partitions):
                self.drop(topic)

    def drop(self, topic: str) -> None:
        if self._topics.pop(topic, None) is not None:
            self._table.remove(topic, self._code(topic))

    def recorded(self) -> Owned:
        """As the coordinator writes it."""
        return tuple((topic, tuple(self._topics[topic])) for topic in self._table)
