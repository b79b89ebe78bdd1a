"""A small search needs no Spark; and an answer is held to what the plan's page is held to, wherever it was given."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.dags.conftest import PLAIN_FORM, fallen_score
from tests.dags.test_decisions import answer
from tests.dags.test_runs import context

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import decisions, planning, runs
from holdfast.airflow_wiring.airflow_objects import SPARK_POOL
from holdfast.rollout.backtest.learnt import Learnt, Quantity, Span
from holdfast.rollout.kinds import distributed_search, search_progress, search_work
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.web.new import making
from holdfast.workflows import plan as plans
from holdfast.workflows import searching, snapshots

DAG_FILE = Path(__file__).resolve().parents[2] / "dags" / "plan_rollout.py"


def gone(lake: FsspecLake, recorded: str) -> str:
    """The group a moment later, one of its clients gone."""
    document = snapshot_to_json(snapshots.load(lake, recorded))
    first, *_ = document["clients"]  # type: ignore[misc]
    document["clients"] = {one: client for one, client in document["clients"].items() if one != first}  # type: ignore[attr-defined]
    document |= {"leader_process_id": None, "captured_at": datetime.now(UTC).isoformat()}
    return snapshots.keep(lake, snapshot_from_json(document))


def test_a_small_search_is_done_by_the_task_itself(lake: FsspecLake, recorded: str) -> None:
    planning.draft("run", PLAIN_FORM | {"snapshot": recorded}, "ann")

    assert planning.search("run") == planning.MADE
    assert planning.search("run") == planning.MADE, "once"
    assert planning.search_arguments(context()) is None
    told = searching.progress(lake, runs.folder("run"))
    plan = plans.load(lake, planning.assemble("run"))
    assert [one.place for one in told.done] == list(range(told.of))
    assert len(plan.candidates) == told.of


def test_a_plan_has_the_score_of_the_newest_night(lake: FsspecLake, recorded: str) -> None:
    """That of its draft: a run that is cleared creates the same plan again, whatever later nights find."""
    group = snapshots.load(lake, recorded)
    learnt = Learnt(restore=Quantity(41, Span(800, 1_200, 2_400)))
    place = fallen_score(Path(lake.url), group, ("2026-11-20", "2026-11-21"), learnt)

    planning.draft("run", PLAIN_FORM | {"snapshot": recorded}, "ann")
    shutil.rmtree(place)
    planning.search("run")
    plan = plans.load(lake, planning.assemble("run"))

    assert plan.past is not None
    assert (plan.past.score.equal, plan.past.score.different, plan.past.wrong_before) == (410, 2, 0)
    fallen = "score has fallen since the day before. Holdfast decided 410 of 412 past rebalances of this group as Kafka did"
    assert fallen in plans.markdown(plan)
    assert (plan.policy.restore_slowest, plan.policy.restore_fastest) == (800, 2_400)
    assert "800 to 2,400 records/s, learnt from 41 restores of this group" in plans.markdown(plan)


def test_a_large_one_is_for_spark(lake: FsspecLake, recorded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_work, "TRIED", 10)
    planning.draft("run", PLAIN_FORM | {"snapshot": recorded}, "ann")

    assert planning.search("run") == planning.ON_SPARK
    assert planning.search_arguments(context()) == ["--draft", "/".join(runs.folder("run"))]
    assert not searching.is_done(lake, runs.folder("run"))


def test_the_page_of_the_run_has_what_is_done_of_how_many(lake: FsspecLake, recorded: str) -> None:
    """Titles before the first option is forecast; after a kill, what is kept."""
    planning.draft("run", PLAIN_FORM | {"snapshot": recorded}, "ann")
    draft = runs.folder("run")
    texts = [lake.read((*draft, name), 10**7).decode() for name in ("snapshot.json", "change.json")]
    options = distributed_search.candidates(*texts)

    assert making.search_of(lake, "run") == making.Search((), 0)
    searching.announce(lake, draft, options)
    begun = making.search_of(lake, "run")
    assert (begun.done, begun.of, len(begun.options)) == (0, len(options), len(options))
    lake.write((*draft, "progress", "001.json"), search_progress.written(1, len(options), options[1], 0.25).encode())
    shown = making.search_of(lake, "run")
    assert (shown.done, shown.of) == (1, len(options))
    assert [title for title, _ in shown.options] == [title for title, _ in begun.options]
    assert [took for _, took in shown.options[:3]] == ["", "0.2 s", ""]


def test_a_small_one_waits_for_no_place_in_sparks_pool() -> None:
    """A nightly job holds it for minutes."""
    from airflow.dag_processing.dagbag import DagBag

    dag = DagBag(dag_folder=str(DAG_FILE)).dags["plan_rollout"]
    pools = {task.task_id: task.pool for task in dag.tasks}
    after = dag.get_task("search").downstream_task_ids

    assert [name for name, pool in pools.items() if pool == SPARK_POOL] == [planning.ON_SPARK]
    assert after == {planning.ON_SPARK, planning.MADE}
    assert dag.get_task(planning.MADE).trigger_rule == "none_failed_min_one_success"


class TestAnApprovalFromAnywhere:
    def test_is_refused_where_the_group_has_drifted(self, lake: FsspecLake, recorded: str, make: Any) -> None:
        plan_id, run = make()
        plan = plans.load(lake, plan_id)
        gone(lake, recorded)

        with pytest.raises(decisions.NoLongerHolds, match=r"can only be rejected.*has left the group"):
            decisions.keep_decision(run, answer("Approve", plan))
        assert plans.approval_of(lake, plan_id) is None
        assert not decisions.keep_decision(run, answer("Reject", plan, reason="drifted")).approved

    def test_is_refused_where_its_time_is_over(self, lake: FsspecLake, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        plan_id, run = make()
        plan = plans.load(lake, plan_id)
        monkeypatch.setattr(decisions, "now", lambda: datetime.fromisoformat(plan.expires_at) + timedelta(seconds=1))

        with pytest.raises(decisions.NoLongerHolds, match="expired at"):
            decisions.keep_decision(run, answer("Approve", plan))

    def test_is_taken_where_nothing_has_drifted(self, lake: FsspecLake, make: Any) -> None:
        plan_id, run = make()

        assert decisions.keep_decision(run, answer("Approve", plans.load(lake, plan_id))).approved
