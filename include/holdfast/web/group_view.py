"""One group as its page shows it: its members, and what losing each host would do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.rollout.backtest import past
from holdfast.rollout.backtest.past import PastScore
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.protocols import table
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.format import amount_of_bytes, duration
from holdfast.web.courses import CountsOverTime
from holdfast.web.kinds.kind_pages import KindPages, MemberTable
from holdfast.web.kinds.registry import pages_of
from holdfast.web.parts.plan_view import ago

Row = Mapping[str, Any]
MOST_MEMBERS = 1_000


@dataclass(frozen=True, slots=True)
class LossView:
    """What the loss of one host would do. `share`: of the group's stateful tasks, in thousandths."""

    host: str
    process_id: str
    cells: tuple[tuple[str, str, int], ...]
    """A case of losing it: name, what it does, thousandths of all tasks that move."""
    worst: int


@dataclass(frozen=True, slots=True)
class OrderChangeView:
    """A change in the order of process IDs between two snapshots."""

    at: str
    joined: tuple[str, ...]
    left: tuple[str, ...]
    moved: int
    collateral: int


@dataclass(frozen=True, slots=True)
class GroupView:
    """`facts`: labels and texts about the newest snapshot. `history`: the newest snapshots, as (ID, moment).
    `past`: the score of the newest night (empty: there is none), and `learnt` what it says of time."""

    cluster: str
    group_id: str
    taken: str
    age: str
    state: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    pages: KindPages
    members: MemberTable
    losses: tuple[LossView, ...]
    losses_day: str
    changes: tuple[OrderChangeView, ...]
    history: tuple[tuple[str, str], ...]
    courses: tuple[CountsOverTime, ...]
    unknown: tuple[str, ...]
    compares: bool
    past: str
    learnt: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GroupInLake:
    """What the lake's tables and folders say about a group in addition to its newest snapshot."""

    losses: Sequence[Row] = ()
    losses_day: str = ""
    order_changes: Sequence[Row] = ()
    history: Sequence[str] = ()
    courses: tuple[CountsOverTime, ...] = ()
    past: PastScore | None = None


def view(snapshot: AnySnapshot, recorded: GroupInLake, now: datetime) -> GroupView:
    taken = snapshot.captured_at or ""
    pages = pages_of(snapshot)
    return GroupView(
        cluster=snapshot.cluster,
        group_id=snapshot.group_id,
        taken=taken,
        age=ago(now, datetime.fromisoformat(taken)) if taken else "at an unknown time",
        state=snapshot.group_state or "unknown",
        kind=kind_of(snapshot).words.title,
        facts=facts(snapshot),
        pages=pages,
        members=pages.members(snapshot),
        losses=_losses(recorded.losses),
        losses_day=recorded.losses_day,
        changes=tuple(
            _change(row) for row in sorted(recorded.order_changes, key=lambda row: str(row["captured_at"]), reverse=True)
        ),
        history=tuple((one, moment(one)) for one in recorded.history),
        courses=recorded.courses,
        compares=table.can_be_compared(snapshot),
        unknown=tuple(f"{one.what}: {one.reason}" for one in snapshot.unknown),
        past="" if recorded.past is None else past.of_group(recorded.past),
        learnt=past.learnt(recorded.past),
    )


def moment(snapshot_id: str) -> str:
    """`2026-11-20 13:48:02` of a snapshot's path."""
    _, _, day, _, name = snapshot_id.split("/")
    time = name.partition("-")[0]
    clock = f" {time[0:2]}:{time[2:4]}:{time[4:6]}" if len(time) >= 6 else ""
    return f"{day.removeprefix('day=')}{clock} UTC"


def facts(one: AnySnapshot) -> tuple[tuple[str, str], ...]:
    """What the group is, in labels and texts."""
    return kind_of(one).facts(one)


def _losses(rows: Sequence[Row]) -> tuple[LossView, ...]:
    """The hosts by what their loss moves, the worst first."""
    by_client: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_client.setdefault(str(row["process_id"] or row["member_id"]), {})[str(Scenario(row["scenario"]))] = row
    found = []
    for process_id, scenarios in by_client.items():
        cells = tuple((name, *_loss(scenarios[name])) for name in map(str, Scenario) if name in scenarios)
        host = next((str(row["host"]) for row in scenarios.values() if row["host"]), "unknown host")
        found.append(LossView(host, process_id, cells, max((share for _, _, share in cells), default=0)))
    return tuple(sorted(found, key=lambda one: (-one.worst, one.host)))[:MOST_MEMBERS]


def _loss(row: Row) -> tuple[str, int]:
    total = (row["partitions"] if row["stateful_tasks"] is None else row["stateful_tasks"]) or 0
    if not total or row["moved"] is None:
        return "not forecast", 0
    parts = [f"{row['moved']:,} of {total:,} move"]
    if row["without_copy"]:
        parts.append(f"{row['without_copy']:,} restore")
    if row["longest_stop_seconds"]:
        parts.append(f"unread for {duration(round(row['longest_stop_seconds']))}")
    if row["hours"] is not None:
        parts.append(
            f"{row['hours']:.1f} h" if row["hours"] >= 1 else f"{round(row['hours'] * 60)} min" if row["hours"] else "immediate"
        )
    if row["restore_bytes"]:
        parts.append(amount_of_bytes(row["restore_bytes"]))
    return ", ".join(parts), (row["moved"] or 0) * 1000 // total


def _change(row: Row) -> OrderChangeView:
    return OrderChangeView(
        at=str(row["captured_at"]),
        joined=tuple(row["joined"] or ()),
        left=tuple(row["left"] or ()),
        moved=row["moved"] or 0,
        collateral=row["moved_between_survivors"] or 0,
    )
