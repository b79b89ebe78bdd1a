"""The jobs carry Streams groups whose broker assigns through the same tables."""

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.harness.kafka.described_groups import CONFIGS, MEMBERS, PARTITIONS, group, member
from tests.spark.test_jobs import Job, key_of, rows_of, sorted_rows, whole

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.broker_streams.snapshot.described import snapshot_of
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.tables import fleet_findings, fleet_summary, group_rows, loss_rows
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark
DAY = "2026-11-21"
JOBS = ("decode_snapshots", "compute_targets", "detect_order_changes", "blast_radius", "summarize_fleet")
BEFORE = snapshot_of(
    group(),
    PARTITIONS,
    cluster="local",
    captured_at=f"{DAY}T12:00:00Z",
    broker_release="4.3",
    config=tuple((one.name, one.value) for one in CONFIGS if one.name.startswith("streams.")),
)
JOINED = snapshot_of(group((*MEMBERS, member("m-c", "third"))), PARTITIONS)
AFTER = replace(BEFORE, captured_at=f"{DAY}T13:00:00Z", members=JOINED.members)
UNREADY = replace(BEFORE, group_id="unready", group_state="NotReady")


@pytest.fixture(scope="module")
def written(spark: SparkSession, job: Job, tmp_path_factory: pytest.TempPathFactory) -> FsspecLake:
    """The lake after all jobs."""
    lake = FsspecLake(str(tmp_path_factory.mktemp("lake")))
    for snapshot in (BEFORE, AFTER, UNREADY):
        snapshots.keep(lake, snapshot)
    for name in JOBS:
        job(name).work(spark, lake.url, [DAY])
    return lake


def found(spark: SparkSession, lake: FsspecLake, name: str) -> list[dict]:
    return rows_of(lake_tables.read_table(spark, lake.url, name))


def test_every_snapshot_is_a_group_with_its_clients_members_and_tasks(spark: SparkSession, written: FsspecLake) -> None:
    paths = {str(path.relative_to(written.url)): path.read_bytes() for path in Path(written.url).glob("snapshots/*/*/*/*.json")}
    rows = [group_rows.decode(path, content) for path, content in paths.items()]

    assert len(rows) == 3
    assert sorted_rows(found(spark, written, "groups")) == sorted_rows(
        [whole("groups", key_of(row) | row["group"]) for row in rows]
    )
    for name in ("clients", "members", "tasks"):
        wanted = [whole(name, key_of(row) | one) for row in rows for one in row[name]]
        assert wanted
        assert sorted_rows(found(spark, written, name)) == sorted_rows(wanted)
    assert found(spark, written, "quarantine") == []
    (cluster,) = found(spark, written, "clusters")
    assert (cluster["groups"], cluster["plain_groups"], cluster["clients"]) == (2, 0, 3 + 2)


def test_where_tasks_would_go_and_what_cannot_be_said(spark: SparkSession, written: FsspecLake) -> None:
    moving = [row for row in found(spark, written, "targets") if row["will_move"]]
    assert {row["target"] for row in moving} == {"third"}
    assert [row["group_id"] for row in found(spark, written, "quarantine_targets")] == ["unready"]
    assert found(spark, written, "order_changes") == []


def test_the_loss_of_every_host(spark: SparkSession, written: FsspecLake) -> None:
    lost = found(spark, written, "blast_radius")
    rows = loss_rows.losses(dumps(SNAPSHOT.write(AFTER)))["losses"]
    names = [*{name: None for row in rows for name in row}]
    assert sorted_rows([{name: row[name] for name in names} for row in lost]) == sorted_rows(
        [{name: row.get(name) for name in names} for row in rows]
    )
    assert len(lost) == 3 * len(Scenario)
    assert {row["scenario"] for row in lost if row["draws"]} >= {Scenario.FRESH_LIKELIEST, Scenario.FRESH_WORST}
    (problem,) = found(spark, written, "quarantine_blast_radius")
    assert (problem["group_id"], "not ready" in problem["problem"]) == ("unready", True)
    assert found(spark, written, "blast_radius_places") == []


def test_the_morning_after(written: FsspecLake) -> None:
    (part,) = Path(written.url).glob(f"fleet/day={DAY}/findings/part-*")
    findings = fleet_findings.findings_from_lines(DAY, part.read_text().splitlines())
    assert {row["host"] for row in findings.hosts} == {"10.0.0.1", "10.0.0.2"}
    page = fleet_summary.markdown_of(findings)
    assert "## Hosts with the highest impact if lost and not replaced" in page
    assert "## Longest host losses" in page
