"""Times of a group that are learnt from its own past, as a policy carries them to where times are worked out.

No person states them: `timing.learnt_speeds` adds them where nothing that is stated says otherwise.
"""

from holdfast.rollout.backtest.learnt import SPAN, Span
from holdfast.rollout.json.codec import nullable
from holdfast.rollout.json.record import member, record

_SPAN = nullable(SPAN)


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


NOTHING_LEARNT = LearntTimes()
