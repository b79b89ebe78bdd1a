"""The sticky assignors where all subscriptions are equal, from 3.0 on. Java: `AbstractStickyAssignor`, constrained assignment.

Every member keeps what it had up to its quota; what is left over is dealt round robin to those below theirs.
"""

from collections import deque
from collections.abc import Sequence
from itertools import chain

from holdfast.kafka.consumer.claims import Claims
from holdfast.kafka.consumer.group import LeaderThrows
from holdfast.kafka.consumer.racks import RackInfo
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.consumer.reports import Report
from holdfast.kafka.consumer.space import Space


class Constrained:
    """Members by rank. `parts`: what each is given. `transferring`: partitions migrating from one member to another."""

    def __init__(self, reports: Sequence[Report], claims: Claims, space: Space, racks: RackInfo, line: Behaviour) -> None:
        self._reports, self._claims, self._space, self._racks, self._line = reports, claims, space, racks, line
        self.parts: list[list[int]] = [[] for _ in reports]
        self._sizes = [0] * len(reports)
        self.transferring: dict[int, int] = {}
        self._min, self._full = divmod(space.total, len(reports))
        self._max = self._min + (self._full > 0)
        self._full_now = 0
        self._below: list[int] = []
        """Members with less than the lower quota."""
        self._at_min: deque[int] = deque()
        """Members with exactly the lower quota that may get one more."""
        self._given_up: dict[int, int] = {}
        """What members had and do not keep, and whose it was."""

    def assign(self) -> None:
        """Raise LeaderThrows where Kafka's class runs out of partitions or of places."""
        self._keep()
        unassigned = self._unassigned()
        self._below.sort()
        self._at_min = deque(sorted(self._at_min))
        if self._racks.in_use:
            unassigned = self._deal_by_rack(self._racks.fewest_members_first(unassigned))
        self._deal(unassigned)
        self._verify()

    def _keep(self) -> None:
        for report, claimed in zip(self._reports, self._claims.owned, strict=True):
            member, owned = report.rank, self._kept_order(report.rank, claimed)
            for code in self._claims.contested:
                if code in owned:
                    owned.remove(code)
            quota = self._keeps(member, len(owned))
            self.parts[member] += owned[:quota]
            for code in owned[quota:]:
                self._given_up[code] = member

    def _keeps(self, member: int, owned: int) -> int:
        """How many of `owned` it keeps; what it may get in addition is recorded."""
        if owned < self._min:
            self._below.append(member)
            quota = owned
        elif owned >= self._max and self._full_now < self._full:
            quota = self._max
            self._full_now += 1
            if self._full_now == self._full:
                self._at_min.clear()
        else:
            quota = self._min
            if self._full_now < self._full:
                self._at_min.append(member)
        self._sizes[member] = quota
        return quota

    def _kept_order(self, member: int, claimed: list[int]) -> list[int]:
        if self._racks.in_use:
            owned = []
            for code in claimed:
                if not self._racks.mismatch(member, code):
                    owned.append(code)
                elif self._line.returns_stay_owned:
                    self._given_up[code] = member
        else:
            owned = claimed
        return self._space.by_number(owned) if self._line.kept_in_partition_order else list(owned)

    def _unassigned(self) -> list[int]:
        """What no member keeps, sorted. Kept partitions that do not exist end the comparison early, as they do in Kafka."""
        kept = sum(map(len, self.parts))
        if not kept:
            return self._space.everything()
        gone = frozenset().union(*self.parts)
        left = self._space.without(gone)
        if len(left) == self._space.total - kept:
            return left
        return not_in_order(self._space.everything(), sorted(chain.from_iterable(self.parts)))

    def _deal_by_rack(self, unassigned: list[int]) -> list[int]:
        """Round robin within racks, first to those below the lower quota. What is left over is returned."""
        left = []
        next_place = 0
        for code in unassigned:
            member = None
            place = self._racks.next_member(code, self._below, next_place)
            if place >= 0:
                member = self._below[place]
                count = self._sizes[member] + 1
                if count >= self._min:
                    self._below.remove(member)
                    if count < self._max and (self._full_now < self._full or not self._line.rack_quotas_kept):
                        self._at_min.append(member)
                else:
                    place += 1
                next_place = place % len(self._below) if self._below else 0
            elif self._at_min:
                place = self._racks.next_member(code, self._at_min, 0)
                if place >= 0:
                    member = self._at_min[place]
                    if self._sizes[member] + 1 == self._max:
                        del self._at_min[place]
                        if self._line.rack_quotas_kept:
                            self._full_now += 1
                            if self._full_now == self._full:
                                self._at_min.clear()
            if member is None:
                left.append(code)
            else:
                self._give(code, member)
        return left

    def _deal(self, unassigned: list[int]) -> None:
        """Round robin to those below the lower quota until there are none, then one each to those at it."""
        start = self._deal_full_rounds(unassigned)
        below, place = self._below, 0
        for code in unassigned[start:]:
            from_queue = False
            if place < len(below):
                member = below[place]
                place += 1
            elif below:
                member, place = below[0], 1
            elif self._at_min:
                member, from_queue = self._at_min.popleft(), True
            else:
                raise LeaderThrows("IllegalStateException: a partition is left, and no member can take it")
            count = self._give(code, member)
            if count == self._min:
                if from_queue:
                    raise LeaderThrows("IllegalStateException: a member is taken off a list on which it is not")
                place -= 1
                del below[place]
                self._at_min.append(member)
            elif count == self._max:
                self._full_now += 1

    def _deal_full_rounds(self, unassigned: list[int]) -> int:
        """The rounds in which no member reaches the lower quota, at once: how many partitions they took."""
        width = len(self._below)
        if not width:
            return 0
        rounds = min(len(unassigned) // width, self._min - 1 - max(self._sizes[member] for member in self._below))
        if rounds <= 0:
            return 0
        end = rounds * width
        moving = frozenset(self._given_up).union(self._claims.contested)
        for place, member in enumerate(self._below):
            dealt = unassigned[place:end:width]
            self.parts[member] += dealt
            self._sizes[member] += rounds
            if moving:
                for code in dealt:
                    self._note(code, member)
        return end

    def _give(self, code: int, member: int) -> int:
        self.parts[member].append(code)
        self._sizes[member] += 1
        self._note(code, member)
        return self._sizes[member]

    def _note(self, code: int, member: int) -> None:
        before = self._given_up.get(code)
        moves = before is not None and not (self._line.returns_stay_owned and before == member)
        if moves or code in self._claims.contested:
            self.transferring[code] = member

    def _verify(self) -> None:
        if not self._below:
            return
        if self._full_now != self._full:
            raise LeaderThrows("IllegalStateException: too few members have reached the upper quota, and no partition is left")
        if any(self._sizes[member] != self._min for member in self._below):
            raise LeaderThrows("IllegalStateException: a member has not reached the lower quota, and no partition is left")


def not_in_order(everything: Sequence[int], kept: Sequence[int]) -> list[int]:
    """What of `everything` is not in `kept`, as Kafka compares two sorted lists: one that does not exist hides those behind it."""
    left, place = [], 0
    for code in everything:
        if place < len(kept) and kept[place] == code:
            place += 1
        else:
            left.append(code)
    return left
