"""The order in which Java iterates a `HashMap` or `HashSet` (OpenJDK 8 and later).

A table of buckets, doubled beyond three quarters of its size; within a bucket the order of insertion. Where nine entries meet in
one bucket, a table below 64 buckets doubles early and a larger one turns the bucket into a red-black tree, whose list order is no
longer that of insertion: a task's hash is regular enough (`0_0`, `0_64`, `0_128`, …) for that to happen in real groups.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from holdfast.kafka import java

_K = TypeVar("_K")

_FIRST_CAPACITY = 16
_TREEIFY = 9  # entries in a bucket, the new one included
_UNTREEIFY = 6
_TREE_CAPACITY = 64  # no trees in smaller tables


def hash_order(
    keys: Iterable[_K], hash_code: Callable[[_K], int], rank: Callable[[_K], Any], capacity: int = _FIRST_CAPACITY
) -> list[_K]:
    """The distinct keys, put one after the other into a new HashSet, as it is iterated.

    `rank` orders as the key's `compareTo`; it matters only in tree buckets. `capacity`: the buckets that the set begins with.
    """
    table = _Table(rank, capacity)
    for key in keys:
        code = hash_code(key) & 0xFFFFFFFF
        table.put(key, code ^ (code >> 16))
    return list(table)


def order_of_computed(
    calls: Iterable[_K], hash_code: Callable[[_K], int], rank: Callable[[_K], Any], capacity: int = _FIRST_CAPACITY
) -> list[_K]:
    """The keys for which `computeIfAbsent` of a new HashMap was called one after the other, as it is iterated (Java 9 and later).

    Unlike `put` it makes a new entry the first of its bucket, and counts eight entries of a bucket as too many, not nine. A table
    that is too full is doubled at the next call and not at once, even where that call is for a key that is there already.
    """
    table = _Table(rank, capacity)
    known: set[_K] = set()
    for key in calls:
        table.make_room()
        if key not in known:
            known.add(key)
            code = hash_code(key) & 0xFFFFFFFF
            table.compute(key, code ^ (code >> 16))
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
    code = java.string_hash(text) & 0xFFFFFFFF
    return code ^ (code >> 16)


def _string_order(texts: Sequence[str], calls: Sequence[str], capacity: int, *, computed: bool) -> list[str]:
    codes = list(map(spread, texts))
    size, crowded = len(texts), _TREEIFY - computed
    waits = computed and size > 0 and calls.index(texts[-1]) == len(calls) - 1  # no call came after the last new key
    while True:
        full = capacity * 3 // 4 + 1
        buckets = [code & (capacity - 1) for code in codes]
        if size >= crowded and _most_in_a_bucket(buckets[:full]) >= crowded:
            order = order_of_computed if computed else hash_order
            return order(calls, java.string_hash, java.string_order, capacity)
        if size < full + waits:
            numbers = range(size - 1, -1, -1) if computed else range(size)
            return [texts[number] for number in sorted(numbers, key=buckets.__getitem__)]
        capacity *= 2


def capacity_of_copy(size: int) -> int:
    """The buckets of `new HashSet<>(collection)`. Java 8 to 18; later ones take a smaller table where `size` is 12, 24, 48, …"""
    return _power_of_two(max(size * 4 // 3 + 1, _FIRST_CAPACITY))


def capacity_after_put_all(size: int) -> int:
    """The buckets of a new HashMap after `putAll`. Java 8 to 18, as above."""
    return _power_of_two(size * 4 // 3 + 1)


def depends_on_java(size: int) -> bool:
    """Whether Java 19 and later make a table of another size for a copy of so many entries."""
    return size > 0 and _power_of_two(size * 4 // 3 + 1) != _power_of_two(-(-size * 4 // 3))


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


class SubsetOrder:
    """The same for many subsets of the numbers 0, 1, …, whose hash codes are given once."""

    def __init__(self, hash_codes: Sequence[int]) -> None:
        self._hash_codes = hash_codes
        self._codes = [(code & 0xFFFFFFFF) ^ ((code & 0xFFFFFFFF) >> 16) for code in hash_codes]
        self._buckets: dict[int, tuple[list[int], bool]] = {}

    def __call__(self, numbers: list[int]) -> list[int]:
        """The numbers, added one after the other to a new HashSet, as it is iterated."""
        if len(numbers) < 2:
            return numbers
        capacity = _FIRST_CAPACITY
        while True:
            buckets, crowded = self._buckets_of(capacity)
            full = capacity * 3 // 4
            if crowded and _most_in_a_bucket([buckets[number] for number in numbers[: full + 1]]) >= _TREEIFY:
                return hash_order(numbers, self._hash_codes.__getitem__, lambda number: number)
            if len(numbers) <= full:
                return sorted(numbers, key=buckets.__getitem__)
            capacity *= 2

    def _buckets_of(self, capacity: int) -> tuple[list[int], bool]:
        """Every number's bucket in a table of that size, and whether nine of them could meet in one."""
        found = self._buckets.get(capacity)
        if found is None:
            buckets = [code & (capacity - 1) for code in self._codes]
            found = self._buckets[capacity] = (buckets, _most_in_a_bucket(buckets) >= _TREEIFY)
        return found


def _most_in_a_bucket(buckets: list[int]) -> int:
    return max(Counter(buckets).values(), default=0)


class _Node(Generic[_K]):
    """`HashMap.TreeNode`; in a plain bucket only `key`, `code` and `next` are used. `code` is unsigned."""

    __slots__ = ("code", "key", "left", "next", "parent", "prev", "red", "right")

    def __init__(self, key: _K, code: int) -> None:
        self.key = key
        self.code = code
        self.next: _Node[_K] | None = None
        self.prev: _Node[_K] | None = None
        self.parent: _Node[_K] | None = None
        self.left: _Node[_K] | None = None
        self.right: _Node[_K] | None = None
        self.red = False


class _Table(Generic[_K]):
    """Buckets as linked lists of nodes; `_trees` knows the root of each bucket that is a tree."""

    def __init__(self, rank: Callable[[_K], Any], capacity: int) -> None:
        self._rank = rank
        self._heads: list[_Node[_K] | None] = [None] * capacity
        self._trees: dict[int, _Node[_K]] = {}
        self._size = 0

    def __iter__(self) -> Iterator[_K]:
        for head in self._heads:
            node = head
            while node is not None:
                yield node.key
                node = node.next

    def put(self, key: _K, code: int) -> None:
        bucket = code & (len(self._heads) - 1)
        node = _Node(key, code)
        head = self._heads[bucket]
        if head is None:
            self._heads[bucket] = node
        elif bucket in self._trees:
            self._put_into_tree(bucket, node)
        else:
            length = 2
            while head.next is not None:
                head = head.next
                length += 1
            head.next = node
            if length >= _TREEIFY:
                if len(self._heads) < _TREE_CAPACITY:
                    self._double()
                else:
                    self._treeify(bucket)
        self._size += 1
        if self._size > len(self._heads) * 3 // 4:
            self._double()

    def make_room(self) -> None:
        """What `computeIfAbsent` begins with."""
        if self._size > len(self._heads) * 3 // 4:
            self._double()

    def compute(self, key: _K, code: int) -> None:
        """Add a new key as `computeIfAbsent` does."""
        bucket = code & (len(self._heads) - 1)
        node = _Node(key, code)
        if bucket in self._trees:
            self._put_into_tree(bucket, node)
        else:
            length, after = 1, self._heads[bucket]
            node.next, self._heads[bucket] = after, node
            while after is not None:
                length += 1
                after = after.next
            if length >= _TREEIFY - 1:
                if len(self._heads) < _TREE_CAPACITY:
                    self._double()
                else:
                    self._treeify(bucket)
        self._size += 1

    def _double(self) -> None:
        old, trees = self._heads, self._trees
        self._heads = [None] * (2 * len(old))
        self._trees = {}
        for bucket, head in enumerate(old):
            if head is None:
                continue
            halves: tuple[list[_Node[_K]], list[_Node[_K]]] = ([], [])
            node: _Node[_K] | None = head
            while node is not None:
                halves[bool(node.code & len(old))].append(node)
                node = node.next
            for half, target in zip(halves, (bucket, bucket + len(old)), strict=True):
                self._link(half, target)
                if bucket in trees and len(half) > _UNTREEIFY:
                    if all(halves):
                        self._treeify(target)
                    else:
                        self._trees[target] = trees[bucket]

    def _link(self, nodes: list[_Node[_K]], bucket: int) -> None:
        previous = None
        for node in nodes:
            node.prev, node.next = previous, None
            if previous is None:
                self._heads[bucket] = node
            else:
                previous.next = node
            previous = node

    def _treeify(self, bucket: int) -> None:
        nodes = []
        node = self._heads[bucket]
        while node is not None:
            nodes.append(node)
            node = node.next
        self._link(nodes, bucket)
        root = nodes[0]
        root.parent = root.left = root.right = None
        root.red = False
        for node in nodes[1:]:
            node.left = node.right = None
            self._hang(root, node)
            root = _balance_insertion(root, node)
        self._root_to_front(bucket, root)

    def _put_into_tree(self, bucket: int, node: _Node[_K]) -> None:
        root = self._trees[bucket]
        parent = self._hang(root, node)
        # The new entry follows its parent in the tree in the bucket's list.
        after = parent.next
        node.next, node.prev = after, parent
        parent.next = node
        if after is not None:
            after.prev = node
        self._root_to_front(bucket, _balance_insertion(root, node))

    def _hang(self, root: _Node[_K], node: _Node[_K]) -> _Node[_K]:
        """Hang the node below the leaf where it belongs, by signed hash and then by `compareTo`; return that leaf."""
        own = (node.code ^ 0x80000000, self._rank(node.key))
        at: _Node[_K] | None = root
        while at is not None:
            parent = at
            left = own <= (at.code ^ 0x80000000, self._rank(at.key))
            at = at.left if left else at.right
        node.parent = parent
        if left:
            parent.left = node
        else:
            parent.right = node
        return parent

    def _root_to_front(self, bucket: int, root: _Node[_K]) -> None:
        self._trees[bucket] = root
        first = self._heads[bucket]
        if first is root:
            return
        if root.next is not None:
            root.next.prev = root.prev
        if root.prev is not None:
            root.prev.next = root.next
        if first is not None:
            first.prev = root
        root.next, root.prev = first, None
        self._heads[bucket] = root


def _balance_insertion(root: _Node[_K], node: _Node[_K]) -> _Node[_K]:
    """Restore the red-black rules after a new leaf; return the root."""
    node.red = True
    while True:
        parent = node.parent
        if parent is None:
            node.red = False
            return node
        grandparent = parent.parent
        if not parent.red or grandparent is None:
            return root
        on_left = parent is grandparent.left
        uncle = grandparent.right if on_left else grandparent.left
        if uncle is not None and uncle.red:
            uncle.red = parent.red = False
            grandparent.red = True
            node = grandparent
            continue
        if node is (parent.right if on_left else parent.left):
            node = parent
            root = _rotate(root, node, to_left=on_left)
            parent = node.parent
            assert parent is not None
            grandparent = parent.parent
        parent.red = False
        if grandparent is not None:
            grandparent.red = True
            root = _rotate(root, grandparent, to_left=not on_left)


def _rotate(root: _Node[_K], node: _Node[_K], *, to_left: bool) -> _Node[_K]:
    """Let the node's right (or left) child take its place; return the root."""
    child = node.right if to_left else node.left
    if child is None:
        return root
    inner = child.left if to_left else child.right
    if to_left:
        node.right = inner
    else:
        node.left = inner
    if inner is not None:
        inner.parent = node
    parent = child.parent = node.parent
    if parent is None:
        root = child
        child.red = False
    elif parent.left is node:
        parent.left = child
    else:
        parent.right = child
    if to_left:
        child.left = node
    else:
        child.right = node
    node.parent = child
    return root
