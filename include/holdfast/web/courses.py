"""Counts over time as pictures: one column a snapshot or a day, whatever it counts. Pure; a table has the same figures."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.rollout.text.format import many

Row = Mapping[str, Any]
WIDTH, HEIGHT = 1000, 130
WIDEST, NARROWEST = 20, 3
MOST_COLUMNS = 120


@dataclass(frozen=True, slots=True)
class Point:
    """A count at a moment (ISO 8601), or of a day."""

    at: str
    count: int


@dataclass(frozen=True, slots=True)
class Column:
    """`x`, `width`, `height` in units of the picture."""

    x: int
    width: int
    height: int
    says: str


@dataclass(frozen=True, slots=True)
class CountsOverTime:
    """Counts of one thing over time. `table`: (moment, count) of every column; `last`: the newest count."""

    name: str
    columns: tuple[Column, ...]
    table: tuple[tuple[str, int], ...]
    most: int
    last: int
    since: str
    until: str


def course(name: str, counted: str, points: Iterable[Point], together: Callable[[Iterable[int]], int]) -> CountsOverTime | None:
    """One column for each point, or, of more than MOST_COLUMNS, for each of that number of equal time spans, by `together` (sum,
    max).

    `counted`: the word for one. None: there is nothing to show.
    """
    shown = sorted(points, key=lambda one: one.at)
    if not shown:
        return None
    times = [datetime.fromisoformat(one.at).timestamp() for one in shown]
    first, span = times[0], max(1.0, times[-1] - times[0])
    slots: dict[int, list[Point]] = {}
    for number, (at, one) in enumerate(zip(times, shown, strict=True)):
        slot = number if len(shown) <= MOST_COLUMNS else min(MOST_COLUMNS - 1, int((at - first) / span * MOST_COLUMNS))
        slots.setdefault(slot, []).append(one)
    table = tuple((found[-1].at, together(one.count for one in found)) for found in slots.values())
    most = max(1, *(count for _, count in table))
    width = max(NARROWEST, min(WIDEST, WIDTH // (2 * len(table))))
    columns = tuple(
        Column(
            x=round((datetime.fromisoformat(at).timestamp() - first) / span * (WIDTH - width)),
            width=width,
            height=count * HEIGHT // most if count else 0,
            says=f"{_moment(at)}: {many(count, counted)}",
        )
        for at, count in table
    )
    last = table[-1][1]
    return CountsOverTime(
        name, columns, tuple((_moment(at), count) for at, count in table), most, last, shown[0].at[:10], shown[-1].at[:10]
    )


def _moment(at: str) -> str:
    return at[:16].replace("T", " ")


def of_group(rows: Iterable[Row]) -> tuple[CountsOverTime, ...]:
    """From rows of the table `groups` about one group: its rebalances from snapshot to snapshot, and what lags."""
    known = sorted((row for row in rows if row["captured_at"]), key=lambda row: str(row["captured_at"]))
    counted = [row for row in known if row["generation"] is not None]
    rebalances = [
        Point(str(now["captured_at"]), max(0, now["generation"] - was["generation"])) for was, now in itertools.pairwise(counted)
    ]
    found = (
        course("Rebalances between snapshots", "rebalance", rebalances, sum),
        course("Lag of the group", "record", _points(known, "lag"), max),
        course("Records that other copies of the state lack", "record", _points(known, "copies_behind"), max),
    )
    return tuple(one for one in found if one is not None)


def of_fleet(clusters: Iterable[Row], order_changes: Iterable[Row]) -> tuple[CountsOverTime, ...]:
    """From rows of the tables `clusters` and `order_changes` of several days: what each day had, all clusters together."""
    days = list(clusters)
    moved = [{"day": row["day"], "moved": row["moved"], "avoidable": row["moved_between_survivors"]} for row in order_changes]
    quiet = [{"day": day, "moved": 0, "avoidable": 0} for day in sorted({str(row["day"]) for row in days})]
    found = (
        course("Groups", "group", _by_day(days, "groups"), sum),
        course("Rebalances", "rebalance", _by_day(days, "rebalances"), sum),
        course("Moved by changes of the process-ID order", "task", _by_day([*moved, *quiet], "moved"), sum),
        course("Of these avoidable", "task", _by_day([*moved, *quiet], "avoidable"), sum),
        course("Lag of consumer groups", "record", _by_day(days, "lag"), max),
        course("Unreadable documents", "document", _by_day(days, "quarantined"), sum),
    )
    return tuple(one for one in found if one is not None and (one.name == "Groups" or any(count for _, count in one.table)))


def _by_day(rows: Iterable[Row], name: str) -> list[Point]:
    totals: dict[str, int] = {}
    for row in rows:
        if row[name] is not None:
            totals[str(row["day"])] = totals.get(str(row["day"]), 0) + row[name]
    return [Point(day, total) for day, total in totals.items()]


def _points(rows: Iterable[Row], name: str) -> list[Point]:
    return [Point(str(row["captured_at"]), row[name]) for row in rows if row[name] is not None]
