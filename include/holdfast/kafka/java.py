"""Java's own arithmetic, orders and collections, each in one place, with the Java class it follows.

What is modelled is what can be seen from outside: hash codes, the order in which a HashMap or HashSet is iterated (`java_hash`),
and the array order of a PriorityQueue. The golden values of the tests come from a JVM (tests/conformance).
"""

import heapq
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

_E = TypeVar("_E")

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
_SHORT = 200
"""Up to this many characters it is quicker to cut a sum to 32 bits once."""
_POWERS = tuple(pow(31, exponent, 2**32) for exponent in reversed(range(_SHORT)))


def signed_int(unsigned: int) -> int:
    """The 32 low bits of `unsigned` as a Java int."""
    unsigned &= 2**32 - 1
    return unsigned - 2**32 if unsigned >= 2**31 else unsigned


def signed_long(unsigned: int) -> int:
    """The 64 low bits of `unsigned` as a Java long."""
    unsigned &= 2**64 - 1
    return unsigned - 2**64 if unsigned >= 2**63 else unsigned


def signed_halves(bits: int) -> tuple[int, int]:
    """The 128 bits of a UUID as `java.util.UUID.compareTo` sees them: two signed longs, most significant first."""
    return signed_long(bits >> 64), signed_long(bits)


def string_order(text: str) -> bytes:
    """A sort key that orders as `java.lang.String.compareTo`: by UTF-16 code unit, not by code point."""
    return text.encode("utf-16-be", "surrogatepass")


def string_hash(text: str) -> int:
    """`java.lang.String.hashCode`, over UTF-16 code units."""
    if len(text) <= _SHORT and text.isascii():
        return signed_int(sum(map(operator.mul, text.encode(), _POWERS[_SHORT - len(text) :])))
    total = 0
    units = string_order(text)
    for high, low in zip(units[::2], units[1::2], strict=True):
        total = (31 * total + (high << 8 | low)) & 0xFFFFFFFF
    return signed_int(total)


def uuid_hash(bits: int) -> int:
    """`java.util.UUID.hashCode` of a UUID's 128 bits; Kafka's `Uuid` and `ProcessId` agree with it."""
    mixed = (bits >> 64) ^ bits
    return signed_int((mixed >> 32) ^ mixed)


def topic_partition_hash(topic: str, partition: int) -> int:
    """`org.apache.kafka.common.TopicPartition.hashCode`."""
    return signed_int(31 * (31 + partition) + string_hash(topic))


def task_id_hash_until_2_8(subtopology: int, partition: int) -> int:
    """`org.apache.kafka.streams.processor.TaskId.hashCode` up to 2.8: both ints side by side in a long, remainder of 2**32 - 1."""
    return signed_int(((subtopology << 32) | partition) % 0xFFFFFFFF)


def task_id_hash_since_3_0(subtopology: int, partition: int) -> int:
    """`org.apache.kafka.streams.processor.TaskId.hashCode` from 3.0, of a task without a named topology."""
    return signed_int(31 * (31 * (31 + subtopology) + partition))


class PriorityQueue(Generic[_E]):
    """`java.util.PriorityQueue`: a binary heap in an array. Its iteration order is the array's, and so is observable.

    `rank` gives what elements are compared by. It is asked at each comparison, never stored: like a Java comparator that reads
    what has changed since, it leaves elements where they were.
    """

    __slots__ = ("_heap", "_rank")

    def __init__(self, rank: Callable[[_E], Any], elements: Iterable[_E] = ()) -> None:
        self._rank = rank
        self._heap: list[_E] = list(elements)
        for index in range(len(self._heap) // 2 - 1, -1, -1):
            self._sift_down(index, self._heap[index])

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[_E]:
        return iter(tuple(self._heap))

    def offer(self, element: _E) -> None:
        self._heap.append(element)
        self._sift_up(len(self._heap) - 1, element)

    def poll(self) -> _E:
        """Remove and return the head; the queue must not be empty (Java's `remove()`)."""
        heap = self._heap
        head = heap[0]
        last = heap.pop()
        if heap:
            self._sift_down(0, last)
        return head

    def remove(self, element: _E) -> bool:
        """Remove the first equal element of the array; False if there is none (Java's `remove(Object)`)."""
        try:
            index = self._heap.index(element)
        except ValueError:
            return False
        moved = self._heap.pop()
        if index < len(self._heap):
            self._sift_down(index, moved)
            if self._heap[index] is moved:
                self._sift_up(index, moved)
        return True

    def _sift_up(self, index: int, element: _E) -> None:
        heap, rank = self._heap, self._rank
        own = rank(element)
        while index > 0:
            parent = (index - 1) >> 1
            if own >= rank(heap[parent]):
                break
            heap[index] = heap[parent]
            index = parent
        heap[index] = element

    def _sift_down(self, index: int, element: _E) -> None:
        heap, rank = self._heap, self._rank
        own, size = rank(element), len(heap)
        half = size >> 1
        while index < half:
            child = 2 * index + 1
            right = child + 1
            least = rank(heap[child])
            if right < size:
                other = rank(heap[right])
                if least > other:
                    child, least = right, other
            if own <= least:
                break
            heap[index] = heap[child]
            index = child
        heap[index] = element


class QueueOfDifferent(Generic[_E]):
    """`java.util.PriorityQueue` of elements no two of which are equal, compared by themselves; the first are offered one by one.

    One that changes while it waits (`change`) keeps its position, as an element does whose Java comparator reads changed state.
    Where the array is a heap, Python's `heapq` leaves it as Java does, and is much quicker: both move the gap down the path of the
    smaller children, and on that path there is one place for the element that fills it.
    """

    __slots__ = ("_heap", "_may_lie_amiss")

    def __init__(self, elements: Iterable[_E] = ()) -> None:
        self._heap: list[Any] = []
        self._may_lie_amiss = False
        for element in elements:
            heapq.heappush(self._heap, element)

    def offer(self, element: _E) -> None:
        heapq.heappush(self._heap, element)  # Java's siftUp, step for step

    def poll(self) -> _E:
        """Remove and return the head; the queue must not be empty."""
        if self.in_order():
            return heapq.heappop(self._heap)  # type: ignore[no-any-return]  # elements compare, which nothing says
        heap = self._heap
        head, last = heap[0], heap.pop()
        if heap:
            self._sift_down(0, last)
        return head  # type: ignore[no-any-return]

    def change(self, before: _E, after: _E) -> None:
        """Replace an element at its position; does nothing if it is not in the queue."""
        if before in self._heap:
            self._heap[self._heap.index(before)] = after
            self._may_lie_amiss = True

    def remove(self, element: _E) -> None:
        """Java's `remove(Object)`."""
        if element not in self._heap:
            return
        index = self._heap.index(element)
        moved = self._heap.pop()
        if index == len(self._heap):
            return
        self._sift_down(index, moved)
        if self._heap[index] is moved:
            self._sift_up(index, moved)

    def in_order(self) -> bool:
        """Whether the array is a heap: no element comes before the one above it."""
        if self._may_lie_amiss:
            heap = self._heap
            self._may_lie_amiss = any(heap[index] < heap[(index - 1) >> 1] for index in range(1, len(heap)))
        return not self._may_lie_amiss

    def drained(self) -> list[_E]:
        """All elements in the order in which `poll` would give them now, one after the other. The queue stays unchanged."""
        if self.in_order():
            return sorted(self._heap)
        copy: QueueOfDifferent[_E] = QueueOfDifferent()
        copy._heap, copy._may_lie_amiss = list(self._heap), True
        return [copy.poll() for _ in self._heap]

    def _sift_up(self, index: int, element: Any) -> None:
        heap = self._heap
        while index > 0 and element < heap[(index - 1) >> 1]:
            heap[index] = heap[(index - 1) >> 1]
            index = (index - 1) >> 1
        heap[index] = element

    def _sift_down(self, index: int, element: Any) -> None:
        heap = self._heap
        half = len(heap) >> 1
        while index < half:
            child = 2 * index + 1
            if child + 1 < len(heap) and heap[child] > heap[child + 1]:
                child += 1
            if element <= heap[child]:
                break
            heap[index] = heap[child]
            index = child
        heap[index] = element
