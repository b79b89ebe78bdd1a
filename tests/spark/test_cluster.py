"""A standalone cluster: one master and two workers, own processes, whose Python has neither Airflow nor the checkout."""

import json
import re
import signal
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
from benchmarks import synthetic_fleet
from tests.harness.process import TetheredProcess
from tests.spark.conftest import ROOT, strange_environment
from tests.spark.test_jobs import whole

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.tables import group_rows, loss_rows
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark
SPARK_CLASS = sysconfig.get_path("scripts") + "/spark-class"
START_S = 600
ENDS_WITHIN_S = 1_800
"""A job of half a minute took six on a machine that did much else."""
DAY = synthetic_fleet.DAYS[1]
POISON = 3
GROUPS = 30


@pytest.fixture(scope="module")
def master(strange_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its URL. Nothing is left of the cluster afterwards."""
    logs = tmp_path_factory.mktemp("cluster")
    environment = strange_environment(strange_python) | {"SPARK_WORKER_DIR": str(logs / "work")}

    def started(name: str, *arguments: str) -> TetheredProcess:
        return TetheredProcess(name, [SPARK_CLASS, *arguments], logs / f"{name}.log", environment)

    deploy = "org.apache.spark.deploy"
    at = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    with started("master", f"{deploy}.master.Master", *at) as head:
        head.wait_until(lambda: head.logged("Starting Spark master at"), "listening", START_S)
        url = re.search(r"Starting Spark master at (\S+)", head.log_text())[1]
        worker = (f"{deploy}.worker.Worker", *at, "--cores", "1", "--memory", "1g", url)
        with started("one", *worker) as one, started("other", *worker) as other:
            for each in (one, other):
                each.wait_until(lambda each=each: each.logged("Successfully registered with master"), "registered", START_S)
            yield url


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> FsspecLake:
    """A fleet of which some are poisoned."""
    store = FsspecLake(str(tmp_path_factory.mktemp("lake")))
    for pair in synthetic_fleet.fleet(GROUPS, 9):
        snapshots.keep(store, pair.after)
    for number in range(POISON):
        poison = ('{"format_version": "2.0"}', "\x00", '{"format_version": "1.0", "protocol": "streams-classic"}')[number]
        store.write(("snapshots", "cluster=cluster-0", f"day={DAY}", f"group=poison-{number}", "1.json"), poison.encode())
    return store


def submitted(job: str, master: str, python: Path, packed: Path, lake: FsspecLake) -> subprocess.Popen[str]:
    command = ["spark-submit", "--master", master, "--conf", "spark.ui.enabled=false", "--py-files", str(packed)]
    command += ["--executor-memory", "600m", str(ROOT / "spark_jobs" / f"{job}.py"), "--lake", lake.url, "--days", DAY]
    return subprocess.Popen(
        command, env=strange_environment(python), cwd=python.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def killed_in_the_middle(run: subprocess.Popen[str], lake: FsspecLake) -> None:
    """As soon as it has begun to write."""
    deadline = time.monotonic() + START_S
    staging = Path(lake.url) / "tables" / ".staging"
    while not any(staging.glob("*/*/*/part-*")) and not any(staging.glob("*/_temporary/**/*.parquet")):
        assert run.poll() is None, run.stdout.read()
        assert time.monotonic() < deadline, "it has not begun to write"
        time.sleep(0.02)
    for one in (*psutil.Process(run.pid).children(recursive=True), psutil.Process(run.pid)):
        one.send_signal(signal.SIGKILL)
    run.communicate(timeout=START_S)  # closes its output too


def ended(run: subprocess.Popen[str]) -> str:
    """What it printed. It is gone afterwards, whatever happens."""
    with run:
        try:
            printed, _ = run.communicate(timeout=ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            for one in (*psutil.Process(run.pid).children(recursive=True), psutil.Process(run.pid)):
                one.kill()
            raise
    return printed


def finished(run: subprocess.Popen[str]) -> str:
    printed = ended(run)
    assert run.returncode == 0, printed[-4000:]
    return printed


def rows_of(lake: FsspecLake, name: str) -> list[str]:
    table = pq.read_table(f"{lake.url}/tables/v1/{name}", partitioning="hive").select(TABLES[name].names)
    return sorted(json.dumps(row, sort_keys=True) for row in table.to_pylist())


def test_a_run_that_was_killed_and_run_again_loses_nothing_and_doubles_nothing(
    master: str, strange_python: Path, packed: Path, lake: FsspecLake
) -> None:
    killed_in_the_middle(submitted("decode_snapshots", master, strange_python, packed, lake), lake)
    for job in ("decode_snapshots", "blast_radius"):
        finished(submitted(job, master, strange_python, packed, lake))

    decoded = [
        group_rows.decode(f"snapshots/cluster={pair.after.cluster}/day={DAY}/x", dumps(snapshot_to_json(pair.after)).encode())
        for pair in synthetic_fleet.fleet(GROUPS, 9)
    ]
    assert len(rows_of(lake, "groups")) == GROUPS
    assert len(rows_of(lake, "tasks")) == sum(len(row["tasks"]) for row in decoded)
    assert len(rows_of(lake, "quarantine")) == POISON
    key = ("cluster", "day", "group_id", "captured_at")
    answers = [(row, loss_rows.whole(str(row["document"]))["losses"]) for row in decoded]
    wanted = [whole("blast_radius", {name: row[name] for name in key} | loss) for row, losses in answers for loss in losses]
    found = [json.loads(row) for row in rows_of(lake, "blast_radius")]
    for row in found:
        assert row["snapshot"].startswith("snapshots/")
        assert (row["fingerprint"] or "").startswith("sha256:"), "each of these groups may be carried over"
        assert row["computed_on"] == row["day"]
        row |= {"snapshot": None, "fingerprint": None, "computed_on": None}
    assert sorted(json.dumps(row, sort_keys=True) for row in found) == sorted(json.dumps(row, sort_keys=True) for row in wanted)


def test_a_refusal_is_one_line_at_the_end(strange_python: Path, packed: Path, tmp_path: Path) -> None:
    run = submitted("compute_targets", "local[1]", strange_python, packed, FsspecLake(str(tmp_path / "nothing")))
    printed = ended(run)

    assert run.returncode == 1
    assert re.search(r"^holdfast compute_targets: the lake .* has no table documents", printed, re.MULTILINE)
    assert "Traceback" not in printed
