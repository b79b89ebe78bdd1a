"""All groups at a glance: which are at risk, where the order of process IDs changed, and whether forecasts came true."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from holdfast.rollout.execution.verdict import Result
from holdfast.web.courses import CountsOverTime
from holdfast.web.plans import PlanRow

Row = Mapping[str, Any]
PAGE_SIZE = 25
MOST_CHANGES = 25
SHARES = ((0, "none"), (100, "up to 10 %"), (250, "to 25 %"), (500, "to 50 %"), (800, "to 80 %"), (1000, "more"))
"""Columns of the matrix: the upper bounds, in thousandths of a group's tasks, or partitions, that move."""
TIMES = ((0.0, "immediate"), (1 / 6, "up to 10 min"), (1.0, "to 1 h"), (6.0, "to 6 h"), (24.0, "to a day"), (inf, "longer"))
"""Its rows from below: up to this many hours until the group is stable. One more row is for unknown times."""
UNKNOWN_TIME = len(TIMES)


@dataclass(frozen=True, slots=True)
class Risk:
    """A group by the loss of one host that moves most, if its replacement generates a new random ID.

    `total`: of what is `counted`, stateful tasks or partitions; `without_copy`: tasks that restore first; None: it has no state.
    """

    cluster: str
    group_id: str
    host: str
    total: int
    moved: int
    without_copy: int | None
    hours: float | None
    counted: str

    @property
    def share(self) -> int:
        """Of `total`, in thousandths."""
        return self.moved * 1000 // self.total if self.total else 0

    @property
    def cell(self) -> str:
        """Its place in the matrix: column and row, `4-2`."""
        column = next(
            number for number, (most, _) in enumerate(SHARES) if (1 if self.moved and not most else 0) + self.share <= most
        )
        hours = self.hours
        row = UNKNOWN_TIME if hours is None else next(number for number, (most, _) in enumerate(TIMES) if hours <= most)
        return f"{column}-{row}"


@dataclass(frozen=True, slots=True)
class CellView:
    """Groups of one place in the matrix. `level`: how bad that is: `calm`, `good`, `warn` or `bad`."""

    name: str
    count: int
    level: str


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Plans that were verified: how many went as forecast, and how many of their tasks ended where the forecast had them."""

    plans: int
    as_forecast: int
    different: int
    tasks: int
    tasks_as_forecast: int
    recent: tuple[PlanRow, ...]

    @property
    def percent(self) -> str:
        return f"{100 * self.tasks_as_forecast / self.tasks:.1f} %" if self.tasks else "none yet"


@dataclass(frozen=True, slots=True)
class FleetView:
    """`day`: that of the tables; empty while there are none."""

    day: str
    counts: tuple[tuple[str, int], ...]
    risks: tuple[Risk, ...]
    found: int
    page: int
    pages: int
    columns: tuple[str, ...]
    matrix: tuple[tuple[str, tuple[CellView, ...]], ...]
    """Rows from the longest time down, with what they are called; the last is of those of which it is unknown."""
    cell: str
    changes: tuple[Row, ...]
    more_changes: int
    accuracy: Accuracy
    quarantined: int
    trend: tuple[CountsOverTime, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """Rows of the day."""

    day: str
    clusters: Sequence[Row] = ()
    losses: Sequence[Row] = ()
    order_changes: Sequence[Row] = ()
    trend: tuple[CountsOverTime, ...] = ()


def counted_by_cluster(groups: Iterable[Row]) -> tuple[Row, ...]:
    """Rows as of the table `clusters`, from rows of the table `groups`: of several snapshots of a group the latest counts."""
    latest: dict[tuple[str, str], Row] = {}
    for row in groups:
        key = (str(row["cluster"]), str(row["group_id"]))
        if key not in latest or _moment(row) >= _moment(latest[key]):
            latest[key] = row
    return tuple(
        {"groups": 1, "quarantined": 0} | {name: row[name] for name in ("cluster", "clients", "stateful_tasks")}
        for row in latest.values()
    )


def _moment(row: Row) -> tuple[str, str]:
    return str(row["captured_at"] or ""), str(row["snapshot"] or "")


def view(tables: Tables, plans: Iterable[PlanRow], text: str = "", page: int = 1, cell: str = "") -> FleetView:
    risks = risks_of(tables.losses)
    found = [
        one
        for one in risks
        if cell in ("", one.cell)
        and all(word in f"{one.group_id} {one.cluster} {one.host}".casefold() for word in text.casefold().split())
    ]
    pages = max(1, -(-len(found) // PAGE_SIZE))
    page = min(max(1, page), pages)
    changes = sorted(
        (row for row in tables.order_changes if row["joined"] or row["left"]),
        key=lambda row: (-(row["moved_between_survivors"] or 0), -(row["moved"] or 0), str(row["group_id"])),
    )
    counted = {
        name: sum(row[name] or 0 for row in tables.clusters) for name in ("groups", "clients", "stateful_tasks", "quarantined")
    }
    return FleetView(
        day=tables.day,
        counts=(
            ("clusters", len({row["cluster"] for row in tables.clusters})),
            *((name.replace("_", " "), counted[name]) for name in ("groups", "clients", "stateful_tasks")),
        ),
        risks=tuple(found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]),
        found=len(found),
        page=page,
        pages=pages,
        columns=tuple(says for _, says in SHARES),
        matrix=_matrix(risks),
        cell=cell,
        changes=tuple(changes[:MOST_CHANGES]),
        more_changes=max(0, len(changes) - MOST_CHANGES),
        accuracy=accuracy_of(plans),
        quarantined=counted["quarantined"],
        trend=tables.trend,
    )


def _matrix(risks: Iterable[Risk]) -> tuple[tuple[str, tuple[CellView, ...]], ...]:
    """Rows without any group are left out, but for those between others."""
    counts = Counter(one.cell for one in risks)
    rows = [
        (says, tuple(_cell(column, row, counts[f"{column}-{row}"]) for column in range(len(SHARES))))
        for row, says in enumerate((*(says for _, says in TIMES), "unknown"))
    ]
    known = [number for number, (_, cells) in enumerate(rows[:UNKNOWN_TIME]) if any(one.count for one in cells)]
    shown = rows[known[0] : known[-1] + 1][::-1] if known else []
    return tuple(shown + [row for row in rows[UNKNOWN_TIME:] if any(one.count for one in row[1])])


def _cell(column: int, row: int, count: int) -> CellView:
    bad = column + (2 if row == UNKNOWN_TIME else row)
    level = "calm" if not count else "good" if not column or bad < 4 else "warn" if bad < 7 else "bad"
    return CellView(f"{column}-{row}", count, level)


def risks_of(losses: Iterable[Row]) -> tuple[Risk, ...]:
    """Of each group the loss with a new random ID that moves most, losses of known time before others; the groups of
    which most moves first."""
    worst: dict[tuple[str, str], Row] = {}
    for row in losses:
        key = (str(row["cluster"]), str(row["group_id"]))
        if _total(row) and row["moved"] is not None and (key not in worst or _badness(row) > _badness(worst[key])):
            worst[key] = row
    found = (
        Risk(
            cluster,
            group_id,
            str(row["host"] or "unknown host"),
            _total(row),
            row["moved"] or 0,
            None if row["stateful_tasks"] is None else row["without_copy"] or 0,
            row["hours"],
            "partition" if row["stateful_tasks"] is None else "task",
        )
        for (cluster, group_id), row in worst.items()
    )
    return tuple(sorted(found, key=lambda one: (-one.share, -one.moved, one.group_id)))


def _badness(row: Row) -> tuple[int, bool]:
    return row["moved"] or 0, row["hours"] is not None


def _total(row: Row) -> int:
    return int((row["partitions"] if row["stateful_tasks"] is None else row["stateful_tasks"]) or 0)


_JUDGED = (Result.AS_FORECAST, Result.DIFFERENT)


def accuracy_of(plans: Iterable[PlanRow]) -> Accuracy:
    """From the verdicts next to the plans: fresher than the tables."""
    judged = [(row, row.score) for row in plans if row.score is not None and row.score.result in _JUDGED]
    latest = sorted((row for row, _ in judged), key=lambda row: row.summary.created_at, reverse=True)
    return Accuracy(
        plans=len(judged),
        as_forecast=sum(score.result is Result.AS_FORECAST for _, score in judged),
        different=sum(score.result is Result.DIFFERENT for _, score in judged),
        tasks=sum(score.tasks for _, score in judged),
        tasks_as_forecast=sum(score.tasks_as_forecast for _, score in judged),
        recent=tuple(latest[:8]),
    )
