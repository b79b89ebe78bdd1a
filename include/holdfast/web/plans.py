"""All plans of a lake as a list: the state of each, newest first, searched and filtered.

Thousands of them: a plan's summary never changes and is read once; whether it was decided, walked or verified is asked again only
while that can still change.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from holdfast.errors import HoldfastError
from holdfast.ports import Lake
from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.kinds.plan_summary import PlanSummary
from holdfast.rollout.kinds.score_json import Score
from holdfast.workflows import journals
from holdfast.workflows import plan as plans

T = TypeVar("T")
PAGE_SIZE = 50
READERS = 8
MOST_BROKEN = 20
"""This number of unreadable documents is named."""
SETTLED_AFTER = timedelta(days=14)
"""After this time a plan is not decided, applied or verified any more."""


class PlanState(StrEnum):
    """How far a plan has come."""

    WAITING = "waiting for review"
    APPROVED = "approved"
    RUNNING = "in progress"
    ROLLED_BACK = "rolled back"
    DONE = "done"
    DIFFERENT = "diverged from forecast"
    NOT_COMPARED = "not compared"
    CHANGES = "changes requested"
    REJECTED = "rejected"
    EXPIRED = "expired"
    STALE = "drift detected"
    ORPHANED = "run ended without decision"
    NO_DECISION = "no approval required"
    BLOCKED = "blocked"
    BROKEN = "document broken"


@dataclass(frozen=True, slots=True)
class Cells:
    """The figures of a plan in the list. `baseline`: what would migrate then; empty where there is nothing to compare with."""

    moved: str
    total: str
    baseline: str
    still: str
    stable: str


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan of the list. `begun`: something was done about it, by its journal. `broken`: its decision or its verdict, and what
    is wrong with it."""

    summary: PlanSummary
    approval: Approval | None
    begun: bool
    score: Score | None
    state: PlanState
    broken: tuple[str, ...] = ()

    @property
    def cells(self) -> Cells | None:
        """None: nothing was forecast."""
        one, baseline = self.summary.of_option, self.summary.of_baseline
        if one is None:
            return None
        instead = "" if baseline is None else _number(baseline.moved)
        return Cells(_number(one.moved), f"{one.counted:,}", instead, one.downtime_text, one.stable_text)


def _number(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


@dataclass(frozen=True, slots=True)
class Filter:
    """What is asked for; empty texts ask for nothing."""

    text: str = ""
    state: str = ""
    assessment: str = ""
    cluster: str = ""

    def matches(self, row: PlanRow) -> bool:
        one = row.summary
        decided_by = row.approval.by if row.approval else ""
        haystack = f"{one.plan_id} {one.group_id} {one.cluster} {one.request} {one.title} {decided_by}".casefold()
        return (
            all(word in haystack for word in self.text.casefold().split())
            and self.state in ("", row.state.value)
            and self.assessment in ("", one.assessment.value)
            and self.cluster in ("", one.cluster)
        )


@dataclass(frozen=True, slots=True)
class PlansPage:
    """One page of what matches. `counts`: of all plans, by state."""

    rows: tuple[PlanRow, ...]
    found: int
    page: int
    pages: int
    counts: tuple[tuple[PlanState, int], ...]
    clusters: tuple[str, ...]
    unreadable: int
    requested_by: Mapping[str, str] = field(default_factory=dict)
    """Who requested a plan, by its ID, where that is known."""


_VERIFIED = {
    Result.AS_FORECAST: PlanState.DONE,
    Result.DIFFERENT: PlanState.DIFFERENT,
    Result.NOT_COMPARED: PlanState.NOT_COMPARED,
}


def state_of(
    one: PlanSummary, approval: Approval | None, *, begun: bool, score: Score | None, now: datetime, rolled_back: bool = False
) -> PlanState:
    """A plan that is rolled back is that, whatever a comparison with its forecast says."""
    if approval is not None and not approval.approved:
        return PlanState.CHANGES if approval.changes_requested else PlanState.REJECTED
    if rolled_back:
        return PlanState.ROLLED_BACK
    if score is not None:
        return _VERIFIED.get(score.result, PlanState.RUNNING)
    if begun:
        return PlanState.RUNNING
    if approval is None and one.assessment is Assessment.BLOCKED:
        return PlanState.BLOCKED
    if approval is None and (not one.steps or one.assessment is Assessment.NOTHING_TO_DO):
        return PlanState.NO_DECISION
    if datetime.fromisoformat(one.expires_at) < now:
        return PlanState.EXPIRED
    return PlanState.WAITING if approval is None else PlanState.APPROVED


def still_waits(state: PlanState, *, orphaned: bool, stale: bool) -> PlanState:
    """A plan whose decision can no longer be requested, or that no longer fits its group, does not wait for review."""
    if state is not PlanState.WAITING:
        return state
    return PlanState.ORPHANED if orphaned else PlanState.STALE if stale else state


SORTS: Mapping[str, Callable[[PlanRow], str | float | None]] = {
    "plan": lambda row: (row.summary.request or row.summary.group_id).casefold(),
    "state": lambda row: list(PlanState).index(row.state),
    "assessment": lambda row: list(Assessment).index(row.summary.assessment),
    "moved": lambda row: None if row.summary.of_option is None else row.summary.of_option.moved,
    "downtime": lambda row: None if row.summary.of_option is None else row.summary.of_option.longest_downtime,
    "stable": lambda row: None if row.summary.of_option is None else row.summary.of_option.stable_after,
    "forecast": lambda row: None if row.score is None or not row.score.tasks else row.score.tasks_as_forecast / row.score.tasks,
    "made": lambda row: row.summary.created_at,
}
"""By what a column shows; None has nothing to show and is last in both directions."""
NEWEST_FIRST = "-made"


def known_sort(sort: str) -> str:
    """`made`, or `-made` for the reverse; what is unknown is newest first."""
    return sort if sort.removeprefix("-") in SORTS else NEWEST_FIRST


def in_order(rows: Iterable[PlanRow], sort: str) -> list[PlanRow]:
    """By one column, `-` before it for the largest first; among equals the newest first, and what shows nothing last."""
    newest = sorted(rows, key=lambda row: (row.summary.created_at, row.summary.plan_id), reverse=True)
    key = SORTS[sort.removeprefix("-")]
    shown = [row for row in newest if key(row) is not None]
    by_key: Callable[[PlanRow], Any] = key
    return [*sorted(shown, key=by_key, reverse=sort.startswith("-")), *(row for row in newest if key(row) is None)]


def select(rows: Iterable[PlanRow], wanted: Filter, page: int, unreadable: int = 0, sort: str = NEWEST_FIRST) -> PlansPage:
    """In the order of `sort` (`known_sort`); a page that is not there is the last one."""
    everything = tuple(rows)
    found = in_order((row for row in everything if wanted.matches(row)), known_sort(sort))
    pages = max(1, -(-len(found) // PAGE_SIZE))
    page = min(max(1, page), pages)
    counts = dict.fromkeys(PlanState, 0)
    for row in everything:
        counts[row.state] += 1
    return PlansPage(
        rows=tuple(found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]),
        found=len(found),
        page=page,
        pages=pages,
        counts=tuple(counts.items()),
        clusters=tuple(sorted({row.summary.cluster for row in everything if row.summary.cluster})),
        unreadable=unreadable,
    )


@dataclass
class PlanList:
    """The rows of a lake's plans, remembered as long as they cannot change."""

    lake: Lake
    _summaries: dict[str, PlanSummary] = field(default_factory=dict)
    _settled: dict[str, PlanRow] = field(default_factory=dict)
    _broken: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def rows(self, now: datetime) -> tuple[tuple[PlanRow, ...], int]:
        """All that can be read, and how many cannot."""
        names = [name for name in self.lake.names((plans.FOLDER,)) if plans.is_id(name)]
        with self._lock, ThreadPoolExecutor(READERS) as readers:
            wanted = set(names)
            for gone in self._settled.keys() - wanted:
                del self._settled[gone], self._summaries[gone]
            for gone in self._broken.keys() - wanted:
                del self._broken[gone]
            known = {name: self._settled[name] for name in names if name in self._settled}
            open_ones = [name for name in names if name not in known]
            read = list(readers.map(lambda name: self._read(name, now), open_ones))
        rows = (*known.values(), *(row for row in read if row is not None))
        return rows, len(names) - len(rows)

    def broken(self) -> tuple[str, ...]:
        """Of the plans that could not be read the last time: which document it is of each, and what is wrong with it."""
        with self._lock:
            return tuple(self._broken[name] for name in sorted(self._broken)[:MOST_BROKEN])

    def _read(self, name: str, now: datetime) -> PlanRow | None:
        """None: it is not whole yet, or of a kind or version that this release cannot read."""
        try:
            if name not in self._summaries:
                self._summaries[name] = plans.summary_of(self.lake, name)
            row = row_of(self.lake, self._summaries[name], now)
        except HoldfastError as problem:
            self._broken[name] = str(problem)
            return None
        if row.broken:
            self._broken[name] = "; ".join(row.broken)
            return row
        self._broken.pop(name, None)
        old = now - datetime.fromisoformat(row.summary.created_at) > SETTLED_AFTER
        if old or row.state in (PlanState.REJECTED, PlanState.CHANGES, PlanState.NO_DECISION, PlanState.BLOCKED):
            self._settled[name] = row
        return row


def row_of(lake: Lake, one: PlanSummary, now: datetime) -> PlanRow:
    """The current state of one plan. One listing of its folder, and only the files that are there."""
    kept = lake.names((plans.FOLDER, one.plan_id))
    broken: list[str] = []

    def read(name: str, of: Callable[[Lake, str], T | None]) -> T | None:
        try:
            return of(lake, one.plan_id) if name in kept else None
        except HoldfastError as problem:
            broken.append(str(problem))
            return None

    approval = read("approval.json", plans.approval_of)
    score = read("verdict.json", plans.score_of)
    begun = not {journals.ENTRIES, journals.OF_BEFORE}.isdisjoint(kept)
    back = begun and "checklist.json" in kept and plans.is_rolled_back(lake, one.plan_id)
    state = PlanState.BROKEN if broken else state_of(one, approval, begun=begun, score=score, now=now, rolled_back=back)
    return PlanRow(one, approval, begun, score, state, tuple(broken))
