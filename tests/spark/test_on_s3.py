"""A job from spark-submit to the tables with its lake on S3, its keys in the environment alone: killed, and run again, it
writes the same tables as on a disk."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from pyspark.sql import SparkSession
from tests.harness.s3 import servers
from tests.harness.s3.servers import KEY, SECRET, S3Server
from tests.spark import kinds_of_group
from tests.spark.conftest import ROOT, Job, s3a_jars, strange_environment

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.parquet_tables import ParquetTables
from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.adapters.spark import s3a
from holdfast.adapters.spark.package_zip import package_zip

pytestmark = pytest.mark.spark
DECODED = (
    "groups",
    "documents",
    "clients",
    "members",
    "tasks",
    "partitions",
    "changelogs",
    "state_directories",
    "clusters",
    "quarantine",
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[S3Server]:
    with servers.s3proxy(tmp_path / "s3proxy") as running:
        yield running


def rows(tables: ParquetTables, name: str) -> list[str]:
    columns = [one for one in TABLES[name].names if one not in ("cluster", "day")]
    return sorted(str(sorted(row.items())) for row in tables.rows(name, [kinds_of_group.DAY], columns))


def test_a_job_that_was_killed_and_run_again_writes_the_same_tables_on_s3_as_on_a_disk(
    server: S3Server, spark: SparkSession, job: Job, strange_python: Path, tmp_path: Path
) -> None:
    address = server.address()
    lake = FsspecLake(address)
    kinds_of_group.keep(lake)
    name, content = package_zip()
    lake.write(("packages", name), content)
    url = s3a.url_of(lake.url)
    settings = (
        s3a.settings(address) | s3a.provider(address) | {"spark.ui.enabled": "false", "spark.driver.extraClassPath": s3a_jars()}
    )
    command = ["spark-submit", "--master", "local[2]", *(f"--conf={key}={value}" for key, value in settings.items())]
    command += ["--py-files", f"{url}/packages/{name}", str(ROOT / "spark_jobs" / "decode_snapshots.py")]
    command += ["--lake", url, "--days", kinds_of_group.DAY]
    environment = strange_environment(strange_python) | {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    assert {KEY, SECRET}.isdisjoint(" ".join(command).split())

    with subprocess.Popen(
        command, env=environment | s3a.environment(address), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as killed:
        wait_for_staged(killed, lake)
        for one in (*psutil.Process(killed.pid).children(recursive=True), psutil.Process(killed.pid)):
            one.kill()
    left = {name.split("/")[0] for name in staged(lake)}
    done = subprocess.run(
        command, env=environment | s3a.environment(address), capture_output=True, text=True, check=False, timeout=1_200
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    assert SECRET not in done.stdout + done.stderr

    local = FsspecLake(str(tmp_path / "local"))
    kinds_of_group.keep(local)
    job("decode_snapshots").work(spark, local.url, [kinds_of_group.DAY])
    here, there = ParquetTables(local.url), ParquetTables(address)
    assert {name: rows(there, name) for name in DECODED} == {name: rows(here, name) for name in DECODED}
    assert rows(there, "groups")
    assert {name.split("/")[0] for name in staged(lake)} == left, "only what the killed run has left"
    for cluster in lake.names(("tables", "v1", "groups")):
        for day in lake.names(("tables", "v1", "groups", cluster)):
            assert lake.names(("tables", "v1", "groups", cluster, day)) == ("day.parquet",)


def staged(lake: FsspecLake) -> list[str]:
    """The files of runs that have not ended, or were killed."""
    bucket, _, root = lake._root.partition("/")
    prefix = f"{root}/tables/.staging/"
    pages = list(lake._objects._pages(bucket, prefix))
    found = [one["Key"].removeprefix(prefix) for page in pages for one in page.get("Contents", ())]
    return [name for name in found if name and not name.endswith("/")]


def wait_for_staged(run: "subprocess.Popen[bytes]", lake: FsspecLake) -> None:
    """Until it has begun to write."""
    limit = time.monotonic() + 600
    while not staged(lake):
        assert run.poll() is None, run.stdout.read().decode()[-4_000:]
        assert time.monotonic() < limit, "it has not begun to write"
        time.sleep(0.05)
