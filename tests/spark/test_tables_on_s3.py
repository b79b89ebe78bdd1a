"""Days of tables, and lines, in an object store that renames nothing: whole or not at all, by every job, killed anywhere."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.harness.s3 import servers
from tests.harness.s3.servers import BUCKET, KEY, SECRET, S3Server
from tests.spark import kinds_of_group
from tests.spark.conftest import JOBS, ROOT, Job
from tests.spark.test_lake_tables import DAYS, Killed, found, quarantine

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.parquet_tables import ParquetTables
from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.adapters.spark import hadoop_files, s3a
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.kinds import distributed_search, search_progress
from holdfast.workflows import searching

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[S3Server]:
    """Known to the session of this folder, which has been started long before."""
    with servers.s3proxy(tmp_path_factory.mktemp("s3") / "proxy") as running:
        hadoop = spark.sparkContext._jsc.hadoopConfiguration()
        given = {name.removeprefix("spark.hadoop.fs.s3a."): value for name, value in s3a.settings(running.address()).items()}
        for name, value in (given | {"access.key": KEY, "secret.key": SECRET}).items():
            hadoop.set(f"fs.s3a.bucket.{BUCKET}.{name}", value)
        yield running


@pytest.fixture
def lake(server: S3Server) -> FsspecLake:
    return FsspecLake(server.address())


@pytest.fixture
def place(lake: FsspecLake) -> str:
    """As Spark calls it."""
    return s3a.url_of(lake.url)


def objects(lake: FsspecLake, *below: str) -> list[str]:
    """All that there is, at any depth, but for marks of folders."""
    bucket, _, root = lake._root.partition("/")
    prefix = "/".join((root, *below)) + "/"
    pages = list(lake._objects._pages(bucket, prefix))
    found = [one["Key"].removeprefix(prefix) for page in pages for one in page.get("Contents", ())]
    return sorted(name for name in found if name and not name.endswith("/"))


def rows(lake: FsspecLake, name: str) -> list[str]:
    found = ParquetTables(lake.address).rows(name, [kinds_of_group.DAY], TABLES[name].names[2:])
    return sorted(json.dumps(row, sort_keys=True, default=str) for row in found)


def test_jobs_write_the_same_on_s3_as_on_a_disk(
    spark: SparkSession, job: Job, lake: FsspecLake, place: str, every_kind: FsspecLake
) -> None:
    """Over a copy of the lake on a disk, whose days have other files; with HOLDFAST_TEST_JOBS=all from the snapshots on."""
    if os.environ.get("HOLDFAST_TEST_JOBS") == "all":
        kinds_of_group.keep(lake)
        run = JOBS
    else:
        copy(every_kind, lake)
        for table in every_kind.names(("tables", "v1")):  # those without rows are there too
            hadoop_files.make(spark, f"{place}/tables/v1/{table}")
        run = ("compute_targets", "summarize_fleet")
    for name in run:
        job(name).work(spark, place, [kinds_of_group.DAY])

    here = {name: rows(every_kind, name) for name in TABLES}
    assert {name: rows(lake, name) for name in TABLES} == here
    assert sum(1 for found in here.values() if found) >= 15
    (lines,) = Path(every_kind.url).glob(f"fleet/day={kinds_of_group.DAY}/findings/part-*")
    findings = ("fleet", f"day={kinds_of_group.DAY}", "findings")
    assert lake.names(findings) == ("part-00000.txt",)
    assert lake.read((*findings, "part-00000.txt"), 10_000_000) == lines.read_bytes()
    assert {name.rsplit("/", 1)[-1] for name in objects(lake, "tables", "v1", "targets")} == {"day.parquet"}
    assert objects(lake, "tables", ".staging") == []


def copy(source: FsspecLake, lake: FsspecLake) -> None:
    root = Path(source.url)
    for path in root.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            lake.write(path.relative_to(root).parts, path.read_bytes())


def test_a_second_run_replaces_its_days_and_no_others(spark: SparkSession, lake: FsspecLake, place: str) -> None:
    first = [("a", DAYS[0], "1"), ("a", DAYS[1], "2"), ("b", DAYS[1], "3"), ("b c/ü", DAYS[0], "4")]
    lake_tables.write_days(spark, place, {"quarantine": quarantine(spark, *first)}, DAYS)
    assert found(spark, place) == sorted(first)

    lake_tables.write_days(spark, place, {"quarantine": quarantine(spark, ("a", DAYS[1], "5"))}, DAYS[1:])

    left = [("a", DAYS[0], "1"), ("a", DAYS[1], "5"), ("b c/ü", DAYS[0], "4")]
    assert found(spark, place) == left
    assert len(objects(lake, "tables")) == len(left), "one file a day, and nothing of the days that no longer exist"
    assert lake_tables.forget_days(spark, place, DAYS[1]) == [
        f"quarantine/cluster={cluster}/day={DAYS[0]}" for cluster in ("a", "b c%2Fü")
    ]
    assert found(spark, place) == left[1:2]


@pytest.mark.parametrize("puts", range(2))
def test_of_a_run_that_is_killed_between_two_days_each_is_the_old_or_the_new_one(
    spark: SparkSession, lake: FsspecLake, place: str, monkeypatch: pytest.MonkeyPatch, puts: int
) -> None:
    old, new = ([("a", day, f"{what} {number}") for day in DAYS for number in (1, 2)] for what in ("old", "new"))
    lake_tables.write_days(spark, place, {"quarantine": quarantine(spark, *old)}, DAYS)
    left, put = puts, hadoop_files.put

    def some(*given: Any) -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        put(*given)

    def nothing(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(hadoop_files, "put", some)
        dying.setattr(hadoop_files, "delete", nothing)
        with pytest.raises(Killed):
            lake_tables.write_days(spark, place, {"quarantine": quarantine(spark, *new)}, DAYS)

    whats = ["new" if number < puts else "old" for number in range(len(DAYS))]
    assert found(spark, place) == [
        ("a", day, f"{what} {number}") for day, what in zip(DAYS, whats, strict=True) for number in (1, 2)
    ]
    assert objects(lake, "tables", ".staging") != []
    lake_tables.write_days(spark, place, {"quarantine": quarantine(spark, *new)}, DAYS)
    assert found(spark, place) == sorted(new)
    monkeypatch.setattr(lake_tables, "_ABANDONED_S", -1)
    lake_tables.forget_days(spark, place, DAYS[0])
    assert objects(lake, "tables", ".staging") == [], "what the killed run has left"


def test_some_days_of_a_table_are_read_without_a_look_at_the_others(
    spark: SparkSession, lake: FsspecLake, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no Parquet on another day is not met, and no listing is above a day."""
    rows_ = [(cluster, day, "1") for cluster in "ab" for day in DAYS]
    lake_tables.write_days(spark, place, {"quarantine": quarantine(spark, *rows_)}, DAYS)
    asked = []
    listed = hadoop_files.names
    monkeypatch.setattr(hadoop_files, "names", lambda spark, place: [asked.append(place), listed(spark, place)][1])

    frame = lake_tables.read_table(spark, place, "quarantine", [DAYS[1], "2026-11-22"])

    assert sorted(row.cluster for row in frame.collect()) == ["a", "b"]
    assert frame.columns == TABLES["quarantine"].names
    assert {Path(one).parent.name for one in frame.inputFiles()} == {f"day={DAYS[1]}"}
    assert asked == [f"{place}/tables/v1/quarantine"]
    assert lake_tables.read_table(spark, place, "quarantine", ["2026-11-22"]).collect() == []
    before = lake_tables.read_with_day_before(spark, place, "quarantine", "2026-11-22")
    assert {row.day for row in before.collect()} == {DAYS[1]}


def test_what_is_forecast_on_spark_is_kept_on_s3_option_by_option_and_forecast_once(
    spark: SparkSession, job: Job, lake: FsspecLake, place: str
) -> None:
    folder = ROOT / "examples" / "streams-wordcount"
    snapshot, change = ((folder / name).read_text() for name in ("snapshot.json", "change.json"))
    draft = ("drafts", "one")
    for name, text in (("snapshot.json", snapshot), ("change.json", change)):
        lake.write((*draft, name), text.encode())
    options = distributed_search.candidates(snapshot, change)
    search = job("search_candidates")
    lines = search.evaluated(spark, snapshot, change, f"{place}/drafts/one")

    assert lines == [distributed_search.evaluation(snapshot, option) for option in options]
    kept = [lake.read((*draft, "forecasts", search_progress.file_name(one)), 10_000_000).decode() for one in range(len(options))]
    assert kept == lines
    told = searching.progress(lake, draft)
    assert [one.place for one in told.done] == list(range(len(options)))
    assert len(told.titles) == told.of == len(options)

    marked = lines[0].replace(":", ": ", 1)
    lake.write((*draft, "forecasts", "000.json"), marked.encode())
    lake.write((*draft, "forecasts", "001.json"), lines[1][:-30].encode())
    again = search.evaluated(spark, snapshot, change, f"{place}/drafts/one")
    assert again == [marked, *lines[1:]], "the first is taken as it was kept, the damaged one forecast again"
    lake_tables.write_lines(
        spark, spark.createDataFrame([(one,) for one in again], "value string"), f"{place}/drafts/one/evaluations"
    )
    assert searching.is_done(lake, draft)
    assert lake.read((*draft, "evaluations", "part-00000.txt"), 10_000_000).decode().splitlines() == again
    assert [name for name in objects(lake, "drafts") if "tmp" in name] == []
