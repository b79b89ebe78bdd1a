"""The list of plans: states, filters, pages; and that it reads little when asked again."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.harness.article import LAST, C
from tests.harness.plans import NOON, article_plan
from tests.harness.web_lake import WebLake, article, replacement

from holdfast.adapters.lake import FsspecLake
from holdfast.ports import LakePath
from holdfast.rollout import codec
from holdfast.rollout.plan_summary import PlanSummary, summary, summary_to_json
from holdfast.web.plans import PAGE_SIZE, Filter, PlanList, PlanRow, State, select, state_of


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


def row(number: int, state: State = State.WAITING, **more: object) -> PlanRow:
    return PlanRow(one_summary(number, **more), None, False, None, state)


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
        "waiting": State.WAITING, "approved": State.APPROVED, "rejected": State.REJECTED, "begun": State.RUNNING,
        "done": State.DONE, "idle": State.NO_DECISION,
    }  # fmt: skip
    assert later["waiting"] is State.EXPIRED


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
        (Filter(verdict="blocked"), 0),
        (Filter(verdict="no such verdict"), 0),
    ],
)
def test_search_and_filter(wanted: Filter, found: int) -> None:
    rows = [row(1, group_id="orders", cluster="prod"), row(2), row(3, State.APPROVED)]

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
        document = summary_to_json(one_summary(number))
        lake.write(("plans", f"{number:016x}", "summary.json"), codec.dumps(document).encode())
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

    assert state_of(one, None, begun=False, score=None, now=late) is State.EXPIRED
