"""A `java.util.HashMap`'s table: buckets that are lists or, where many keys meet, red-black trees that are lists as well.

What decides an iteration is the list of each bucket; a tree decides it because its root is always moved to the front of that list.
So every insertion and removal has to be done to the tree, too.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

K = TypeVar("K")

TREEIFY = 9
"""Entries in a bucket that make it a tree, the new one included."""
_UNTREEIFY = 6
_TREE_CAPACITY = 64  # no trees in smaller tables


class Node(Generic[K]):
    """`HashMap.TreeNode`; in a plain bucket only `key`, `code` and `next` are used. `code` is unsigned."""

    __slots__ = ("code", "key", "left", "next", "parent", "prev", "red", "right")

    def __init__(self, key: K, code: int) -> None:
        self.key = key
        self.code = code
        self.next: Node[K] | None = None
        self.prev: Node[K] | None = None
        self.parent: Node[K] | None = None
        self.left: Node[K] | None = None
        self.right: Node[K] | None = None
        self.red = False


class Table(Generic[K]):
    """Buckets as linked lists of nodes; `_trees` knows the root of each bucket that is a tree."""

    def __init__(self, rank: Callable[[K], Any], capacity: int) -> None:
        self._rank = rank
        self._heads: list[Node[K] | None] = [None] * capacity
        self._trees: dict[int, Node[K]] = {}
        self._size = 0

    def __iter__(self) -> Iterator[K]:
        for head in self._heads:
            node = head
            while node is not None:
                yield node.key
                node = node.next

    @property
    def has_trees(self) -> bool:
        return bool(self._trees)

    def put(self, key: K, code: int) -> None:
        bucket = code & (len(self._heads) - 1)
        node = Node(key, code)
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
            if length >= TREEIFY:
                if len(self._heads) < _TREE_CAPACITY:
                    self._double()
                else:
                    self._treeify(bucket)
        self._size += 1
        if self._size > len(self._heads) * 3 // 4:
            self._double()

    def remove(self, key: K, code: int) -> None:
        """Take out a key that is there, as `remove` of the map or the set does; an iterator's `remove` leaves the order alone."""
        bucket = code & (len(self._heads) - 1)
        node = self._heads[bucket]
        before = None
        while node is not None and node.key != key:
            before, node = node, node.next
        assert node is not None, f"{key!r} is not in the table"
        self._size -= 1
        if before is None:
            self._heads[bucket] = node.next
        else:
            before.next = node.next
        if node.next is not None:
            node.next.prev = before
        root = self._trees.get(bucket)
        if root is None:
            return
        # What counts as a small tree is its shape before the key is taken out.
        if root.left is None or root.right is None or root.left.left is None:
            del self._trees[bucket]
        else:
            self._root_to_front(bucket, _taken_out(root, node))

    def make_room(self) -> None:
        """What `computeIfAbsent` begins with."""
        if self._size > len(self._heads) * 3 // 4:
            self._double()

    def compute(self, key: K, code: int) -> None:
        """Add a new key as `computeIfAbsent` does."""
        bucket = code & (len(self._heads) - 1)
        node = Node(key, code)
        if bucket in self._trees:
            self._put_into_tree(bucket, node)
        else:
            length, after = 1, self._heads[bucket]
            node.next, self._heads[bucket] = after, node
            while after is not None:
                length += 1
                after = after.next
            if length >= TREEIFY - 1:
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
            halves: tuple[list[Node[K]], list[Node[K]]] = ([], [])
            node: Node[K] | None = head
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

    def _link(self, nodes: list[Node[K]], bucket: int) -> None:
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

    def _put_into_tree(self, bucket: int, node: Node[K]) -> None:
        root = self._trees[bucket]
        parent = self._hang(root, node)
        # The new entry follows its parent in the tree in the bucket's list.
        after = parent.next
        node.next, node.prev = after, parent
        parent.next = node
        if after is not None:
            after.prev = node
        self._root_to_front(bucket, _balance_insertion(root, node))

    def _hang(self, root: Node[K], node: Node[K]) -> Node[K]:
        """Hang the node below the leaf where it belongs, by signed hash and then by `compareTo`; return that leaf."""
        own = (node.code ^ 0x80000000, self._rank(node.key))
        at: Node[K] | None = root
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

    def _root_to_front(self, bucket: int, root: Node[K]) -> None:
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


def _balance_insertion(root: Node[K], node: Node[K]) -> Node[K]:
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


def _taken_out(root: Node[K], node: Node[K]) -> Node[K]:
    """Take the node out of a tree that has others; return the root."""
    if node.left is not None and node.right is not None:
        root = _swapped_with_successor(root, node)
    child = node.left if node.left is not None else node.right
    if child is not None:
        root = _put_in_place_of(root, node, child)
        return root if node.red else _balance_deletion(root, child)
    if not node.red:
        root = _balance_deletion(root, node)  # it keeps its place until the rules hold
    if node.parent is not None and node.parent.left is node:
        node.parent.left = None
    elif node.parent is not None:
        node.parent.right = None
    return root


def _swapped_with_successor(root: Node[K], node: Node[K]) -> Node[K]:
    """Let the node and the next one in the tree's order change places and colours; return the root."""
    left, right = node.left, node.right
    assert left is not None
    assert right is not None
    successor = right
    while successor.left is not None:
        successor = successor.left
    successor.red, node.red = node.red, successor.red
    above, below = successor.parent, successor.right
    root = _put_in_place_of(root, node, successor)
    successor.left, left.parent = left, successor
    if successor is right:
        successor.right, node.parent = node, successor
    else:
        assert above is not None
        successor.right, right.parent = right, successor
        above.left, node.parent = node, above
    node.left, node.right = None, below
    if below is not None:
        below.parent = node
    return root


def _put_in_place_of(root: Node[K], node: Node[K], other: Node[K]) -> Node[K]:
    """Hang the other where the node hangs; return the root."""
    parent = other.parent = node.parent
    if parent is None:
        return other
    if parent.left is node:
        parent.left = other
    else:
        parent.right = other
    return root


def _balance_deletion(root: Node[K], node: Node[K]) -> Node[K]:
    """Restore the red-black rules where the paths through the node have one black node too few; return the root."""
    while node is not root and not node.red:
        parent = node.parent
        assert parent is not None
        on_left = parent.left is node
        sibling = parent.right if on_left else parent.left
        if _is_red(sibling):
            assert sibling is not None
            sibling.red, parent.red = False, True
            root = _rotate(root, parent, to_left=on_left)
            sibling = parent.right if on_left else parent.left
        if sibling is None:
            node = parent
            continue
        inner, outer = (sibling.left, sibling.right) if on_left else (sibling.right, sibling.left)
        if not _is_red(inner) and not _is_red(outer):
            sibling.red = True
            node = parent
            continue
        if not _is_red(outer):
            assert inner is not None
            inner.red, sibling.red = False, True
            root = _rotate(root, sibling, to_left=not on_left)
            sibling, outer = inner, sibling
        sibling.red, parent.red = parent.red, False
        if outer is not None:
            outer.red = False
        return _rotate(root, parent, to_left=on_left)
    node.red = False
    return root


def _is_red(node: Node[K] | None) -> bool:
    return node is not None and node.red


def _rotate(root: Node[K], node: Node[K], *, to_left: bool) -> Node[K]:
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
