"""What a group's own past says of time: how often each quantity was seen, and a range that covers nine in ten of what comes next.

Ranges are order statistics: among n values, the next one is as likely to be in any of the n + 1 places of their order. So the
range from the k-th smallest to the k-th largest holds it with a probability of (n + 1 - 2k) / (n + 1). Nothing is assumed of how
values are distributed, but that the next one comes about as they did. Fewer than `FEWEST` values have no such range.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile
from math import ceil, floor
from statistics import median

from holdfast.errors import InvalidInput
from holdfast.kafka import java
from holdfast.rollout.backtest.judged import SequenceResult
from holdfast.rollout.json.codec import Codec, choice, integer, items, nullable, number
from holdfast.rollout.json.record import codec_of, member, record

COVERED = 0.9
FEWEST = 19
"""Values that a range on both sides takes: between the smallest and the largest of 19, the next is in 18 of 20 cases."""
FEWEST_COURSES = 9
"""Values that a range on one side takes: below the largest of 9, the next is in 9 of 10 cases."""
MOST = 200
"""Values that are kept, the newest: a group's hosts and disks are not what they were."""
MOST_IN_A_ROW = 50
"""Longer rolling restarts are added up from such parts."""
_EXACT = 1_000
"""Ranges are rounded outwards to the thousandth: what is equal to a limit is within it."""
_COUNT = integer(0, java.INT_MAX)
_LARGEST = 1e12
_FIGURE = number("a number that is not negative", 0, _LARGEST)


@record
class Span:
    """`low` to `high` covers nine in ten of what comes next; `usual`: the median."""

    low: float = member(_FIGURE)
    usual: float = member(_FIGURE)
    high: float = member(_FIGURE)


def _rising(one: Span) -> None:
    if not one.low <= one.usual <= one.high:
        raise InvalidInput("a range is needed: `low`, `usual` and `high`, none smaller than the one before")


SPAN: Codec[Span] = codec_of(Span).checked(_rising)


@record
class Quantity:
    """`seen`: how often, of the newest. `span` None: too seldom."""

    seen: int = member(_COUNT)
    span: Span | None = member(nullable(SPAN), default=None)


@record
class Held:
    """Forecast numbers of rebalances: within the range in `within` of `of` courses, the newest. `more`: by how many rebalances the
    range has to be wider on either side, so that it covers nine in ten of what comes next; None: there are too few courses."""

    within: int = member(_COUNT)
    of: int = member(_COUNT)
    more: int | None = member(nullable(_COUNT), default=None)


NOTHING = Quantity(0)


@record
class Learnt:
    """Of one group. `restore`: records per second of one client; `start_up`: seconds from the stop of a client that is restarted
    until it has joined again; `restart`: until then, and until its session is over where it does not leave; `restarts_apart`:
    seconds from the end of one restart to the end of the next, where one follows the other; `in_a_row`: to the end of the second
    after it, the third, and so on; `rolls`: seconds from the first stop of a rolling restart until it is over, where it has two
    restarts, three, and so on; both where there is a range. `took`, `took_probing`: how many times its usual forecast duration
    a course took: one that was forecast to wait for no probing rebalance, and one that was. `rebalances`: whether its number was
    within the range."""

    restore: Quantity = member(codec_of(Quantity), default=NOTHING)
    start_up: Quantity = member(codec_of(Quantity), default=NOTHING)
    restart: Quantity = member(codec_of(Quantity), default=NOTHING)
    restarts_apart: Quantity = member(codec_of(Quantity), default=NOTHING)
    in_a_row: tuple[Quantity, ...] = member(items(codec_of(Quantity), at_most=MOST_IN_A_ROW), default=(), omit=True)
    rolls: tuple[Quantity, ...] = member(items(codec_of(Quantity), at_most=MOST_IN_A_ROW), default=(), omit=True)
    took: Quantity = member(codec_of(Quantity), default=NOTHING)
    took_probing: Quantity = member(codec_of(Quantity), default=NOTHING)
    rebalances: Held = member(codec_of(Held), default=Held(0, 0))


class Stated(StrEnum):
    """What an operator may state, and the past may show."""

    RESTORE = "restore speed"
    START_UP = "client start-up"


@record
class Disagreement:
    """An operator stated `low` to `high` (one figure: both are it); `seen` observations show another range, apart from it."""

    what: Stated = member(choice(Stated))
    low: float = member(_FIGURE)
    high: float = member(_FIGURE)
    learnt: Span = member(SPAN)
    seen: int = member(_COUNT)


Bounds = tuple[float, float]


class Values:
    """The newest values of one quantity. Each was between two bounds, which are one where it is known exactly."""

    def __init__(self) -> None:
        self._bounds: deque[tuple[float, float]] = deque(maxlen=MOST)

    def take(self, low: float, high: float) -> None:
        """Clocks of brokers may go backwards, and reports may be of any size: figures beyond what is counted are its limits."""
        self._bounds.append((min(max(0, low), _LARGEST), min(max(0, high), _LARGEST)))

    def quantity(self) -> Quantity:
        """With a range that covers nine in ten, wherever between their bounds the values were."""
        count = len(self._bounds)
        if count < FEWEST:
            return Quantity(count)
        left_out = floor((count + 1) * (1 - COVERED) / 2 + 1e-9)
        lows, highs = sorted(low for low, _ in self._bounds), sorted(high for _, high in self._bounds)
        low, high = lows[left_out - 1], highs[-left_out]
        low, high = floor(low * _EXACT) / _EXACT, ceil(high * _EXACT) / _EXACT
        usual = round(median((least + most) / 2 for least, most in self._bounds), 3)
        return Quantity(count, Span(low, min(max(usual, low), high), high))


class RestartValues:
    """What restarts of clients show, each taken once it is over."""

    def __init__(self) -> None:
        self.away, self.missed, self.rolls = Values(), Values(), RollValues()

    def take(self, restarts: Sequence[tuple[Bounds, Bounds]], apart_s: float | None = None) -> None:
        """Those that ended together, each in seconds: until the client has joined again; until it is missed no more. `apart_s`:
        since the restarts before, in a rolling one; None: they follow none."""
        for away, missed in restarts:
            self.away.take(*away)
            self.missed.take(*missed)
        if apart_s is not None:
            self.rolls.go_on(apart_s)
        elif restarts:
            self.rolls.begin((max(low for _, (low, _) in restarts), max(high for _, (_, high) in restarts)))


class RollValues:
    """How long parts of rolling restarts took. Those that begin with the first stop are kept apart: what an operator does between
    two restarts is in the others."""

    def __init__(self) -> None:
        self._in_a_row = [Values() for _ in range(MOST_IN_A_ROW)]
        self._whole = [Values() for _ in range(MOST_IN_A_ROW)]
        self._first: Bounds = (0, 0)
        self._ends: list[float] = [0]

    def begin(self, first: Bounds) -> None:
        """With a restart that took so long."""
        self._first, self._ends = first, [0]

    def go_on(self, apart_s: float) -> None:
        """With a restart that ended so long after the one before. No second is in two parts of the same length."""
        self._ends.append(self._ends[-1] + apart_s)
        count, end = len(self._ends) - 1, self._ends[-1]
        for parts in range(1, min(count, MOST_IN_A_ROW) + 1):
            if count % parts == 0:
                seconds = end - self._ends[-1 - parts]
                self._in_a_row[parts - 1].take(seconds, seconds)
        if count <= MOST_IN_A_ROW:
            self._whole[count - 1].take(self._first[0] + end, self._first[1] + end)

    def apart(self) -> Quantity:
        return self._in_a_row[0].quantity()

    def in_a_row(self) -> tuple[Quantity, ...]:
        return _known(self._in_a_row[1:])

    def whole(self) -> tuple[Quantity, ...]:
        return _known(self._whole)


def _known(values: Iterable[Values]) -> tuple[Quantity, ...]:
    """Up to the first without a range: there are no more of longer ones."""
    return tuple(takewhile(lambda one: one.span is not None, (one.quantity() for one in values)))


@dataclass(frozen=True, slots=True)
class Duration:
    """The forecast duration of a course, in seconds: as it usually goes, and the range where nothing is learnt. `probing`: whether
    it usually waits for a probing rebalance."""

    usual: float
    low: float
    high: float
    probing: bool = False

    @property
    def counted(self) -> float:
        return max(self.usual, SHORTEST_S)


SHORTEST_S = 1.0
"""Shorter ones are not distinguished."""


class Courses:
    """Takes the courses of a group in order. What it says of the next one, it has from those before."""

    def __init__(self) -> None:
        self._took = {False: Values(), True: Values()}
        self._missed: deque[int] = deque(maxlen=MOST)
        """By how many rebalances each course missed the forecast range."""

    def with_duration(self, one: SequenceResult, forecast: Duration) -> SequenceResult:
        """The same with the range of its duration. It is learnt from thereafter, if it is a course."""
        one = replace(one, seconds_at_least=forecast.low, seconds_at_most=forecast.high)
        low, high = one.rounds_at_least, one.rounds_at_most
        if not one.course or low is None or high is None:
            return one
        took = self._took[forecast.probing]
        known = took.quantity()
        took.take(one.seconds / forecast.counted, one.seconds / forecast.counted)
        self._missed.append(max(0, low - one.rounds, one.rounds - high))
        if known.span is None:
            return one
        within = known.span.low * forecast.counted, known.span.high * forecast.counted
        return replace(one, seconds_at_least=within[0], seconds_at_most=within[1], learnt_from=known.seen)

    def held(self) -> Held:
        """How the forecast numbers of rebalances held."""
        count = len(self._missed)
        more = sorted(self._missed)[ceil(COVERED * (count + 1) - 1e-9) - 1] if count >= FEWEST_COURSES else None
        return Held(sum(not one for one in self._missed), count, more)

    def learnt(self, restore: Quantity = NOTHING, restarts: RestartValues | None = None) -> Learnt:
        ended = RestartValues() if restarts is None else restarts
        return Learnt(
            restore=restore,
            start_up=ended.away.quantity(),
            restart=ended.missed.quantity(),
            restarts_apart=ended.rolls.apart(),
            in_a_row=ended.rolls.in_a_row(),
            rolls=ended.rolls.whole(),
            took=self._took[False].quantity(),
            took_probing=self._took[True].quantity(),
            rebalances=self.held(),
        )
