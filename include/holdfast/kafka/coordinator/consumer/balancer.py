"""Who of a topic's subscribers has the fewest and the most partitions, while partitions are given and taken.

Java: `UniformHeterogeneousAssignmentBuilder.MemberAssignmentBalancer`. Two ranges of the subscribers, sorted by size: the least
loaded ones grow to the right, the most loaded ones to the left; who has nothing of the topic to give leaves the right end.
"""

from collections.abc import Sequence


class Balancer:
    """`sizes`: how many partitions each member has now; what moves a partition keeps them up to date."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._sorted: list[int] = []
        self._least_end = self._next_least = self._least_size = 0
        self._most_start = self._most_end = self._next_most = self._most_size = 0

    def begin(self, members: Sequence[int]) -> int:
        """Start with these members, of whom there are some. Return by how much the largest size exceeds the smallest."""
        self._sorted = sorted(members, key=lambda member: (self._sizes[member], member))
        smallest, largest = self._sizes[self._sorted[0]], self._sizes[self._sorted[-1]]
        self._least_end = self._next_least = 0
        self._least_size = smallest - 1
        self._most_start = self._most_end = len(self._sorted)
        self._next_most = len(self._sorted) - 1
        self._most_size = largest + 1
        return largest - smallest

    def is_balanced(self) -> bool:
        return self._most_size - self._least_size <= 1

    def next_least_loaded(self) -> int:
        """Who is to be given the next partition."""
        if self._next_least >= self._least_end:
            self._least_size += 1
            while self._least_end < len(self._sorted) and self._sizes[self._sorted[self._least_end]] == self._least_size:
                self._least_end += 1
            self._next_least = 0
        self._next_least += 1
        return self._sorted[self._next_least - 1]

    def next_most_loaded(self) -> int | None:
        """Who is to give the next partition. None: no member is left."""
        if self._next_most < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                self._most_size = self._sizes[self._sorted[self._most_start - 1]]
            else:
                self._most_size -= 1
            while self._most_start > 0 and self._sizes[self._sorted[self._most_start - 1]] == self._most_size:
                self._most_start -= 1
            self._next_most = self._most_end - 1
        if self._next_most < 0:
            return None
        self._next_most -= 1
        return self._sorted[self._next_most + 1]

    def exclude_most_loaded(self) -> None:
        """The last one of `next_most_loaded` has nothing to give: it changes places with the last of its range, which ends before
        it."""
        last = self._most_end - 1
        at = self._next_most + 1
        self._sorted[at], self._sorted[last] = self._sorted[last], self._sorted[at]
        self._most_end = last
