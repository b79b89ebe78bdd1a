"""The order in which Java iterates a `HashMap` or `HashSet` (OpenJDK 8 and later).

A table of buckets, doubled beyond three quarters of its size; within a bucket the order of insertion. Where nine entries meet in
one bucket, a table below 64 buckets doubles early and a larger one turns the bucket into a red-black tree, whose list order is no
longer that of insertion: a task's hash is regular enough (`0_0`, `0_64`, `0_128`, …) for that to happen in real groups.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from holdfast.kafka import java
from holdfast.kafka.java_table import TREEIFY, Table

_K = TypeVar("_K")

_FIRST_CAPACITY = 16


def buckets_after(entries: int, left: int) -> int:
    """The buckets of a table into which that number of entries was put one by one; `left`: how many of them stay.

    For a new table, to be filled with those that stay. Where all do, it begins small and grows as Java's does: a crowded bucket may
    double it sooner."""
    capacity = _FIRST_CAPACITY
    if entries > left:
        while entries > capacity * 3 // 4:
            capacity *= 2
    return capacity


def hash_order(
    keys: Iterable[_K], hash_code: Callable[[_K], int], rank: Callable[[_K], Any], capacity: int = _FIRST_CAPACITY
) -> list[_K]:
    """The distinct keys, put one after the other into a new HashSet, in iteration order.

    `rank` orders as the key's `compareTo`; it matters only in tree buckets. `capacity`: the buckets that the set begins with.
    """
    keys = list(keys)
    buckets = _last_buckets([bits_of(hash_code(key)) for key in keys], capacity)
    if buckets is None:
        return list(_filled(keys, hash_code, rank, capacity))
    return [keys[number] for number in sorted(range(len(keys)), key=buckets.__getitem__)]


def grows_trees(keys: Iterable[_K], hash_code: Callable[[_K], int], rank: Callable[[_K], Any], capacity: int) -> bool:
    """Whether a bucket of that set is a tree: only then does a removal change the order of what stays (`hash_order_without`)."""
    return _filled(keys, hash_code, rank, capacity).has_trees


def hash_order_without(
    keys: Iterable[_K],
    removed: Iterable[_K],
    hash_code: Callable[[_K], int],
    rank: Callable[[_K], Any],
    capacity: int = _FIRST_CAPACITY,
) -> list[_K]:
    """What is left of that set, in iteration order, once one key after the other was removed from it. An iterator's `remove` is no
    such removal: it leaves the order alone."""
    table = _filled(keys, hash_code, rank, capacity)
    for key in removed:
        table.remove(key, bits_of(hash_code(key)))
    return list(table)


def order_of_computed(
    calls: Iterable[_K], hash_code: Callable[[_K], int], rank: Callable[[_K], Any], capacity: int = _FIRST_CAPACITY
) -> list[_K]:
    """The keys for which `computeIfAbsent` of a new HashMap was called one after the other, in iteration order (Java 9 and later).

    Unlike `put` it makes a new entry the first of its bucket, and counts eight entries of a bucket as too many, not nine. A table
    that is too full is doubled at the next call and not at once, even where that call is for a key that is there already.
    """
    table = Table(rank, capacity)
    known: set[_K] = set()
    for key in calls:
        table.make_room()
        if key not in known:
            known.add(key)
            table.compute(key, bits_of(hash_code(key)))
    return list(table)


def string_map_order(texts: Sequence[str], capacity: int = _FIRST_CAPACITY) -> list[str]:
    """`hash_order` of distinct strings, and quicker where no bucket is crowded."""
    return _string_order(texts, texts, capacity, computed=False)


def string_order_of_computed(calls: Sequence[str], capacity: int = _FIRST_CAPACITY) -> list[str]:
    """`order_of_computed` of strings, and quicker where no bucket is crowded."""
    return _string_order(list(dict.fromkeys(calls)), calls, capacity, computed=True)


@lru_cache(maxsize=2**16)
def spread(text: str) -> int:
    """`HashMap.hash` of a string, unsigned: its low bits are its bucket. A forecast asks for the same IDs again and again."""
    return bits_of(java.string_hash(text))


def bits_of(code: int) -> int:
    """What Java makes of a hash code to find its bucket (`HashMap.hash`), unsigned."""
    code &= 0xFFFFFFFF
    return code ^ (code >> 16)


def _filled(keys: Iterable[_K], hash_code: Callable[[_K], int], rank: Callable[[_K], Any], capacity: int) -> Table[_K]:
    table = Table(rank, capacity)
    for key in keys:
        table.put(key, bits_of(hash_code(key)))
    return table


def _string_order(texts: Sequence[str], calls: Sequence[str], capacity: int, *, computed: bool) -> list[str]:
    size = len(texts)
    waits = computed and size > 0 and calls.index(texts[-1]) == len(calls) - 1  # no call came after the last new key
    buckets = _last_buckets(list(map(spread, texts)), capacity, crowded=TREEIFY - computed, waits=waits)
    if buckets is None:
        order = order_of_computed if computed else hash_order
        return order(calls, java.string_hash, java.string_order, capacity)
    numbers = range(size - 1, -1, -1) if computed else range(size)
    return [texts[number] for number in sorted(numbers, key=buckets.__getitem__)]


def _last_buckets(codes: Sequence[int], capacity: int, *, crowded: int = TREEIFY, waits: bool = False) -> list[int] | None:
    """The bucket of each key once all are in the table. `crowded`: entries of a bucket that are too many; `waits`: the last one
    does not double the table. None: a bucket was crowded before that, so that the order is no longer that of buckets alone."""
    while True:
        full = capacity * 3 // 4 + 1
        mask = capacity - 1
        if len(codes) >= crowded and _most_in_a_bucket([code & mask for code in codes[:full]]) >= crowded:
            return None
        if len(codes) < full + waits:
            return [code & mask for code in codes]
        capacity *= 2


def capacity_of_copy(size: int) -> int:
    """The buckets of `new HashSet<>(collection)`. Java 8 to 18; later ones take a smaller table where `size` is 12, 24, 48, …"""
    return _power_of_two(max(size * 4 // 3 + 1, _FIRST_CAPACITY))


def capacity_of_copy_since_19(size: int) -> int:
    """The same in Java 19 and later (`HashMap.newHashMap`)."""
    return _power_of_two(-(-max(size, 12) * 4 // 3))


def capacity_after_put_all(size: int) -> int:
    """The buckets of a new HashMap after `putAll`. Java 8 to 18, as above."""
    return _power_of_two(size * 4 // 3 + 1)


def depends_on_java(size: int) -> bool:
    """Whether Java 19 and later make a table of another size for a copy of `size` entries."""
    return size > 0 and _power_of_two(size * 4 // 3 + 1) != _power_of_two(-(-size * 4 // 3))


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


class SubsetOrder:
    """The same for many subsets of the numbers 0, 1, …, whose hash codes are given once."""

    def __init__(self, hash_codes: Sequence[int]) -> None:
        self._hash_codes = hash_codes
        self._codes = list(map(bits_of, hash_codes))
        self._buckets: dict[int, tuple[list[int], bool]] = {}

    def __call__(self, numbers: list[int]) -> list[int]:
        """The numbers, added one after the other to a new HashSet, in iteration order."""
        if len(numbers) < 2:
            return numbers
        capacity = _FIRST_CAPACITY
        while True:
            buckets, crowded = self._buckets_of(capacity)
            full = capacity * 3 // 4
            if crowded and _most_in_a_bucket([buckets[number] for number in numbers[: full + 1]]) >= TREEIFY:
                return hash_order(numbers, self._hash_codes.__getitem__, lambda number: number)
            if len(numbers) <= full:
                return sorted(numbers, key=buckets.__getitem__)
            capacity *= 2

    def _buckets_of(self, capacity: int) -> tuple[list[int], bool]:
        """Every number's bucket in a table of that size, and whether nine of them could meet in one."""
        found = self._buckets.get(capacity)
        if found is None:
            buckets = [code & (capacity - 1) for code in self._codes]
            found = self._buckets[capacity] = (buckets, _most_in_a_bucket(buckets) >= TREEIFY)
        return found


def _most_in_a_bucket(buckets: list[int]) -> int:
    return max(Counter(buckets).values(), default=0)
