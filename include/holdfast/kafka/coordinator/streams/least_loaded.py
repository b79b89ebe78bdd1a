"""A `java.util.PriorityQueue` of those that take tasks, the least loaded first; its array decides who comes first of equals.

The assignor uses two kinds: processes by `ProcessState.load` (tasks by members, a double) and the members of one process by how
many tasks they have. Java's queue and Python's `heapq` treat equals differently, so the sifting is written out here.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from math import gcd


class LeastLoaded:
    """Takers are numbers; `counts` says how many tasks each has, `capacities` by what that is divided (None: by nothing).

    `counts` is the caller's list; who takes a task is counted there. Nothing else may change the count of a taker that waits.
    """

    __slots__ = ("_capacities", "_counts", "_heap", "_loads")

    def __init__(self, takers: Sequence[int], counts: list[int], capacities: Sequence[int] | None = None) -> None:
        """The takers are offered one by one."""
        self._counts = counts
        self._capacities = capacities
        self._heap: list[int] = []
        self._loads: list[float] = []
        if not any(map(counts.__getitem__, takers)):
            self._heap, self._loads = list(takers), [0] * len(takers)  # none moves up
            return
        for taker in takers:
            self._offer(taker)

    def deal(self, tasks: int) -> list[int]:
        """Who takes each of `tasks` tasks, one after the other: the first of the queue takes one and goes back into it."""
        if len(self._heap) == 1:
            taker = self._heap[0]
            self._counts[taker] += tasks
            return [taker] * tasks  # nothing to compare it with
        takers: list[int] = []
        while len(takers) < tasks:
            left = tasks - len(takers)
            if left >= len(self._heap) and self._loads[0] == max(self._loads):
                takers += self._deal_to_equals(left)
            else:
                takers.append(self.take())
        return takers

    def take(self) -> int:
        """`poll`, one more task for the taker, and `add`, in one go."""
        heap, loads = self._heap, self._loads
        size = len(heap) - 1
        first, last, load = heap[0], heap[size], loads[size]
        index, half = 0, size >> 1
        while index < half:
            child = 2 * index + 1
            least = loads[child]
            right = child + 1
            if right < size and least > loads[right]:
                child, least = right, loads[right]
            if load <= least:
                break
            heap[index], loads[index] = heap[child], least
            index = child
        heap[index], loads[index] = last, load
        load = self._counts[first] = self._counts[first] + 1
        if self._capacities:
            load /= self._capacities[first]
        while size:
            parent = (size - 1) >> 1
            if load >= loads[parent]:
                break
            heap[size], loads[size] = heap[parent], loads[parent]
            size = parent
        heap[size], loads[size] = first, load
        return first

    def take_outside(self, held: Collection[int]) -> int | None:
        """The same by the first not among `held`; those before it are polled aside, and go back in reverse. None: there is none."""
        if self._heap[0] not in held:
            return self.take()
        aside = [self.poll()]
        while self._heap and self._heap[0] in held:
            aside.append(self.poll())
        taker = None
        if self._heap:
            taker = self.poll()
            self._counts[taker] += 1
            self._offer(taker)
        for passed in reversed(aside):
            self._offer(passed)
        return taker

    def take_each_outside(self, held: Iterable[int]) -> list[int | None]:
        """`take_outside` of one each, task by task: `take` is written out, because there are many."""
        heap, loads, counts, capacities = self._heap, self._loads, self._counts, self._capacities
        bottom = len(heap) - 1
        half = bottom >> 1
        takers: list[int | None] = []
        for one in held:
            first = heap[0]
            if first == one:
                takers.append(self.take_outside((one,)))
                continue
            last, load = heap[bottom], loads[bottom]
            index = 0
            while index < half:
                child = 2 * index + 1
                least = loads[child]
                right = child + 1
                if right < bottom and least > loads[right]:
                    child, least = right, loads[right]
                if load <= least:
                    break
                heap[index], loads[index] = heap[child], least
                index = child
            heap[index], loads[index] = last, load
            load = counts[first] = counts[first] + 1
            if capacities:
                load /= capacities[first]
            index = bottom
            while index:
                parent = (index - 1) >> 1
                if load >= loads[parent]:
                    break
                heap[index], loads[index] = heap[parent], loads[parent]
                index = parent
            heap[index], loads[index] = first, load
            takers.append(first)
        return takers

    def poll(self) -> int:
        """Remove and return the first; there must be one."""
        heap, loads = self._heap, self._loads
        first, last, load = heap[0], heap.pop(), loads.pop()
        size = len(heap)
        if size:
            index, half = 0, size >> 1
            while index < half:
                child = 2 * index + 1
                least = loads[child]
                right = child + 1
                if right < size and least > loads[right]:
                    child, least = right, loads[right]
                if load <= least:
                    break
                heap[index], loads[index] = heap[child], least
                index = child
            heap[index], loads[index] = last, load
        return first

    @property
    def array(self) -> list[int]:
        """The takers as the queue's array has them."""
        return self._heap

    def _offer(self, taker: int) -> None:
        heap, loads = self._heap, self._loads
        load: float = self._counts[taker]
        if self._capacities:
            load /= self._capacities[taker]
        index = len(heap)
        heap.append(taker)
        loads.append(load)
        while index:
            parent = (index - 1) >> 1
            if load >= loads[parent]:
                break
            heap[index], loads[index] = heap[parent], loads[parent]
            index = parent
        heap[index], loads[index] = taker, load

    def _deal_to_equals(self, tasks: int) -> list[int]:
        """Whole rounds, where all are equally loaded, and the rest of a round. At least one task is dealt.

        A round brings all to the next common load: the queue is as it was, with others in their places. Who takes what in a round
        depends on nothing but the capacities along the array. Loads are fractions of small integers, which doubles order exactly.
        """
        heap, capacities = self._heap, self._capacities
        profile = tuple(map(capacities.__getitem__, heap)) if capacities else (1,) * len(heap)
        divisor = gcd(*profile)
        dealt = tasks - tasks % (sum(profile) // divisor)
        if not dealt:
            return [self.take()]
        places, after = _rounds_of(profile, divisor, dealt)
        takers = list(map(heap.__getitem__, places))
        self._heap = list(map(heap.__getitem__, after))
        rounds = dealt * divisor // sum(profile)
        for taker, capacity in zip(heap, profile, strict=True):
            self._counts[taker] += rounds * capacity // divisor
        taker = heap[0]
        load: float = self._counts[taker]
        self._loads = [load / capacities[taker] if capacities else load] * len(heap)
        return takers


@lru_cache(maxsize=64)
def _rounds_of(profile: tuple[int, ...], divisor: int, tasks: int) -> tuple[Sequence[int], Sequence[int]]:
    """The places in the array of those who take the tasks of whole rounds, and who is at each place afterwards.

    The members of all processes of one size take turns alike, and so do the processes of the next target.
    """
    in_round = sum(profile) // divisor
    seen: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    takers: list[int] = []
    stand = list(range(len(profile)))
    for _ in range(tasks // in_round):
        along = tuple(map(profile.__getitem__, stand))
        if along not in seen:
            queue = LeastLoaded(range(len(along)), [0] * len(along), along)
            found = [queue.take() for _ in range(in_round)]
            seen[along] = found, queue.array
        places, after = seen[along]
        takers += map(stand.__getitem__, places)
        stand = list(map(stand.__getitem__, after))
    return tuple(takers), tuple(stand)
