"""The sticky assignors where all subscriptions are equal, up to 2.8. Java: `AbstractStickyAssignor.constrainedAssign`.

Every member keeps what it had up to the upper quota; a member below the lower one then gets what is left over, and at last the
first partition of one that is above it. Rewritten in 3.0 (KAFKA-12464).
"""

from collections import deque
from collections.abc import Sequence

from holdfast.kafka.consumer.claims import Claims
from holdfast.kafka.consumer.group import LeaderThrows
from holdfast.kafka.consumer.reports import Report
from holdfast.kafka.consumer.space import Space


class ConstrainedUntil28:
    """The same shape as `Constrained`."""

    def __init__(self, reports: Sequence[Report], claims: Claims, space: Space) -> None:
        self._reports, self._claims, self._space = reports, claims, space
        self.parts: list[list[int]] = [[] for _ in reports]
        self.transferring: dict[int, int] = {}
        self._min = space.total // len(reports)
        self._max = -(-space.total // len(reports))
        self._below: list[int] = []
        self._at_min: deque[int] = deque()
        self._at_max: deque[int] = deque()
        self._moving: dict[int, None] = dict(claims.contested)

    def assign(self) -> None:
        """Raise LeaderThrows where Kafka's class runs out of partitions or of places."""
        self._keep()
        kept = frozenset(code for part in self.parts for code in part)
        unassigned = deque(code for code in self._space.everything() if code not in kept)
        self._below.sort()
        self._fill(unassigned)
        self._take()
        for code in unassigned:
            if not self._at_min:
                raise LeaderThrows("IllegalStateException: partitions are left, and all members are at the upper quota")
            self._give(code, self._at_min.popleft())

    def _keep(self) -> None:
        for report, owned in zip(self._reports, self._claims.owned, strict=True):
            member = report.rank
            for code in self._claims.contested:
                if code in owned:
                    owned.remove(code)
            self.parts[member] += owned[: self._max]
            self._moving.update(dict.fromkeys(owned[self._max :]))
            if len(owned) < self._min:
                self._below.append(member)
                continue
            if len(self.parts[member]) == self._min:
                self._at_min.append(member)
            if len(self.parts[member]) == self._max:
                self._at_max.append(member)

    def _fill(self, unassigned: deque[int]) -> None:
        """Up to the lower quota, round robin. Who reaches it leaves the list."""
        while self._below and unassigned:
            still_below = []
            for place, member in enumerate(self._below):
                if not unassigned:
                    still_below += self._below[place:]
                    break
                self._give(unassigned.popleft(), member)
                if len(self.parts[member]) == self._min:
                    self._at_min.append(member)
                else:
                    still_below.append(member)
            self._below = still_below

    def _take(self) -> None:
        """From those at the upper quota, one each, for those who are still below the lower one."""
        for member in self._below:
            for _ in range(self._min - len(self.parts[member])):
                if not self._at_max:
                    raise LeaderThrows("IllegalStateException: a member is below the lower quota, and no partition is left")
                code = self.parts[self._at_max.popleft()].pop(0)
                self.parts[member].append(code)
                self.transferring[code] = member
            self._at_min.append(member)

    def _give(self, code: int, member: int) -> None:
        self.parts[member].append(code)
        if code in self._moving:
            self.transferring[code] = member
