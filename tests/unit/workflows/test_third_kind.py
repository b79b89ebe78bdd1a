"""Another kind of group is its own code and a line in the registry: from the search to the verdict nothing else knows it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.fakes.cluster import FakeCluster, FakeStateDirectories
from tests.fakes.lake import MemoryLake
from tests.harness.lamps.collector import LampCollector
from tests.harness.lamps.kind import EACH, LAMP_KIND
from tests.harness.plain_groups import member

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.cli.main import holdfast
from holdfast.errors import InvalidInput, StalePlan
from holdfast.ports import ObservedGroup
from holdfast.rollout.contract.assessment import BASELINE_NAME, Assessment
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import (
    any_difference,
    any_document,
    ci,
    distributed_search,
    plan_title,
    registry,
    requested_change,
    verdict_words,
)
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.snapshot.snapshot import GenerationMember
from holdfast.rollout.tables import group_rows, loss_rows, plan_rows
from holdfast.rollout.text import document_blocks
from holdfast.workflows import apply as applying
from holdfast.workflows import doctor, forecast, freshness, snapshots, verify
from holdfast.workflows import plan as plans
from holdfast.workflows.collecting import collect_many, one_group
from holdfast.workflows.collecting import registry as collectors
from holdfast.workflows.collecting.collect_many import About, Wanted
from holdfast.workflows.collecting.collector import StatedByOperator

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
CHANGE = {"format_version": "1.0", "events": [{"light": "a"}, {"light": "b"}]}


@pytest.fixture(autouse=True)
def lamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line, and that of the collectors."""
    monkeypatch.setattr(registry, "REGISTRY", (*registry.REGISTRY, LAMP_KIND))
    monkeypatch.setattr(collectors, "COLLECTORS", (*collectors.COLLECTORS, LampCollector()))


def group(**lit: bool) -> dict[str, Any]:
    return {"protocol": "lamps", "cluster": "hall", "group_id": "ceiling", "lamps": {"a": False, "b": False, "c": True} | lit}


def planned(policy: Policy | None = None) -> AnyPlan:
    """By the pieces that travel to executors, as a run of `plan_rollout` does it."""
    options = distributed_search.candidates(dumps(group()), dumps(CHANGE))
    lines = [distributed_search.evaluation(dumps(group()), one).encode() for one in options]
    return plans.assemble_drafted(group(), CHANGE, lines, policy or Policy(), NOON)


def apply(lake: FsspecLake, plan: AnyPlan, document: dict[str, Any]) -> applying.Applied:
    approval = Approval(plan.plan_id, True, "ann", "read it", "2026-11-20T12:00:00Z")
    hands = applying.Hands(lake, LocalProcessMetadataFiles(), {}, lambda: NOON)
    fresh = any_document.snapshot_from_json(document | {"captured_at": "2026-11-20T12:00:00Z"})
    return applying.apply(plan, fresh, approval, (), hands)


def test_its_plan_recommends_what_costs_least_and_is_kept(tmp_path: Path) -> None:
    plan, lake = planned(), FsspecLake(str(tmp_path))
    plans.keep(lake, plan)

    assert plan.chosen == EACH
    assert plan.headline == "Light one after the other: dark for 0 s. Baseline (no mitigation): dark for 10 s."
    assert plan.baseline_option is not None
    assert plan.baseline_option.why_not == "More downtime: 10 lamp-seconds instead of 0."
    assert plans.load(lake, plan.plan_id) == plan
    assert plans.summary_of(lake, plan.plan_id).request == "Light a, b in ceiling"
    assert "dark for 0 s" in plans.text(lake, plan.plan_id)
    assert plan_title.question_of(plan).startswith("Light a, b in ceiling: ")
    assert "collateral-migration" in ci.junit(plan, plans.blocks(plan))


def test_a_policy_judges_it() -> None:
    assert planned(Policy(exclude=(EACH,))).chosen == BASELINE_NAME
    blocked = planned(Policy(actions=("restart_client",), blocking=("actions",)))
    assert blocked.assessment is Assessment.BLOCKED
    assert blocked.steps == ()


def test_what_executors_did_not_forecast_is_refused() -> None:
    (first, *_) = distributed_search.candidates(dumps(group()), dumps(CHANGE))
    with pytest.raises(InvalidInput, match="not the options of this change"):
        plans.assemble_drafted(group(), CHANGE, [distributed_search.evaluation(dumps(group()), first).encode()], Policy(), NOON)


def test_it_is_applied_and_verified(tmp_path: Path) -> None:
    plan, lake = planned(), FsspecLake(str(tmp_path))
    waiting = apply(lake, plan, group()).waiting_for
    assert waiting is not None
    assert waiting.needed == "Step 1 is manual, and a is dark. Before: nothing. Check: It burns."
    checklist: Any = applying.applied_to_json(apply(lake, plan, group()))["checklist"]
    assert [one["what"] for one in checklist] == ["Light a", "Light b", "Wait"]
    halfway = verify.compare(lake, plan, any_document.snapshot_from_json(group(a=True)))
    assert halfway.result is Result.NOT_YET
    assert apply(lake, plan, group(a=True, b=True)).waiting_for is None
    done = verify.compare(lake, plan, any_document.snapshot_from_json(group(a=True, b=True)))
    assert done.result is Result.AS_FORECAST
    assert "Lamps dark" in document_blocks.to_text(verdict_words.verdict_blocks(done))
    score = plans.score_of(lake, plan.plan_id)
    assert score is not None
    assert score.tasks_as_forecast == score.tasks == 2


def test_another_group_makes_it_stale(tmp_path: Path) -> None:
    plan = planned()
    without = group()
    del without["lamps"]["c"]
    with pytest.raises(StalePlan, match="c is gone"):
        apply(FsspecLake(str(tmp_path)), plan, without)
    assert freshness.held_against(plan, any_document.snapshot_from_json(without)).stale


def test_a_snapshot_of_another_kind_is_refused(tmp_path: Path) -> None:
    consumers = {"protocol": "consumer-classic", "format_version": "1.0", "group_id": "ceiling", "consumers": {"a": member(0)}}
    other = any_document.snapshot_from_json(consumers | {"cluster": "hall", "captured_at": "2026-11-20T12:00:00Z"})
    with pytest.raises(InvalidInput, match="is for a group of lamps, and the snapshot is of a consumer group"):
        verify.compare(None, planned(), other)


def test_it_is_compared_asked_for_and_put_into_tables(tmp_path: Path) -> None:
    before, after = (any_document.snapshot_from_json(one) for one in (group(), group(a=True)))
    assert [(line.what, line.after) for line in any_difference.of_snapshots(before, after).lines] == [("a", "True")]
    assert any_difference.of_plans(planned(), planned(Policy(exclude=(EACH,)))).lines
    lake = FsspecLake(str(tmp_path))
    assert snapshots.load(lake, snapshots.keep(lake, before)) == before
    assert group_rows.decode("snapshots/x.json", dumps(group()).encode())["problem"] is None
    assert loss_rows.losses(dumps(group())) == {"problem": None, "losses": [], "places": []}
    rows = plan_rows.plan_rows("plans/x/plan.json", dumps(any_document.plan_to_json(planned())).encode())
    assert [row["name"] for row in rows["candidates"]] == [BASELINE_NAME, EACH]  # type: ignore[attr-defined]
    assert forecast.forecast_case({"snapshot": group(), "change": CHANGE}, "full") == {"lit": ["a", "b"]}  # type: ignore[arg-type]
    form = {"cluster": "hall", "group": "ceiling", "change": {"events": [{"light": "z"}]}}
    with pytest.raises(InvalidInput, match="no lamp 'z'"):
        requested_change.change_requested(form)(before)


def switched_on(*lamps: str) -> FakeCluster:
    members = tuple(GenerationMember(name, "lamp", "/127.0.0.1", None, b"", b"1" * (name in lamps)) for name in "abc")
    return FakeCluster({"ceiling": [ObservedGroup("ceiling", "Stable", "lamps", "", members)]}, {"__consumer_offsets": 1})


def test_it_is_collected_alone_and_in_a_fleet() -> None:
    lake, time = MemoryLake(), collect_many.Time(60, lambda: 0.0, lambda _: None, lambda: NOON)
    wanted = Wanted({"*": About(StatedByOperator(None, {}, {}))})
    report = collect_many.collect(
        switched_on("a", "c"),
        FakeStateDirectories(),
        lake,
        wanted,
        cluster_name="hall",
        run_name="run",
        time=time,
        tell=lambda _: None,
    )
    assert (report.taken, report.unread, report.left_out) == (1, (), ())
    newest = snapshots.latest(lake, "hall", "ceiling")
    assert newest is not None
    taken = snapshots.load(lake, newest)
    assert any_document.snapshot_to_json(taken) == group(a=True) | {"captured_at": "2026-11-20T12:00:00.000Z"}
    assert doctor.examine_group(switched_on(), "ceiling")[1].found == "Stable, 3 members"


def test_what_fits_no_kind_is_refused_in_the_words_of_the_first() -> None:
    with pytest.raises(InvalidInput, match=r"^--stores: 'attic'"):
        one_group.refuse_given("ceiling", StatedByOperator("3.9.1", {}, {}, stores="attic"))
    one_group.refuse_given("ceiling", StatedByOperator(None, {}, {}, stores="attic"))


def test_its_forecast_is_printed(tmp_path: Path) -> None:
    paths = tmp_path / "snapshot.json", tmp_path / "change.json"
    for path, document in zip(paths, (group(), CHANGE), strict=True):
        path.write_text(dumps(document))
    printed = CliRunner().invoke(holdfast, ["forecast", *map(str, paths)], standalone_mode=False)
    assert printed.stdout.startswith("2 of 3 lamps are lit.")


def test_it_is_guarded(tmp_path: Path) -> None:
    (tmp_path / "group.json").write_text(dumps(group()))

    found = CliRunner().invoke(holdfast, ["guard", str(tmp_path / "group.json"), "--json"])

    assert '"lit":1' in found.output.replace(" ", "")


def test_it_is_shared_without_names(tmp_path: Path) -> None:
    (tmp_path / "group.json").write_text(dumps(group()))

    found = CliRunner().invoke(holdfast, ["redact", str(tmp_path / "group.json")])
    shared = json.loads(found.stdout)

    assert found.exit_code == 0
    assert (shared["cluster"], shared["group_id"], sorted(shared["lamps"].values())) == ("cluster", "group", [False, False, True])
    assert len(shared["lamps"]) == 3
    assert set(shared["lamps"]).isdisjoint("abc")
