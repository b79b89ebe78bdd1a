"""An Airflow that has DAGs and plugins already, with Holdfast installed next to them: everything by entry points, and the DAGs by a
bundle or one line, in a place where nothing may be written.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.harness import no_rights
from tests.harness.pages.airflow_server import Server, serving

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.json.strict import loads
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows import snapshots

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "streams-wordcount"
OWN_DAG = """
from airflow.sdk import dag, task

@dag(schedule=None)
def theirs():
    @task
    def nothing():
        return 1
    nothing()

theirs()
"""
OWN_PLUGIN = """
from airflow.plugins_manager import AirflowPlugin

class Theirs(AirflowPlugin):
    name = "theirs"
"""
ONE_LINE = "from holdfast.airflow_provider.dags import *\n"
DAGS = {
    "apply_rollout",
    "backtest_groups",
    "collect_groups",
    "compare_protocols",
    "forecast_fleet",
    "plan_rollout",
    "verify_rollout",
}
LOCAL = {"name": "dags-folder", "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle", "kwargs": {}}
OURS = {"name": "holdfast", "classpath": "holdfast.airflow_provider.bundle.HoldfastDagBundle", "kwargs": {}}
LONGEST_RUN_S = 2_400
SMALL_JOBS = """
spark.ui.enabled false
spark.sql.shuffle.partitions 2
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.driver.memory 1g
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
"""
"""Of Spark: to compile a query takes longer than to run it over a few rows."""
SECRET = "hard to guess, and 'quoted\""


def look(programs: Path, folder: Path, *, by_bundle: bool) -> None:
    """Assert all that an administrator relies on. `by_bundle`: else by one line in a file of the DAG folder."""
    project = folder / "project"
    files = {"dags/theirs.py": OWN_DAG, "plugins/theirs.py": OWN_PLUGIN} | ({} if by_bundle else {"dags/hf.py": ONE_LINE})
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (package,) = programs.parent.glob("lib/python3*/site-packages/holdfast")
    before = (_files(project), _files(package))
    more = environment(programs, folder, [LOCAL, OURS] if by_bundle else [LOCAL])
    anybody = no_rights.command(str(programs / "airflow"))
    with (
        no_rights.read_only(package),
        serving(folder / "airflow", folder / "lake", scheduling=True, more=more, airflow=anybody) as server,
    ):
        _finds_everything(server, "holdfast" if by_bundle else "dags-folder")
        _keeps_a_connection(server)
        plan_id = plans(server, FsspecLake(str(server.lake)))
        forecasts(server)
    assert list((folder / "lake").glob(f"plans/{plan_id}/approval*")), "the approval is not in the lake"
    assert list((folder / "lake").glob("tables/v1/groups/*/*/*.parquet")), "Spark wrote no table"
    assert (_files(project), _files(package)) == before


def environment(programs: Path, folder: Path, bundles: Sequence[object]) -> dict[str, str]:
    """Variables of an Airflow in `programs`, with the DAGs and plugins of `folder / "project"` and those of `bundles`. Its Spark
    has small jobs only."""
    (folder / "spark").mkdir(exist_ok=True)
    (folder / "spark" / "spark-defaults.conf").write_text(SMALL_JOBS)
    (packages,) = programs.parent.glob("lib/python3*/site-packages")
    return {
        "PYTHONPATH": "",
        "PYTHONDONTWRITEBYTECODE": "1",  # or the user's folders get `__pycache__` from Airflow
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYSPARK_PYTHON": str(programs / "python"),
        "SPARK_HOME": str(packages / "pyspark"),
        "SPARK_CONF_DIR": str(folder / "spark"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(folder / "project" / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(folder / "project" / "plugins"),
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(bundles),
    }


def _files(folder: Path) -> dict[str, str]:
    """What there is in a folder, by the digests of the contents."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()
    }


def _finds_everything(server: Server, bundle: str) -> None:
    def parsed() -> dict[str, str] | None:
        found = {one["dag_id"]: one["bundle_name"] for one in server.rest("GET", "/api/v2/dags?limit=100")["dags"]}
        return found if set(found) >= DAGS | {"theirs"} else None

    found = server.wait("the DAGs", parsed)
    assert found == dict.fromkeys(DAGS, bundle) | {"theirs": "dags-folder"}
    assert server.rest("GET", "/api/v2/importErrors")["import_errors"] == []
    plugins = {one["name"]: one["source"] for one in server.rest("GET", "/api/v2/plugins")["plugins"]}
    assert plugins["holdfast"].startswith("holdfast==")
    assert "theirs" in plugins
    assert server.rest("GET", "/api/v2/plugins/importErrors")["import_errors"] == []
    providers = {one["package_name"] for one in server.rest("GET", "/api/v2/providers?limit=500")["providers"]}
    assert "holdfast" in providers
    types = {one["connection_type"]: one for one in server.rest("GET", "/ui/connections/hook_meta")}
    fields = types["holdfast_kafka"]["extra_fields"]
    assert {"bootstrap.servers", "sasl.mechanism", "groups"} <= set(fields)
    assert fields["ssl.key.password"]["schema"]["format"] == "password"
    assert types["holdfast_kafka"]["standard_fields"]["password"]["title"]


def _keeps_a_connection(server: Server) -> None:
    """As the form sends one: secrets come back as stars."""
    extra = {"bootstrap.servers": "b:9092", "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "ssl.key.password": SECRET}
    sent = {
        "connection_id": "holdfast_kafka_prod",
        "conn_type": "holdfast_kafka",
        "login": "u",
        "password": SECRET,
        "extra": json.dumps(extra),
    }
    server.rest("POST", "/api/v2/connections", sent)
    kept = server.rest("GET", "/api/v2/connections/holdfast_kafka_prod")
    assert SECRET not in str(kept)
    assert json.dumps(SECRET)[1:-1] not in kept["extra"]
    logged = str(server.rest("GET", "/api/v2/eventLogs?limit=100"))
    assert "holdfast_kafka_prod" in logged
    assert SECRET not in logged
    assert json.dumps(SECRET)[1:-1] not in logged
    assert (kept["password"], json.loads(kept["extra"])["ssl.key.password"]) == ("***", "***")


def plans(server: Server, lake: FsspecLake) -> str:
    """plan_rollout on the example, from its form to the approval on the plan's page. The plan's ID."""
    path, plan_id = asks_for_approval(server, lake)
    approves(server, path, plan_id)
    return plan_id


def asks_for_approval(server: Server, lake: FsspecLake) -> tuple[str, str]:
    """plan_rollout on the example, until it waits for a decision: the path of its run, and the plan's ID."""
    recorded = snapshot_from_json(loads((EXAMPLE / "snapshot.json").read_bytes()))
    snapshot = replace(recorded, captured_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))
    kept = snapshots.keep(lake, snapshot)
    conf = {
        "cluster": snapshot.cluster,
        "group": snapshot.group_id,
        "change": loads((EXAMPLE / "change.json").read_bytes()),
        "snapshot": kept,
    }
    path = _run(server, "plan_rollout", conf)

    def asked() -> str | None:
        states = _states(server, path)
        if states.get("approve") != "awaiting_input":
            return None
        return str(server.rest("GET", f"{path}/taskInstances/assemble/xcomEntries/return_value")["value"]).strip('"')

    return path, server.wait("the question", asked)


def approves(server: Server, path: str, plan_id: str) -> None:
    """On the plan's page, as one of the approvers; then the run succeeds."""
    page = f"/holdfast/plans/{plan_id}"
    shown = server.ask("GET", page, "bob")
    assert shown.status == 200
    assert server.ask("GET", "/holdfast/static/holdfast.svg", "bob").status == 200
    (token,) = re.findall(r'name="token" value="([^"]+)"', shown.text)
    form = {"token": token, "decision": "approve", "reason": "read it"}
    answer = server.ask("POST", f"{page}/decision", "bob", form, {"Sec-Fetch-Site": "same-origin", "Origin": server.origin})
    assert answer.status == 303, answer.text[:2000]
    _succeeds(server, path)


def forecasts(server: Server) -> None:
    """Every job of the night on Spark: scripts and the package come out of the wheel."""
    _succeeds(server, _run(server, "forecast_fleet", {}))


def _run(server: Server, dag: str, conf: dict[str, Any]) -> str:
    server.rest("PATCH", f"/api/v2/dags/{dag}?update_mask=is_paused", {"is_paused": False})
    run = server.rest("POST", f"/api/v2/dags/{dag}/dagRuns", {"logical_date": None, "conf": conf}, "bob")["dag_run_id"]
    return f"/api/v2/dags/{dag}/dagRuns/{quote(run)}"


def _succeeds(server: Server, path: str) -> None:
    """Nothing is timed: seven jobs of Spark take a minute on an idle machine, and a quarter of an hour on a busy one."""
    deadline = time.monotonic() + LONGEST_RUN_S
    while (state := server.rest("GET", path)["state"]) not in ("success", "failed"):
        assert time.monotonic() < deadline, _states(server, path)
        _states(server, path)
        time.sleep(2)
    assert state == "success"


def _states(server: Server, path: str) -> dict[str, str | None]:
    states = {one["task_id"]: one["state"] for one in server.rest("GET", f"{path}/taskInstances")["task_instances"]}
    assert "failed" not in states.values(), states
    return states
