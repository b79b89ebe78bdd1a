"""The tables that Airflow's workers made, compared row by row with those that are made of the same lake in one piece."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from tests.harness.pages.airflow_server import ROOT
from tests.live.workers.many import POLICY, Many

from holdfast.adapters.lake.parquet_tables import ParquetTables
from holdfast.adapters.lake.table_schemas import SETTING, TABLES
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.tables import setting_rows

JOBS = ("decode_snapshots", "compute_targets", "detect_order_changes", "blast_radius", "score_forecasts", "examine_settings")
"""Of `forecast_fleet`, those that write tables, in their order."""
BY_OTHERS = ("backtests", "quarantine_backtests")
"""Tables that another DAG's jobs write."""
LIMIT_S = 900
Row = dict[str, Any]
Key = tuple[str, ...]


def compared(this: Many, again: Path, programs: Path) -> dict[str, object]:
    """With those that Spark makes of the same lake, one job after the other, in a folder of its own."""
    lake = Path(this.lake.url)
    again.mkdir()
    for one in lake.iterdir():
        if one.name not in ("tables", "packages"):
            subprocess.run(["cp", "-r", str(one), str(again)], check=True)
    days = ",".join(sorted({one.name.removeprefix("day=") for one in lake.glob("snapshots/*/day=*")}))
    environment = {**os.environ, **this.server.environment}
    for job in JOBS:
        _submit(job, again, days, environment, programs)
    counted, wrong = different(lake, again)
    wrong += wrongly_examined(lake, policy_from_json(POLICY))
    return {"tables": counted, "rows": sum(counted.values()), "wrong": wrong}


def different(lake: Path, again: Path) -> tuple[dict[str, int], list[str]]:
    """How many rows each table of the lake has, and what differs; but of `settings_findings` see below."""
    counted, wrong = dict[str, int](), []
    for table in sorted(set(TABLES) - set(BY_OTHERS)):
        ours, theirs = (Counter(json.dumps(row, default=str) for row in _rows(one, table)) for one in (lake, again))
        counted[table] = ours.total()
        if ours != theirs and table != "settings_findings":
            wrong.append(f"{table}: {(ours - theirs).total()} rows too many, {(theirs - ours).total()} missing")
    return counted, wrong


def wrongly_examined(lake: Path, policy: Policy) -> list[str]:
    """What is wrong with `settings_findings`: it has one snapshot a day of each group, the one that the job saw first.

    Which one that was only the table says. What is found in it is worked out again here.
    """
    groups = {_key(row): row for row in _rows(lake, "groups")}
    documents = {_key(row): row["document"] for row in _rows(lake, "documents")}
    found = dict[Key, list[Row]]()
    for row in _rows(lake, "settings_findings"):
        found.setdefault(_key(row), []).append(row)
    examined = Counter(key[:-1] for key in (*found, *map(_key, _rows(lake, "quarantine_settings"))))
    wrong = [f"{one} was examined {examined[one]} times" for one in {key[:-1] for key in groups} if examined[one] != 1]
    for key, rows in found.items():
        anew = setting_rows.findings(documents[key], policy, _work(groups[key]))["findings"]
        if _lines(rows) != _lines(anew):
            wrong.append(f"settings_findings of {key}: {_lines(rows)} for {_lines(anew)}"[:2_000])
    return wrong


def _submit(job: str, lake: Path, days: str, environment: dict[str, str], programs: Path) -> None:
    (package,) = programs.parent.glob("lib/python3*/site-packages/holdfast")
    command = [str(package.parent / "pyspark" / "bin" / "spark-submit"), "--master", "local[1]"]
    command += [str(ROOT / "spark_jobs" / f"{job}.py"), "--lake", str(lake), "--days", days]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr[-4_000:]


def _rows(lake: Path, table: str) -> tuple[Any, ...]:
    tables = ParquetTables(str(lake))
    return tables.rows(table, tables.days(table), [one for one in TABLES[table].names if one not in ("cluster", "day")])


def _key(row: Row) -> Key:
    return row["cluster"], row["day"], row["group_id"], row["snapshot"]


def _work(group: Row) -> int:
    return (group["clients"] or group["members"] or 0) * (group["tasks"] or group["partitions"] or 0)


def _lines(rows: list[Row]) -> list[str]:
    return sorted(json.dumps({name: row.get(name) for name, _ in SETTING}) for row in rows)
