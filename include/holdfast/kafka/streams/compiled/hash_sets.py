"""The order in which a java.util.HashSet has its members, as `kafka.java_hash`."""

from holdfast.kafka.streams.compiled.arrays import FEWEST_BUCKETS, Flags, Ints
from holdfast.kafka.streams.compiled.jit import compiled

_TREEIFY = 9
_FEW = 12
"""Up to this number are sorted by moving each into its place."""


@compiled
def in_hash_order(numbers: Ints, size: int, codes: Ints, crowded: Flags, buckets: Ints, room: Ints) -> bool:
    """Sort the first numbers as a new HashSet has them, to which they are added in turn; False: it would grow trees.

    `crowded`: for each number of buckets whether trees are possible at all.
    """
    if size < 2:
        return True
    capacity, level = FEWEST_BUCKETS, 0
    while True:
        full = capacity * 3 // 4
        if crowded[level] and _most_in_a_bucket(numbers, min(size, full + 1), codes, capacity, buckets) >= _TREEIFY:
            return False
        if size <= full:
            break
        capacity *= 2
        level += 1
        if level == len(crowded):
            return False
    if size <= _FEW:
        _sort_few(numbers, size, codes, capacity)
    else:
        _sort_many(numbers, size, codes, capacity, buckets, room)
    return True


@compiled
def _most_in_a_bucket(numbers: Ints, size: int, codes: Ints, capacity: int, buckets: Ints) -> int:
    for bucket in range(capacity):
        buckets[bucket] = 0
    most = 0
    for at in range(size):
        bucket = codes[numbers[at]] & (capacity - 1)
        buckets[bucket] += 1
        most = max(most, buckets[bucket])
    return most


@compiled
def _sort_few(numbers: Ints, size: int, codes: Ints, capacity: int) -> None:
    """By bucket, those of one bucket as they came."""
    for number in range(1, size):
        one = numbers[number]
        bucket = codes[one] & (capacity - 1)
        at = number
        while at > 0 and codes[numbers[at - 1]] & (capacity - 1) > bucket:
            numbers[at] = numbers[at - 1]
            at -= 1
        numbers[at] = one


@compiled
def _sort_many(numbers: Ints, size: int, codes: Ints, capacity: int, buckets: Ints, room: Ints) -> None:
    """The same by counting."""
    for bucket in range(capacity + 1):
        buckets[bucket] = 0
    for at in range(size):
        buckets[(codes[numbers[at]] & (capacity - 1)) + 1] += 1
        room[at] = numbers[at]
    for bucket in range(capacity):
        buckets[bucket + 1] += buckets[bucket]
    for at in range(size):
        bucket = codes[room[at]] & (capacity - 1)
        numbers[buckets[bucket]] = room[at]
        buckets[bucket] += 1
