"""The history of a group's process-ID order as a chart: one bar per recorded change. Pure; a table has the same figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.rollout.text.format import many
from holdfast.web.group_view import OrderChangeView

WIDTH, HEIGHT, BAR = 1000, 130, 10
MOST_BARS = 120


@dataclass(frozen=True, slots=True)
class Bar:
    """Heights in units of the picture; `moved` holds `collateral` too."""

    x: int
    width: int
    moved: int
    collateral: int
    count: int
    day: str
    says: str


def bars(changes: Sequence[OrderChangeView]) -> tuple[Bar, ...]:
    """The oldest first; the newest MOST_BARS of them. Nothing: none."""
    shown = sorted(changes, key=lambda one: one.at)[-MOST_BARS:]
    if not shown:
        return ()
    times = [datetime.fromisoformat(one.at).timestamp() for one in shown]
    first, span = times[0], max(1.0, times[-1] - times[0])
    most = max(1, *(one.moved for one in shown))
    return tuple(
        Bar(
            x=round((at - first) / span * (WIDTH - BAR)),
            width=BAR,
            moved=max(2, one.moved * HEIGHT // most),
            collateral=min(one.collateral, one.moved) * HEIGHT // most,
            count=one.moved,
            day=one.at[:10],
            says=f"{one.at[:16]}: {many(one.moved, 'task')} moved, {one.collateral:,} avoidable",
        )
        for at, one in zip(times, shown, strict=True)
    )
