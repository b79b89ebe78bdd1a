"""All groups at a glance: which are at risk, where the order of process IDs changed, and whether forecasts came true."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.rollout.verify import Result
from holdfast.web.plans import PlanRow

Row = Mapping[str, Any]
PAGE_SIZE = 25
MOST_CHANGES = 50
MOST_DOTS = 4_000


@dataclass(frozen=True, slots=True)
class Risk:
    """A group by the loss of one host that moves most, if its replacement draws a fresh process ID."""

    cluster: str
    group_id: str
    host: str
    stateful_tasks: int
    moved: int
    without_copy: int
    hours: float | None

    @property
    def share(self) -> int:
        """Of its stateful tasks, in thousandths."""
        return self.moved * 1000 // self.stateful_tasks if self.stateful_tasks else 0


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
    """`day`: that of the tables; empty while nobody has made any."""

    day: str
    counts: tuple[tuple[str, int], ...]
    risks: tuple[Risk, ...]
    found: int
    page: int
    pages: int
    dots: tuple[Risk, ...]
    changes: tuple[Row, ...]
    more_changes: int
    accuracy: Accuracy
    quarantined: int


@dataclass(frozen=True, slots=True)
class Tables:
    """Rows of the day."""

    day: str
    clusters: Sequence[Row] = ()
    losses: Sequence[Row] = ()
    order_changes: Sequence[Row] = ()


def view(tables: Tables, plans: Iterable[PlanRow], text: str = "", page: int = 1) -> FleetView:
    risks = risks_of(tables.losses)
    found = [
        one
        for one in risks
        if all(word in f"{one.group_id} {one.cluster} {one.host}".casefold() for word in text.casefold().split())
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
        dots=risks[:MOST_DOTS],
        changes=tuple(changes[:MOST_CHANGES]),
        more_changes=max(0, len(changes) - MOST_CHANGES),
        accuracy=accuracy_of(plans),
        quarantined=counted["quarantined"],
    )


def risks_of(losses: Iterable[Row]) -> tuple[Risk, ...]:
    """Of each group the loss with a fresh ID that moves most; the groups of which most moves first."""
    worst: dict[tuple[str, str], Row] = {}
    for row in losses:
        key = (str(row["cluster"]), str(row["group_id"]))
        known = worst.get(key)
        if row["stateful_tasks"] and (known is None or (row["moved"] or 0) > (known["moved"] or 0)):
            worst[key] = row
    found = (
        Risk(
            cluster,
            group_id,
            str(row["host"] or "host not known"),
            row["stateful_tasks"],
            row["moved"] or 0,
            row["without_copy"] or 0,
            row["hours"],
        )
        for (cluster, group_id), row in worst.items()
    )
    return tuple(sorted(found, key=lambda one: (-one.share, -one.moved, one.group_id)))


def accuracy_of(plans: Iterable[PlanRow]) -> Accuracy:
    """By the verdicts beside the plans: fresher than the tables."""
    judged = [(row, row.score) for row in plans if row.score is not None and row.score.result is not Result.ON_THE_WAY]
    latest = sorted((row for row, _ in judged), key=lambda row: row.summary.created_at, reverse=True)
    return Accuracy(
        plans=len(judged),
        as_forecast=sum(score.result is Result.AS_FORECAST for _, score in judged),
        different=sum(score.result is Result.DIFFERENT for _, score in judged),
        tasks=sum(score.tasks for _, score in judged),
        tasks_as_forecast=sum(score.tasks_as_forecast for _, score in judged),
        recent=tuple(latest[:8]),
    )
