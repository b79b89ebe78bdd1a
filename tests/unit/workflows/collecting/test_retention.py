"""Raw snapshots go when they are old, and those that drafts of plans were made from stay."""

import json

import pytest
from tests.fakes.lake import MemoryLake

from holdfast.errors import InvalidInput
from holdfast.workflows.collecting import retention

OLD, NEW = "day=2026-10-01", "day=2026-11-01"


@pytest.fixture
def lake() -> MemoryLake:
    store = MemoryLake()
    for cluster in ("cluster=a", "cluster=b"):
        for day in (OLD, NEW, "day=unknown"):
            for group in ("group=g", "group=h"):
                store.write(("snapshots", cluster, day, group, "1.json"), b"{}")
        store.write(("collections", cluster, OLD, "run-1.json"), b"{}")
        store.write(("collections", cluster, NEW, "run-2.json"), b"{}")
        for run in ("run-1", "run-2"):
            store.write(("collections", cluster, "runs", run, "part-00001.json"), b"{}")
    store.write(("plans", "0123456789abcdef", "plan.json"), b"{}")
    return store


def draft(lake: MemoryLake, name: str, snapshot: object) -> None:
    lake.write(("drafts", name, "origin.json"), json.dumps({"snapshot": snapshot}).encode())


def test_days_before_the_limit_go_with_their_reports(lake: MemoryLake) -> None:
    gone = retention.forget(lake, "2026-11-01")

    assert sorted(gone) == [
        f"{kind}/{cluster}/{OLD}" for kind in ("collections", "snapshots") for cluster in ("cluster=a", "cluster=b")
    ]
    left = {"/".join(path) for path in lake.files}
    assert not [path for path in left if OLD in path or "run-1" in path]
    assert len([path for path in left if path.startswith("snapshots/")]) == 8
    assert len([path for path in left if "run-2" in path]) == 4
    assert "plans/0123456789abcdef/plan.json" in left
    assert retention.forget(lake, "2026-11-01") == []


def test_what_a_plan_was_made_from_stays(lake: MemoryLake) -> None:
    kept = f"snapshots/cluster=a/{OLD}/group=h/1.json"
    draft(lake, "waiting", kept)
    draft(lake, "of-today", f"snapshots/cluster=a/{NEW}/group=g/1.json")
    lake.write(("drafts", "half-written", "change.json"), b"{}")

    for _ in range(2):
        gone = retention.forget(lake, "2026-11-01")
        assert f"snapshots/cluster=a/{OLD} but for 1 that plans refer to" in gone

    assert {"/".join(path) for path in lake.files if path[0] == "snapshots" and path[2] == OLD} == {kept}


@pytest.mark.parametrize("origin", [b"{", b"[]", b'{"snapshot": 7}'])
def test_nothing_goes_while_a_draft_cannot_be_read(lake: MemoryLake, origin: bytes) -> None:
    lake.write(("drafts", "broken", "origin.json"), origin)
    before = dict(lake.files)

    with pytest.raises(InvalidInput):
        retention.forget(lake, "2026-11-01")

    assert lake.files == before


def test_a_draft_of_which_no_plan_was_made_goes_with_its_day(lake: MemoryLake) -> None:
    old = f"snapshots/cluster=a/{OLD}/group="
    for name, day, group in (("given-up", "2026-10-01", "g"), ("planned", "2026-10-01", "h"), ("of-today", "2026-11-01", "h")):
        origin = {"snapshot": f"{old}{group}/1.json", "at": f"{day}T10:00:00Z"}
        lake.write(("drafts", name, "origin.json"), json.dumps(origin).encode())
        lake.write(("drafts", name, "forecasts", "000.json"), b"{}")
    lake.write(("drafts", "planned", "plan.json"), b"{}")

    assert retention.forget(lake, "2026-11-01")[0] == "drafts/given-up"
    assert {path[1] for path in lake.files if path[0] == "drafts"} == {"planned", "of-today"}
    assert {"/".join(path) for path in lake.files if path[2] == OLD and path[1] == "cluster=a"} == {f"{old}h/1.json"}
