"""The DAGs as files: they import, are light, and have what every DAG of Holdfast's has."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from tests.harness.installed import running

from holdfast.airflow_provider import plugin
from holdfast.errors import ClusterTrouble, HoldfastError, InvalidInput, NotAllowed, StalePlan, Unsupported

ROOT = Path(__file__).resolve().parents[2]
DAGS = tuple(sorted(running.DAGS))
HEAVY = (
    "kafka",
    "pyspark",
    "pandas",
    "pyarrow",
    "numpy",
    "fsspec",
    "holdfast.adapters",
    "holdfast.workflows",
    "holdfast.rollout.streams.plan",
    "holdfast.rollout.consumer.plan",
    "holdfast.web",
)
OF_OURS = 50
"""The modules of Holdfast that all of them import, at most. Each task's process parses its DAG file too: 200 modules take 0.3 s."""
PARSES_MOST = 0.2
"""For all together: the part of the processor time in which the same interpreter has imported Airflow's own classes."""


@pytest.fixture(scope="module")
def bag():
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(dag_folder=str(ROOT / "dags"))


class TestEveryDag:
    def test_is_there_and_imports(self, bag) -> None:
        assert bag.import_errors == {}
        assert sorted(bag.dags) == list(DAGS)

    @pytest.mark.parametrize("name", DAGS)
    def test_is_described_owned_and_tagged(self, bag, name: str) -> None:
        dag = bag.dags[name]

        assert dag.doc_md.startswith("###")
        assert "holdfast" in dag.tags
        assert len(dag.tags) >= 2
        assert {task.owner for task in dag.tasks} == {"holdfast"}
        assert not dag.catchup

    @pytest.mark.parametrize("name", DAGS)
    def test_no_task_runs_for_ever(self, bag, name: str) -> None:
        """A question has no limit of its own: it is open as long as its plan is valid (`decisions.question`)."""
        for task in bag.dags[name].tasks:
            is_question = type(task).__name__ == "AskForApproval"
            assert (task.execution_timeout is None) if is_question else (task.execution_timeout <= timedelta(hours=4)), task.task_id

    @pytest.mark.parametrize("name", DAGS)
    def test_retries_what_may_pass_and_nothing_else(self, bag, name: str) -> None:
        for task in bag.dags[name].tasks:
            assert task.retries >= 2, task.task_id
            assert task.retry_delay <= timedelta(minutes=1)
            refused = ClusterTrouble("refused credentials", lasting=True)
            for refusal in (InvalidInput("x"), Unsupported("x"), StalePlan("p", ()), NotAllowed("x"), HoldfastError("x"), refused):
                assert task.retry_policy.evaluate(refusal, 1, 3).action.value == "fail"
            assert task.retry_policy.evaluate(ClusterTrouble("x"), 1, 3).action.value == "retry"
            assert task.retry_policy.evaluate(ConnectionError("x"), 1, 3).action.value == "default"

    @pytest.mark.parametrize("name", DAGS)
    def test_has_a_form_that_explains_itself(self, bag, name: str) -> None:
        for key in bag.dags[name].params:
            param = bag.dags[name].params.get_param(key)
            assert param.schema.get("title"), key
            assert param.description or param.schema.get("description_md"), key

    def test_uses_pools_that_the_plugin_makes(self, bag) -> None:
        used = {task.pool for dag in bag.dags.values() for task in dag.tasks}

        assert used - {"default_pool"} == set(plugin.POOLS)

    def test_does_one_thing_at_a_time_where_it_acts(self, bag) -> None:
        """For a group it is the lease that holds `apply_rollout` to it: a run that waits for one group holds up no other."""
        assert bag.dags["apply_rollout"].max_active_runs == 16
        assert bag.dags["collect_groups"].max_active_runs == 1

    def test_tries_again_where_it_acts_however_often_a_worker_dies(self, bag) -> None:
        """The retries of default_args replaced those of the operator."""
        assert {task.task_id: task.retries for task in bag.dags["apply_rollout"].tasks} == {"plans": 10, "walk": 10}

    def test_hands_on_to_the_next_by_assets(self, bag) -> None:
        outlets = {name: {asset.name for task in dag.tasks for asset in task.outlets} for name, dag in bag.dags.items()}

        assert outlets["collect_groups"] == {"holdfast_snapshots"}
        assert outlets["plan_rollout"] == {"holdfast_approved_plans"}
        assert "holdfast_snapshots" in str(bag.dags["forecast_fleet"].timetable.asset_condition)
        assert "holdfast_approved_plans" in str(bag.dags["apply_rollout"].timetable.asset_condition)


PARSE = """
import json, sys, time, importlib.util
started = time.process_time()
import airflow.sdk, airflow.plugins_manager
import airflow.providers.standard.operators.hitl, airflow.providers.apache.spark.operators.spark_submit
before = set(sys.modules)
began = time.process_time()
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("parsed", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
import holdfast.airflow_provider.plugin
print(json.dumps([(time.process_time() - began) / (began - started), sorted(set(sys.modules) - before)]))
"""


@pytest.fixture(scope="module")
def parsed() -> tuple[float, list[str]]:
    """All of them and the plugin, which each task's process loads too, in a fresh interpreter of the scheduler's: processor time in
    parts of that of Airflow's own classes, and imported modules."""
    files = sorted((ROOT / "dags").glob("*.py"))
    command = [sys.executable, "-c", PARSE, *map(str, files)]
    of_the_scheduler = os.environ | {"_AIRFLOW_PROCESS_CONTEXT": "server"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=of_the_scheduler)
    output = done.stdout.splitlines()[-1]
    share, modules = json.loads(output)
    return share, modules


class TestParsing:
    def test_imports_nothing_heavy(self, parsed: tuple[float, list[str]]) -> None:
        _, modules = parsed

        assert [module for module in modules if module.startswith(HEAVY)] == []
        assert 10 < len([module for module in modules if module.startswith("holdfast")]) <= OF_OURS

    def test_takes_little_beyond_airflow(self, parsed: tuple[float, list[str]]) -> None:
        share, _ = parsed

        assert share < PARSES_MOST
