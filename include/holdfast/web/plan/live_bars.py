"""The picture of a run: what each client has at the last look, next to what it is to have."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.run_progress import RunProgress
from holdfast.web.parts.ownership import OwnerRow, Picture
from holdfast.web.parts.plan_view import ago
from holdfast.web.plan.plan_page import PlanPage

MOST_BARS = 24
FULL = 1000


@dataclass(frozen=True, slots=True)
class Bar:
    """One client: what it has now, and is to have (`Bars.goal`); None: unknown, or it is not there. `share`, `goal` in
    thousandths of the most."""

    key: str
    name: str
    now: int | None
    end: int | None
    copies: int | None
    share: int
    goal: int | None


@dataclass(frozen=True, slots=True)
class Bars:
    """`goal`: what the others are compared with; `seen`: how long ago; `more`: clients that are not drawn."""

    rows: tuple[Bar, ...]
    goal: str
    group_state: str
    seen: str
    more: int


def bars(page: PlanPage, found: RunProgress | None, now: datetime, *, rolled_back: bool) -> Bars | None:
    """None: no run has looked at the group. `rolled_back`: what each had before the plan is the goal."""
    if found is None or found.seen is None:
        return None
    seen = found.seen
    rows = _owners(page.view.pictures, page.view.plan)
    goals = {one.id: one.count_then if not rolled_back else one.count_now for one in rows}
    by_id = {one.id: one for one in rows}
    names = [one.name for one in rows]
    by_name = {one.name: one for one in rows if one.name and names.count(one.name) == 1}
    drawn: list[tuple[str, str, int | None, int | None, int | None]] = []
    matched: set[str] = set()
    for one in seen.clients:
        row = by_id.get(one.id) or by_name.get(one.name)
        row = None if row is None or row.id in matched else row
        if row is not None:
            matched.add(row.id)
        drawn.append((one.id, one.name or one.id, one.active, None if row is None else goals[row.id], one.copies))
    drawn += [(one.id, one.name, None, goals[one.id], None) for one in rows if one.id not in matched and goals[one.id]]
    most = max((count or 0 for _, _, *counts, _ in drawn for count in counts), default=0) or 1
    return Bars(
        rows=tuple(
            Bar(key, name, active, end, copies, (active or 0) * FULL // most, None if end is None else end * FULL // most)
            for key, name, active, end, copies in drawn[:MOST_BARS]
        ),
        goal="Before" if rolled_back else "Forecast",
        group_state=seen.group_state or "unknown",
        seen=ago(now, datetime.fromisoformat(seen.at)),
        more=seen.more + max(0, len(drawn) - MOST_BARS),
    )


def _owners(pictures: Sequence[Picture], plan: AnyPlan) -> tuple[OwnerRow, ...]:
    """Who has what in the end, by the recommended option."""
    return next((one.rows for one in pictures if one.name == plan.chosen), ())
