"""What the pages of a group and of the fleet read: the newest snapshots, and the tables of the newest day."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.parquet_tables import ParquetTables
from holdfast.errors import InvalidInput
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.teams.sight import Sight
from holdfast.web import courses, fleet_view, group_view
from holdfast.web.plans import PlanRow
from holdfast.workflows import past, snapshots

NO_SNAPSHOT = "The lake holds no snapshot of such a group in its last days."
MOST_HISTORY = 20
CHANGES_OF_DAYS = 30
TREND_OF_DAYS = 21
_LOSS = ("group_id", "host", "scenario", "stateful_tasks", "partitions", "moved", "without_copy", "hours")
_LOSS_OF_GROUP = (*_LOSS, "process_id", "member_id", "probability", "restore_bytes", "longest_stop_seconds")
_COURSE = ("captured_at", "generation", "lag", "copies_behind")
_GROUP = ("group_id", "captured_at", "snapshot", "clients", "stateful_tasks")
_DAY = ("groups", "quarantined", "rebalances", "lag")
_CHANGE = ("group_id", "captured_at", "joined", "left", "moved", "moved_between_survivors")


def group(place: LakeAddress, cluster: str, group_id: str, now: datetime) -> group_view.GroupView:
    """Raise InvalidInput where the lake holds nothing about such a group."""
    lake, tables = FsspecLake(place), ParquetTables(place)
    newest = tuple(islice(snapshots.newest_first(lake, cluster, group_id), MOST_HISTORY)) if group_id else ()
    if not newest:
        raise InvalidInput(NO_SNAPSHOT)
    days, since = tables.days("blast_radius"), (now - timedelta(days=CHANGES_OF_DAYS)).date().isoformat()
    mine = {"group_id": (group_id,)}
    losses = tables.rows("blast_radius", days[-1:], _LOSS_OF_GROUP, mine, cluster)
    changes = tables.rows("order_changes", [day for day in tables.days("order_changes") if day >= since], _CHANGE, mine, cluster)
    rows = tables.rows("groups", [day for day in tables.days("groups") if day >= since], _COURSE, mine, cluster)
    taken = snapshot(place, newest[0])
    recorded = group_view.GroupInLake(
        losses, days[-1] if losses else "", changes, newest, courses.of_group(rows), past.newest(tables, taken)
    )
    return group_view.view(taken, recorded, now)


@lru_cache(maxsize=32)
def snapshot(place: LakeAddress, snapshot_id: str) -> AnySnapshot:
    """A snapshot never changes."""
    return snapshots.load(FsspecLake(place), snapshot_id)


def first_steps(place: LakeAddress, *, clusters: bool, planned: bool) -> tuple[tuple[str, bool], ...]:
    """What leads to a first plan, and whether it is done. `clusters`: Airflow knows of one."""
    collected, forecast = bool(snapshots.days(FsspecLake(place))), bool(ParquetTables(place).days("clusters"))
    return (("clusters", clusters), ("collected", collected), ("forecast", forecast), ("planned", planned))


@lru_cache(maxsize=4)
def _trend(place: LakeAddress, days: tuple[str, ...], _hour: str) -> tuple[courses.CountsOverTime, ...]:
    """Read once an hour: days before the last change only where one of them is computed again."""
    tables = ParquetTables(place)
    return courses.of_fleet(tables.rows("clusters", days, _DAY), tables.rows("order_changes", days, _CHANGE))


def fleet(
    place: LakeAddress, plans: Iterable[PlanRow], text: str, page: int, cell: str, now: datetime, sight: Sight
) -> fleet_view.FleetView:
    """Of the groups that `sight` sees, and counted from these alone."""
    tables = ParquetTables(place)
    days = tables.days("clusters")
    if not days:
        return fleet_view.view(fleet_view.Tables(""), plans, text, page, cell)
    day = days[-1]
    losses = tables.rows("blast_radius", (day,), _LOSS, {"scenario": Scenario.NEW_ID_LIKELIEST.in_tables})
    changes = tables.rows("order_changes", (day,), _CHANGE)
    if sight.everything:
        counts = tables.rows("clusters", (day,), ("groups", "clients", "stateful_tasks", "quarantined"))
        trend = _trend(place, days[-TREND_OF_DAYS:], now.strftime("%Y-%m-%d %H"))
        return fleet_view.view(fleet_view.Tables(day, counts, losses, changes, trend), plans, text, page, cell)

    def seen(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        return [row for row in rows if sight.sees(row["cluster"], row["group_id"])]

    counts = fleet_view.counted_by_cluster(seen(tables.rows("groups", (day,), _GROUP)))
    return fleet_view.view(fleet_view.Tables(day, counts, seen(losses), seen(changes)), plans, text, page, cell)
