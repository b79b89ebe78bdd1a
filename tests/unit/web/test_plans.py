"""The list of plans: states, filters, pages; and that it reads little when asked again."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.harness.article import LAST, C
from tests.harness.pages.web_lake import WebLake, article, replacement
from tests.harness.plans import NOON, article_plan

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.errors import HoldfastError
from holdfast.ports import LakePath
from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds.any_document import AnyPlan
from holdfast.rollout.kinds.plan_summary import SUMMARY, PlanSummary, summary
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.web.plan import stages
from holdfast.web.plan.plan_page import PlanPages, Refused
from holdfast.web.plans import PAGE_SIZE, SORTS, Filter, PlanList, PlanRow, PlanState, select, state_of, still_waits
from holdfast.workflows import apply as workflow


class Counting(FsspecLake):
    """A lake that counts what is read of it."""

    reads = 0

    def read(self, path: LakePath, limit: int) -> bytes:
        self.reads += 1
        return super().read(path, limit)


def one_summary(number: int = 0, **more: object) -> PlanSummary:
    made = summary(article_plan())
    created = (NOON + timedelta(minutes=number)).isoformat().replace("+00:00", "Z")
    return replace(made, plan_id=f"{number:016x}", created_at=created, **more)  # type: ignore[arg-type]


def row(number: int, state: PlanState = PlanState.WAITING, **more: object) -> PlanRow:
    return PlanRow(one_summary(number, **more), None, False, None, state)


@pytest.mark.thorough
def test_every_state_is_reached(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    plans = {
        name: web.plan(article(name), replacement(C, LAST, "app-3"))
        for name in ("waiting", "approved", "rejected", "begun", "done")
    }
    web.decide(plans["approved"], approved=True, by="bob", reason="")
    web.decide(plans["rejected"], approved=False, by="bob", reason="no")
    web.begin(plans["begun"], "1")
    web.verdict(plans["done"], article("done"))
    web.plan(article("idle"), {"set_config": {"max.warmup.replicas": 2}})
    shown = PlanList(web.lake)
    states = {one.summary.group_id: one.state for one in shown.rows(NOON)[0]}
    later = {one.summary.group_id: one.state for one in shown.rows(NOON + timedelta(hours=2))[0]}

    assert states == {
        "waiting": PlanState.WAITING, "approved": PlanState.APPROVED, "rejected": PlanState.REJECTED, "begun": PlanState.RUNNING,
        "done": PlanState.DONE, "idle": PlanState.NO_DECISION,
    }  # fmt: skip
    assert (later["waiting"], later["approved"], later["begun"]) == (PlanState.EXPIRED, PlanState.EXPIRED, PlanState.RUNNING)


@pytest.mark.parametrize(
    ("assessment", "state"),
    [
        (Assessment.BLOCKED, PlanState.BLOCKED),
        (Assessment.NOTHING_TO_DO, PlanState.NO_DECISION),
        (Assessment.SAFE, PlanState.WAITING),
    ],
)
def test_a_blocked_plan_is_not_one_that_needs_no_approval(assessment: Assessment, state: PlanState) -> None:
    summary = replace(one_summary(1), assessment=assessment, steps=1, expires_at="2026-11-23T00:00:00Z")

    assert state_of(summary, None, begun=False, score=None, now=datetime(2026, 11, 22, tzinfo=UTC)) is state


def test_what_nobody_can_be_asked_about_waits_for_nobody() -> None:
    assert still_waits(PlanState.WAITING, orphaned=False, stale=False) is PlanState.WAITING
    assert still_waits(PlanState.WAITING, orphaned=False, stale=True) is PlanState.STALE
    assert still_waits(PlanState.WAITING, orphaned=True, stale=True) is PlanState.ORPHANED
    assert still_waits(PlanState.DONE, orphaned=True, stale=True) is PlanState.DONE


@pytest.mark.parametrize(("minutes_later", "checked", "stale"), [(None, False, False), (5, True, False)])
def test_what_is_fresh_was_checked(tmp_path: Path, minutes_later: int | None, checked: bool, stale: bool) -> None:
    """The plan's own snapshot says nothing about what has happened since."""
    web = WebLake(tmp_path, NOON)
    plan = web.plan(article("checked"), replacement(C, LAST, "app-3"))
    if minutes_later is not None:
        web.snapshot(article("checked"), -minutes_later)
    found = PlanPages(web.lake).page(plan.plan_id, NOON).freshness

    assert (found.checked, found.stale, found.problem) == (checked, stale, "")


def test_newest_first_a_page_at_a_time() -> None:
    rows = [row(number) for number in range(PAGE_SIZE + 5)]
    first, last = select(rows, Filter(), 1), select(rows, Filter(), 99)

    assert [one.summary.plan_id for one in first.rows[:2]] == [f"{PAGE_SIZE + 4:016x}", f"{PAGE_SIZE + 3:016x}"]
    assert (len(last.rows), last.page, last.pages) == (5, 2, 2)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(), 3),
        (Filter("ORDERS"), 1),
        (Filter("orders prod"), 1),
        (Filter("orders nothing"), 0),
        (Filter(state="approved"), 1),
        (Filter(cluster="prod"), 1),
        (Filter(assessment="blocked"), 0),
        (Filter(assessment="no such assessment"), 0),
    ],
)
def test_search_and_filter(wanted: Filter, found: int) -> None:
    rows = [row(1, group_id="orders", cluster="prod"), row(2), row(3, PlanState.APPROVED)]

    assert select(rows, wanted, 1).found == found


def test_a_broken_plan_is_counted_and_costs_no_other_its_place(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    web.plan(article(), replacement(C, LAST, "app-3"))
    web.lake.write(("plans", "0" * 16, "summary.json"), b"{")
    web.lake.write(("plans", "not-a-plan", "summary.json"), b"{}")
    rows, unreadable = PlanList(web.lake).rows(NOON)

    assert (len(rows), unreadable) == (1, 1)


def test_what_is_settled_is_read_once(tmp_path: Path) -> None:
    lake = Counting(str(tmp_path))
    for number in range(20):
        document = SUMMARY.write(one_summary(number))
        lake.write(("plans", f"{number:016x}", "summary.json"), dumps(document).encode())
    shown = PlanList(lake)
    once = shown.rows(NOON + timedelta(days=30))
    read = lake.reads
    again = shown.rows(NOON + timedelta(days=30))

    assert len(once[0]) == 20
    assert sorted(one.summary.plan_id for one in once[0]) == sorted(one.summary.plan_id for one in again[0])
    assert (read, lake.reads) == (20, 20)


def test_a_rejection_counts_for_more_than_time() -> None:
    one = one_summary()
    late = NOON + timedelta(days=1)

    assert state_of(one, None, begun=False, score=None, now=late) is PlanState.EXPIRED


@pytest.mark.parametrize("broken", ["summary.json", "verdict.json", "approval.json"])
@pytest.mark.parametrize(
    "content", [b"{}", b"[]", b"no JSON", b'{"format_version": "1.0"}', b'{"format_version": "1.0", "figures": 1}']
)
def test_a_broken_document_takes_no_other_plan_down_and_is_named(tmp_path: Path, broken: str, content: bytes) -> None:
    web = WebLake(tmp_path, NOON)
    whole, other = web.plan(article(), replacement(C, LAST, "app-3")), web.plan(article("other"), replacement(C, LAST, "app-3"))
    web.lake.write(("plans", other.plan_id, broken), content)
    found = PlanList(web.lake)
    rows, unreadable = found.rows(NOON)

    gone = broken == "summary.json"  # nothing to show of it
    states = {row.summary.plan_id: row.state for row in rows}
    assert (states, unreadable) == (
        {whole.plan_id: PlanState.WAITING} | ({} if gone else {other.plan_id: PlanState.BROKEN}),
        int(gone),
    )
    assert [one.partition(": ")[0] for one in found.broken()] == [f"plans/{other.plan_id}/{broken}"]


class TestWhatFollowedFromAPlanIsBroken:
    """The plan is shown all the same, with which document it is; nothing is approved or applied from it until that is fixed."""

    BAD = ("approval.json", "verdict.json", "journal.jsonl", "journal/00001.json", "journal-head.json")

    @pytest.fixture(params=BAD)
    def broken(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def web(self, tmp_path: Path) -> WebLake:
        return WebLake(tmp_path, NOON)

    def spoilt(self, web: WebLake, name: str, content: bytes = b'{"format_version": "1.0", "pl') -> AnyPlan:
        plan = web.plan(article(), replacement(C, LAST, "app-3"))
        web.lake.write(("plans", plan.plan_id, *name.split("/")), content)
        return plan

    @pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"format_version": "1.0", "score": 1}'], ids=str)
    def test_the_page_shows_the_rest(self, web: WebLake, broken: str, content: bytes) -> None:
        if (broken, content) == ("journal.jsonl", b""):
            return  # a journal without entries is whole
        plan = self.spoilt(web, broken, content)
        page = PlanPages(web.lake).page(plan.plan_id, NOON)
        told = page.broken[0]

        assert (page.state, page.view.title, page.approval, page.score) == (PlanState.BROKEN, page.view.title, None, None)
        assert page.view.figures
        assert len(page.broken) == 1
        assert told.name == broken.partition("-")[0].partition("/")[0].removesuffix(".jsonl")
        assert broken.rpartition("/")[2] in told.problem
        assert "can be neither approved nor applied" in stages.what_next(page)
        assert [one.progress for one in stages.stages(page)].count(stages.StageProgress.FAILED) == 1

    def test_nothing_is_decided_nor_applied(self, web: WebLake, broken: str) -> None:
        plan = self.spoilt(web, broken)
        pages = PlanPages(web.lake)

        with pytest.raises(Refused, match=f"A document of plan .* is broken.*{re.escape(broken.rpartition('/')[2])}"):
            pages.refuse_broken(plan.plan_id)
        with pytest.raises(HoldfastError):
            apply(plan, web)
        kept = web.lake.names(("plans", plan.plan_id))
        assert "checklist.json" not in kept
        assert "approval.json" not in kept or broken == "approval.json"

    def test_mended_it_goes_on(self, web: WebLake, broken: str) -> None:
        plan = self.spoilt(web, broken)
        web.lake.remove(("plans", plan.plan_id, *broken.split("/")))
        pages = PlanPages(web.lake)

        pages.refuse_broken(plan.plan_id)
        assert pages.page(plan.plan_id, NOON).state is PlanState.WAITING

    @pytest.mark.thorough
    def test_in_the_list_it_stands_with_its_state_and_the_document_is_named(self, web: WebLake) -> None:
        whole = web.plan(article("whole"), replacement(C, LAST, "app-3"))
        bad = [self.spoilt(web, "approval.json").plan_id]
        web.lake.write(("plans", whole.plan_id, "verdict.json"), b"{}")
        shown = PlanList(web.lake)
        rows, unreadable = shown.rows(NOON)

        assert (len(rows), unreadable) == (2, 0)
        assert {row.state for row in rows} == {PlanState.BROKEN}
        assert [f"plans/{plan_id}/approval.json" in " ".join(shown.broken()) for plan_id in bad] == [True]
        assert f"plans/{whole.plan_id}/verdict.json" in " ".join(shown.broken())
        web.lake.remove(("plans", whole.plan_id, "verdict.json"))
        assert {row.summary.plan_id: row.state for row in shown.rows(NOON)[0]}[whole.plan_id] is PlanState.WAITING
        assert len(shown.broken()) == 1


def apply(plan: AnyPlan, web: WebLake) -> None:
    """As the command does it, with a snapshot of now."""
    at = (NOON + timedelta(seconds=30)).isoformat().replace("+00:00", "Z")
    later = NOON + timedelta(minutes=1)
    fresh = snapshot_from_json(article() | {"captured_at": later.isoformat().replace("+00:00", "Z")})
    hands = workflow.Hands(web.lake, LocalProcessMetadataFiles(), {}, lambda: later)
    workflow.apply(plan, fresh, Approval(plan.plan_id, True, "ann", "seen", at), (), hands)


def test_a_whole_plan_is_applied_with_those_hands(tmp_path: Path) -> None:
    web = WebLake(tmp_path, NOON)
    plan = web.plan(article(), replacement(C, LAST, "app-3"))
    apply(plan, web)

    assert "checklist.json" in web.lake.names(("plans", plan.plan_id))


class TestSorted:
    """By what a column shows; what has nothing to show is last, in both directions."""

    @pytest.fixture
    def rows(self) -> list[PlanRow]:
        moved = {0: 5, 1: 100, 2: 20}
        found = [
            row(number, figures=replace(one_summary().figures, moved=count, stands_still=-count)) for number, count in moved.items()
        ]
        found.append(row(3, figures=None, plain=None))
        found[2] = replace(found[2], state=PlanState.REJECTED)
        return found

    @pytest.mark.parametrize(
        ("sort", "order"),
        [
            ("-made", [3, 2, 1, 0]),
            ("made", [0, 1, 2, 3]),
            ("moved", [0, 2, 1, 3]),
            ("-moved", [1, 2, 0, 3]),
            ("downtime", [1, 2, 0, 3]),
            ("-downtime", [0, 2, 1, 3]),
            ("state", [3, 1, 0, 2]),
            ("-state", [2, 3, 1, 0]),
            ("forecast", [3, 2, 1, 0]),
            ("nonsense", [3, 2, 1, 0]),
            ("--made", [3, 2, 1, 0]),
        ],
    )
    def test_by_a_column(self, rows: list[PlanRow], sort: str, order: list[int]) -> None:
        found = select(rows, Filter(), 1, sort=sort).rows

        assert [int(one.summary.plan_id, 16) for one in found] == order

    def test_over_all_pages(self) -> None:
        rows = [row(number, figures=replace(one_summary().figures, moved=number % 60)) for number in range(2 * PAGE_SIZE)]

        assert [one.summary.figures.moved for one in select(rows, Filter(), 1, sort="-moved").rows][:4] == [59, 58, 57, 56]
        assert select(rows, Filter(), 2, sort="moved").rows[-1].summary.figures.moved == 59

    @pytest.mark.parametrize("sort", sorted(SORTS))
    def test_every_column_of_plans_of_both_kinds(self, tmp_path: Path, sort: str) -> None:
        web = WebLake(tmp_path, NOON)
        web.plan(article(), replacement(C, LAST, "app-3"))
        web.plain_plan()
        rows = PlanList(web.lake).rows(NOON)[0]

        assert len(select(rows, Filter(), 1, sort=sort).rows) == len(select(rows, Filter(), 1, sort=f"-{sort}").rows) == 2
