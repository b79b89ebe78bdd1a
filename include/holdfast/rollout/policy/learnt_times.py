"""Times of a group that are learnt from its own past, as a policy carries them to where times are worked out.

No person states them: `timing.learnt_speeds` adds them where nothing that is stated says otherwise.
"""

from holdfast.rollout.backtest.learnt import MOST_IN_A_ROW, SPAN, Span
from holdfast.rollout.json.codec import items, nullable
from holdfast.rollout.json.record import member, record

_SPAN, _SPANS = nullable(SPAN), items(SPAN, at_most=MOST_IN_A_ROW)


@record
class LearntTimes:
    """Each None: too seldom seen, or stated."""

    restart: Span | None = member(
        _SPAN, "Seconds from the stop of a client that is restarted until it has joined again and is missed no more.", default=None
    )
    restarts_apart: Span | None = member(
        _SPAN, "Seconds from the end of one restart of a rolling restart to the end of the next.", default=None
    )
    took: Span | None = member(
        _SPAN, "How many times its usual forecast duration a course without probing rebalances takes.", default=None
    )
    took_probing: Span | None = member(_SPAN, "The same, of a course with probing rebalances.", default=None)
    in_a_row: tuple[Span, ...] = member(
        _SPANS,
        "Seconds from the end of one restart of a rolling restart to the end of the second after it, the third, and so on.",
        default=(),
        omit=True,
    )
    rolls: tuple[Span, ...] = member(
        _SPANS,
        "Seconds from the first stop of a rolling restart until it is over: of one with two restarts, three, and so on.",
        default=(),
        omit=True,
    )

    def roll(self, further: int) -> Span:
        """Seconds from the first stop of a rolling restart until it is over, with `further` restarts after the first. What is
        unknown as a whole is added up from the longest parts that are known, as if all were fast, or slow, together.
        `restarts_apart` has to be known; without `restart` it counts from the end of the first."""
        assert self.restarts_apart is not None, "known where it is asked for"
        apart = (self.restarts_apart, *self.in_a_row)
        whole = (_NO_TIME,) if self.restart is None else (self.restart, *self.rolls)
        start = min(further, len(whole) - 1)
        found, left = whole[start], further - start
        while left:
            part = min(left, len(apart))
            found, left = _sum(found, apart[part - 1]), left - part
        return found


_NO_TIME = Span(0, 0, 0)


def _sum(one: Span, other: Span) -> Span:
    return Span(one.low + other.low, one.usual + other.usual, one.high + other.high)


NOTHING_LEARNT = LearntTimes()
