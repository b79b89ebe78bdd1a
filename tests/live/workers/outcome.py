"""What must be true of Airflow and of the lake after each round, whatever was killed: nothing is lost, nothing is there twice."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import duckdb
from tests.harness.pages.airflow_server import ROOT, Server
from tests.live.workers.many import CLUSTER, DAGS, GROUP, Many

ACTIVE = ("queued", "running", "restarting")
JOBS = ("decode_snapshots", "compute_targets", "detect_order_changes", "blast_radius", "score_forecasts", "examine_settings")
"""Of `forecast_fleet`, those that write tables, in their order."""
LIMIT_S = 900


def _runs(server: Server, dag_id: str) -> list[dict[str, object]]:
    return list(server.rest("GET", f"/api/v2/dags/{dag_id}/dagRuns?limit=100&order_by=-run_after")["dag_runs"])


def nothing_runs(server: Server) -> bool:
    """Neither what was triggered by hand nor what assets triggered."""
    return not any(one["state"] in ACTIVE for dag_id in DAGS for one in _runs(server, dag_id))


def runs(server: Server) -> dict[str, dict[str, int]]:
    """By DAG: how many runs ended how."""
    return {dag_id: dict(Counter(str(one["state"]) for one in _runs(server, dag_id))) for dag_id in DAGS}


def wrong(this: Many) -> list[str]:
    """Of the lake, while nothing runs."""
    return [*_plans(this), *_left_over(this), *_snapshots(this)]


def _plans(this: Many) -> list[str]:
    """As many as runs that made one; each decided once."""
    found = []
    made = [one["dag_run_id"] for one in _runs(this.server, "plan_rollout")]
    kept = sorted((Path(this.lake.url) / "plans").glob("*/plan.json"))
    if len(kept) != len(made):
        found.append(f"{len(made)} runs of plan_rollout have made {len(kept)} plans")
    for one in kept:
        approvals = [each.name for each in one.parent.iterdir() if each.name.startswith("approval")]
        if len(approvals) != 1:
            found.append(f"plan {one.parent.name} has the approvals {approvals}")
    return found


def _left_over(this: Many) -> list[str]:
    """Every document is whole, and no lease is held: a run that was killed has gone on elsewhere."""
    lake = Path(this.lake.url)
    found = [f"half-written: {one.relative_to(lake)}" for one in lake.rglob("*.json") if not _is_json(one)]
    for group in lake.glob("leases/*/*"):
        newest = max(group.glob("[0-9]*.json"))
        if json.loads(newest.read_text())["state"] == "held":
            found.append(f"held for ever: {newest.relative_to(lake)}")
    return found


def _is_json(place: Path) -> bool:
    try:
        json.loads(place.read_text())
    except ValueError:
        return False
    return True


def _snapshots(this: Many) -> list[str]:
    """A run of `collect_groups` that succeeded has kept a snapshot of the group."""
    succeeded = sum(one["state"] == "success" for one in _runs(this.server, "collect_groups"))
    kept = len(list((Path(this.lake.url) / "snapshots").glob(f"cluster={CLUSTER}/day=*/group={GROUP}/*.json")))
    return [] if kept >= succeeded else [f"{succeeded} runs of collect_groups, {kept} snapshots of {GROUP}"]


def compared_tables(this: Many, again: Path, programs: Path) -> dict[str, object]:
    """With those that Spark makes of the same lake, one job after the other, in a folder of its own, row by row."""
    lake = Path(this.lake.url)
    again.mkdir()
    for one in lake.iterdir():
        if one.name not in ("tables", "packages"):
            subprocess.run(["cp", "-r", str(one), str(again)], check=True)
    days = ",".join(sorted({one.name.removeprefix("day=") for one in lake.glob("snapshots/*/day=*")}))
    environment = {**os.environ, **this.server.environment}
    for job in JOBS:
        _submit(job, again, days, environment, programs)
    wrong, rows = [], dict[str, int]()
    for table in sorted({one.name for one in (*(lake / "tables" / "v1").iterdir(), *(again / "tables" / "v1").iterdir())}):
        if table == "backtests":
            continue  # made by another DAG
        ours, theirs = _rows(lake, table), _rows(again, table)
        rows[table] = ours.total()
        if ours != theirs:
            wrong.append(f"{table}: {(ours - theirs).total()} rows too many, {(theirs - ours).total()} missing")
    return {"tables": rows, "rows": sum(rows.values()), "wrong": wrong}


def _submit(job: str, lake: Path, days: str, environment: dict[str, str], programs: Path) -> None:
    (package,) = programs.parent.glob("lib/python3*/site-packages/holdfast")
    command = [str(package.parent / "pyspark" / "bin" / "spark-submit"), "--master", "local[1]"]
    command += [str(ROOT / "spark_jobs" / f"{job}.py"), "--lake", str(lake), "--days", days]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr[-4_000:]


def _rows(lake: Path, table: str) -> Counter[str]:
    files = str(lake / "tables" / "v1" / table / "**" / "*.parquet")
    return Counter(str(row) for row in duckdb.sql(f"SELECT * FROM read_parquet('{files}', hive_partitioning = true)").fetchall())
