"""Plans that really wait for a decision, and their requesters: the lake compared with Airflow's runs."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

from holdfast.ports import Lake
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.kinds.approval import NOBODY
from holdfast.web import runs
from holdfast.web.plan.plan_page import PlanPage, PlanPages, run_of
from holdfast.web.plans import READERS, PlanRow, PlansPage, PlanState, still_waits

MOST_COMPARED = 200
"""Of the plans that wait, the newest: each is compared with the newest snapshot of its group."""


def judged(pages: PlanPages, rows: Iterable[PlanRow], now: datetime) -> tuple[PlanRow, ...]:
    """The rows; those that wait for no decision unchanged."""
    rows = tuple(rows)
    open_ones = sorted(
        (row for row in rows if row.state is PlanState.WAITING), key=lambda row: row.summary.created_at, reverse=True
    )[:MOST_COMPARED]
    if not open_ones:
        return rows
    ids = [row.summary.plan_id for row in open_ones]
    with ThreadPoolExecutor(READERS) as readers:
        run_ids = dict(zip(ids, readers.map(lambda one: run_of(pages.lake, one), ids), strict=True))
        stale = dict(zip(ids, readers.map(lambda one: pages.stale(one, now), ids), strict=True))
    known = runs.of(run_id for run_id in run_ids.values() if run_id is not None)

    def state(row: PlanRow) -> PlanState:
        plan_id = row.summary.plan_id
        if plan_id not in stale:
            return row.state
        return still_waits(row.state, orphaned=_is_orphaned(run_ids[plan_id], known), stale=stale[plan_id])

    return tuple(replace(row, state=state(row)) for row in rows)


def with_requesters(lake: Lake, page: PlansPage) -> PlansPage:
    """The page with the requester of each of its plans."""
    requesters = {row.summary.plan_id: _named(row.approval) for row in page.rows}
    unsaid = [plan_id for plan_id, name in requesters.items() if not name]
    with ThreadPoolExecutor(READERS) as readers:
        run_ids = dict(zip(unsaid, readers.map(lambda one: run_of(lake, one), unsaid), strict=True))
    known = runs.of(run_id for run_id in run_ids.values() if run_id is not None)
    found = {plan_id: known[run_id].requested_by for plan_id, run_id in run_ids.items() if run_id is not None and run_id in known}
    return replace(page, requested_by={plan_id: name for plan_id, name in (requesters | found).items() if name})


def as_airflow_has_it(page: PlanPage) -> PlanPage:
    """The page of one plan in the state that its run is in, with who requested it."""
    known = runs.of([page.run_id] if page.run_id is not None else [])
    run = known.get(page.run_id or "")
    state = still_waits(page.state, orphaned=_is_orphaned(page.run_id, known), stale=page.freshness.stale)
    return replace(page, state=state, requested_by=_named(page.approval) or (run.requested_by if run is not None else ""))


def _is_orphaned(run_id: str | None, known: Mapping[str, runs.Run]) -> bool:
    """Its run was deleted, or is over, without a decision. A plan that was made without Airflow has none to lose."""
    return run_id is not None and (run_id not in known or known[run_id].ended)


def _named(approval: Approval | None) -> str:
    return "" if approval is None or approval.asked_by in (None, NOBODY) else str(approval.asked_by)
