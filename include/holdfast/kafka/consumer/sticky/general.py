"""The sticky assignors where subscriptions differ. Java: `AbstractStickyAssignor`, general assignment, 2.6 to 4.3.

Every member keeps what it may keep; the rest goes to the least loaded subscriber; then partitions move, one by one, while that
makes the assignment more even. Kafka asks before each partition whether everything is balanced; here a pair that shows that it is
not is kept until it no longer does, and nothing is worked out again while nothing moves.
"""

import contextlib
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from holdfast.kafka import java
from holdfast.kafka.consumer.group import LeaderThrows
from holdfast.kafka.consumer.racks import RackInfo
from holdfast.kafka.consumer.release import Behaviour
from holdfast.kafka.consumer.reports import Report
from holdfast.kafka.consumer.space import Space
from holdfast.kafka.consumer.sticky.movements import Movements


@dataclass(frozen=True, slots=True)
class Start:
    """What the members come with. `kept`: by report; `unassigned`: in order; `previous`: whose a partition was before.

    `owner`: whose a partition is assumed to be, which need not be where it is kept (two may keep it).
    """

    kept: list[list[int]]
    owner: dict[int, int]
    unassigned: list[int]
    previous: dict[int, int]
    revocation_required: bool
    orderly: bool = False
    """Everything that is kept exists, is kept once, and is all that `owner` knows."""


class General:
    """Members by rank: `order` holds them as Java's HashMap does. `parts` is the result."""

    def __init__(self, reports: Sequence[Report], start: Start, space: Space, racks: RackInfo, line: Behaviour) -> None:
        self._space, self._racks = space, racks
        self._start = start
        self._slack = 1 if line.balanced_within_one else 0
        self._order = [report.rank for report in reports]
        self._width = len(reports)
        self.parts: list[list[int]] = [[] for _ in reports]
        self._owner = dict(start.owner)
        for report, kept in zip(reports, start.kept, strict=True):
            self.parts[report.rank] = list(kept)
        self._topics: list[list[int]] = [[] for _ in reports]
        number_of = {topic: place for place, topic in enumerate(space.topics)}
        for report in reports:
            self._topics[report.rank] = sorted(number_of[topic] for topic in report.topics if topic in number_of)
        self._subscribers: list[dict[int, None]] = [{} for _ in space.topics]
        for member in self._order:
            for place in self._topics[member]:
                self._subscribers[place][member] = None
        self._most = [sum(space.counts[place] for place in topics) for topics in self._topics]
        self._taking_part = [True] * self._width
        self._loads = sorted(len(part) * self._width + member for member, part in enumerate(self.parts))
        """A TreeSet of the members that take part, by load and member ID."""
        self._movements = Movements(space)
        self._owners: list[dict[int, int]] = []
        """By topic: how many of its partitions each member that takes part has. Empty until a member asks."""
        self._witness: tuple[int, int, int] | None = None
        self._balanced: bool | None = None
        self._odd = False
        """Some partition is owned twice, or does not exist."""

    def assign(self) -> None:
        """Raise LeaderThrows where Kafka's class stumbles over a member that it set aside."""
        initializing = self._loads[-1] < self._width
        unassigned = self._start.unassigned
        self._hand_out(unassigned)
        movable = [len(subscribers) >= 2 for subscribers in self._subscribers]
        self._set_aside(movable)
        self._odd = not self._start.orderly and self._is_odd()
        before = [list(part) for part in self.parts]
        if not self._start.revocation_required:
            self._reassign([[code for code in unassigned if movable[self._space.place(code)]]])
        places = sorted(range(len(movable)), key=lambda place: (len(self._subscribers[place]), place))
        everything = [self._space.of_topic(place) for place in places if movable[place]]
        if self._reassign(everything) and not initializing and self._score(self.parts) >= self._score(before):
            self.parts = before

    def _is_odd(self) -> bool:
        owner = self._owner
        if sum(map(len, self.parts)) != len(owner) or not all(map(self._space.exists, owner)):
            return True
        return any(owner[code] != member for member, part in enumerate(self.parts) for code in part)

    def _hand_out(self, codes: Sequence[int]) -> None:
        if self._racks.in_use:
            codes = [code for code in codes if not self._give_to_least(code, by_rack=True)]
        for code in codes:
            self._give_to_least(code, by_rack=False)

    def _give_to_least(self, code: int, *, by_rack: bool) -> bool:
        subscribers = self._subscribers[self._space.place(code)]
        for load in self._loads:
            member = load % self._width
            if member in subscribers and not (by_rack and self._racks.mismatch(member, code)):
                self._unlist(member)
                self.parts[member].append(code)
                self._owner[code] = member
                self._list(member)
                return True
        return False

    def _set_aside(self, movable: Sequence[bool]) -> None:
        """Who has all that it can have, and nothing that could go elsewhere, takes no part in what follows."""
        place_of = self._space.place
        for member, part in enumerate(self.parts):
            if len(part) >= self._most[member] and not any(movable[place_of(code)] for code in part):
                self._unlist(member)
                self._taking_part[member] = False

    def _unlist(self, member: int) -> None:
        del self._loads[bisect_left(self._loads, len(self.parts[member]) * self._width + member)]

    def _list(self, member: int) -> None:
        insort(self._loads, len(self.parts[member]) * self._width + member)

    def _load(self, member: int) -> int:
        if not self._taking_part[member]:
            raise LeaderThrows("NullPointerException: a member that takes no part in the reassignment is asked for its load")
        return len(self.parts[member])

    def _reassign(self, lists: Sequence[Sequence[int]]) -> bool:
        """Move partitions, list by list, as long as one can go to a member with at least two less. Whether any did."""
        performed = False
        previous = self._start.previous
        modified = True
        while modified:
            modified = False
            for code in chain.from_iterable(lists):
                if self._is_balanced():
                    break
                owner = self._owner[code]
                load = self._load(owner)
                target = previous.get(code)
                if target is None or load <= self._load(target) + 1:
                    if not self._can_go_down(self._space.place(code), load):
                        continue
                    target = self._least(self._space.place(code))
                self._move(self._movements.instead_of(code, owner, target), target)
                performed = modified = True
        return performed

    def _can_go_down(self, place: int, load: int) -> bool:
        """Whether some subscriber has at least two partitions less."""
        if not self._odd:
            return load > self._loads[0] // self._width + 1 and load > len(self.parts[self._least(place)]) + 1
        return any(load > self._load(member) + 1 for member in self._subscribers[place])

    def _least(self, place: int) -> int:
        """The least loaded subscriber of a topic; the first by ID among equals."""
        subscribers = self._subscribers[place]
        if len(subscribers) ** 2 < self._width:
            loads = [len(self.parts[member]) * self._width + member for member in subscribers if self._taking_part[member]]
            if loads:
                return min(loads) % self._width
        else:
            for load in self._loads:
                if load % self._width in subscribers:
                    return load % self._width
        raise LeaderThrows("NullPointerException: no subscriber of a topic takes part in the reassignment")

    def _move(self, code: int, target: int) -> None:
        source = self._owner[code]
        self._load(source)
        self._load(target)
        self._unlist(source)
        if target != source:
            self._unlist(target)
        self._movements.move(code, source, target)
        with contextlib.suppress(ValueError):  # one that is owned twice may have left already
            self.parts[source].remove(code)
        self.parts[target].append(code)
        self._owner[code] = target
        if self._owners:
            owners = self._owners[self._space.place(code)]
            owners[source] -= 1
            if not owners[source]:
                del owners[source]
            owners[target] = owners.get(target, 0) + 1
        self._list(target)
        if target != source:
            self._list(source)
        self._balanced = None

    def _count_owners(self) -> None:
        self._owners = [{} for _ in self._space.topics]
        for code, member in self._owner.items():
            owners = self._owners[self._space.place(code)]
            owners[member] = owners.get(member, 0) + 1

    def _is_balanced(self) -> bool:
        """No member could take over a partition from one that has more."""
        if self._balanced is None:
            self._balanced = self._look_whether_balanced()
        return self._balanced

    def _look_whether_balanced(self) -> bool:
        if not self._loads:
            raise LeaderThrows("NoSuchElementException: no member takes part in the reassignment")
        width = self._width
        highest = self._loads[-1] // width
        if self._loads[0] // width >= highest - 1:
            return True
        if self._odd:
            return self._balanced_as_kafka_looks()
        return self._nobody_could_take_over(width, highest)

    def _nobody_could_take_over(self, width: int, highest: int) -> bool:
        if not self._owners:
            self._count_owners()
        parts, slack = self.parts, self._slack
        if self._witness is not None:
            member, owner, place = self._witness
            size = len(parts[member])
            if owner in self._owners[place] and size + slack < len(parts[owner]) and size != self._most[member]:
                return False  # (one that has back what it no longer subscribes to may be full without having all of a topic)
        for load in self._loads:
            size, member = divmod(load, width)
            if size + slack >= highest:
                return True
            if size == self._most[member]:
                continue
            for place in self._topics[member]:
                for owner in self._owners[place]:
                    if size + slack < len(parts[owner]):
                        self._witness = member, owner, place
                        return False
        return True

    def _balanced_as_kafka_looks(self) -> bool:
        """The same step by step, for groups in which something is owned twice or does not exist."""
        owner: dict[int, int] = {}
        for member in self._order:
            if self._taking_part[member]:
                owner.update(dict.fromkeys(self.parts[member], member))
        for load in self._loads:
            size, member = divmod(load, self._width)
            if size == self._most[member]:
                continue
            for place in self._topics[member]:
                for code in self._space.of_topic(place):
                    if code in self.parts[member]:
                        continue
                    if code not in owner:
                        raise LeaderThrows("NullPointerException: a partition belongs to no member that takes part")
                    if size + self._slack < len(self.parts[owner[code]]):
                        return False
        return True

    def _score(self, parts: Sequence[Sequence[int]]) -> int:
        """The sum of the differences in load of all pairs, as a Java int."""
        loads = sorted(len(part) for part, in_it in zip(parts, self._taking_part, strict=True) if in_it)
        return java.signed_int(sum((2 * place - len(loads) + 1) * load for place, load in enumerate(loads)))
