"""A `java.util.PriorityQueue` of those that take tasks, the least loaded first; its array decides who comes first of equals.

The assignor uses two kinds: processes by `ProcessState.load` (tasks by members, a double) and the members of one process by how
many tasks they have. Java's queue and Python's `heapq` treat equals differently, so the sifting is written out here.

What a queue does depends on its loads and capacities alone, not on who the takers are: rounds of equals, and all turns of the few
members of one process, are worked out once and kept by place in the array.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from math import gcd
from operator import eq, le
from typing import cast

_FEW_TAKERS = 16
_FEW_TASKS = 256
_NO_TAKER = -1


class LeastLoaded:
    """Takers are numbers; `counts` says how many tasks each has, `capacities` by what that is divided (None: by nothing).

    `counts` is the caller's list; who takes a task is counted there. Nothing else may change the count of a taker that waits.
    """

    __slots__ = ("_capacities", "_counts", "_heap", "_loads")

    def __init__(self, takers: Sequence[int], counts: list[int], capacities: Sequence[int] | None = None) -> None:
        """The takers are offered one by one."""
        self._counts = counts
        self._capacities = capacities if capacities and min(capacities) != max(capacities) else None
        self._heap: list[int] = list(takers)
        self._loads: list[float] = [counts[taker] for taker in takers]
        if self._capacities:
            self._loads = [load / self._capacities[taker] for taker, load in zip(takers, self._loads, strict=True)]
        if not all(map(le, self._loads, self._loads[1:])):  # else none moves up
            self._heap, self._loads = [], []
            for taker in takers:
                self._offer(taker)

    def deal(self, tasks: int) -> list[int]:
        """Who takes each of `tasks` tasks, one after the other: the first of the queue takes one and goes back into it."""
        heap = self._heap
        if len(heap) == 1:
            taker = heap[0]
            self._counts[taker] += tasks
            return [taker] * tasks  # nothing to compare it with
        if not self._capacities and len(heap) <= _FEW_TAKERS and tasks <= _FEW_TASKS:
            return cast("list[int]", self._turns_of_few(tasks, ()))
        takers: list[int] = []
        while len(takers) < tasks:
            left = tasks - len(takers)
            turns = self._until_equal() or self._deal_rounds(left, takers)
            takers += [self.take() for _ in range(min(turns, left))]
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

    def take_each_outside(self, held: Sequence[int]) -> list[int | None]:
        """`take_outside` of one each, task by task. Where all are equally loaded, and none would take a task that it holds, a round
        is taken at once."""
        if not self._capacities and len(self._heap) <= _FEW_TAKERS and len(held) <= _FEW_TASKS:
            place_of = {taker: place for place, taker in enumerate(self._heap)}
            return self._turns_of_few(len(held), tuple(map(place_of.__getitem__, held)))
        takers: list[int | None] = []
        while len(takers) < len(held):
            turns = self._until_equal()
            if not turns:
                profile, divisor = self._profile()
                turns = sum(profile) // divisor
                places, after = _rounds_of(profile, divisor, turns)
                found = list(map(self._heap.__getitem__, places))
                theirs = held[len(takers) : len(takers) + turns]
                if len(theirs) == turns and not any(map(eq, found, theirs)):
                    takers += found
                    self._after_rounds(after, 1, divisor)
                    continue
            takers += self.take_one_by_one(held[len(takers) : len(takers) + turns])
        return takers

    def take_one_by_one(self, held: Iterable[int]) -> list[int | None]:
        """Who takes each task that `held` holds (_NO_TAKER: none does): `take` is written out, because there are many."""
        takers: list[int | None] = []
        heap, loads, counts, capacities = self._heap, self._loads, self._counts, self._capacities
        bottom = len(heap) - 1
        half = bottom >> 1
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

    def _until_equal(self) -> int:
        """How many tasks may bring all to the load of the most loaded; they are not equally loaded before. 0: they are."""
        loads, capacities = self._loads, self._capacities
        most = max(loads)
        if loads[0] == most:
            return 0
        if not capacities:
            return int(most) * len(loads) - int(sum(loads))
        heap = self._heap
        room = most * sum(map(capacities.__getitem__, heap)) - sum(map(self._counts.__getitem__, heap))
        return max(1, int(room + 0.001))  # the doubles of a sum that is whole may be just below it

    def _profile(self) -> tuple[tuple[int, ...], int]:
        """The capacities along the array, and by what all of them can be divided."""
        if not self._capacities:
            return (1,) * len(self._heap), 1
        profile = tuple(map(self._capacities.__getitem__, self._heap))
        return profile, gcd(*profile)

    def _deal_rounds(self, tasks: int, takers: list[int]) -> int:
        """Where all are equally loaded: add who takes the tasks of whole rounds, and return how many tasks have to follow one by
        one, at least: what is left, less than a round.

        A round brings all to the next common load: the queue is as it was, with others in their places. Who takes what in a round
        depends on nothing but the capacities along the array. Loads are fractions of small integers, which doubles order exactly.
        """
        profile, divisor = self._profile()
        rounds, rest = divmod(tasks, sum(profile) // divisor)
        if rounds:
            places, after = _rounds_of(profile, divisor, tasks - rest)
            takers += map(self._heap.__getitem__, places)
            self._after_rounds(after, rounds, divisor)
        return rest

    def _after_rounds(self, after: Sequence[int], rounds: int, divisor: int) -> None:
        heap, counts, capacities = self._heap, self._counts, self._capacities
        for taker in heap:
            counts[taker] += rounds * capacities[taker] // divisor if capacities else rounds
        self._heap = list(map(heap.__getitem__, after))
        taker = heap[0]
        load: float = counts[taker]
        self._loads = [load / capacities[taker] if capacities else load] * len(heap)

    def _turns_of_few(self, tasks: int, held: tuple[int, ...]) -> list[int | None]:
        """Who takes each task. `held`: the place in the array of who holds each, or nothing where none does."""
        heap, counts, loads = self._heap, self._counts, self._loads
        least = int(loads[0])  # all of them are whole: there are no capacities
        profile = tuple([int(load) - least for load in loads]) if least else cast("tuple[int, ...]", tuple(loads))
        places, after, added = _turns_of(profile, tasks, held)
        self._heap = list(map(heap.__getitem__, after))
        self._loads = list(map(least.__add__, added))
        for taker, more in zip(self._heap, added, strict=True):
            counts[taker] = least + more
        if held and None in places:
            return [None if place is None else heap[place] for place in places]
        return list(map(heap.__getitem__, cast("Sequence[int]", places)))


@lru_cache(maxsize=1024)
def _turns_of(
    loads: tuple[int, ...], tasks: int, held: tuple[int, ...]
) -> tuple[Sequence[int | None], Sequence[int], Sequence[int]]:
    """The places in the array of those who take `tasks` tasks, one after the other (None: all hold it), and afterwards who is at
    each place, with what load. `loads` is along the array, which is in order; `held` as above."""
    counts = list(loads)
    queue = LeastLoaded(range(len(loads)), counts)  # none moves up: the array is in order
    takers = queue.take_one_by_one(held or repeat(_NO_TAKER, tasks))
    return tuple(takers), tuple(queue.array), tuple(map(counts.__getitem__, queue.array))


@lru_cache(maxsize=128)
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
