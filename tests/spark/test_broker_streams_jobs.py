"""The jobs carry Streams groups whose broker assigns through the same tables."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.spark.kinds_of_group import AFTER, BROKER_CLUSTER, DAY
from tests.spark.test_jobs import key_of, rows_of, sorted_rows, whole

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.tables import fleet_findings, fleet_summary, group_rows, loss_rows

pytestmark = pytest.mark.spark


def found(spark: SparkSession, lake: FsspecLake, name: str) -> list[dict]:
    return rows_of(lake_tables.read_table(spark, lake.url, name).where(f"cluster = '{BROKER_CLUSTER}'"))


def test_every_snapshot_is_a_group_with_its_clients_members_and_tasks(spark: SparkSession, every_kind: FsspecLake) -> None:
    found_paths = Path(every_kind.url).glob(f"snapshots/cluster={BROKER_CLUSTER}/*/*/*.json")
    paths = {str(path.relative_to(every_kind.url)): path.read_bytes() for path in found_paths}
    rows = [group_rows.decode(path, content) for path, content in paths.items()]

    assert len(rows) == 3
    assert sorted_rows(found(spark, every_kind, "groups")) == sorted_rows(
        [whole("groups", key_of(row) | row["group"]) for row in rows]
    )
    for name in ("clients", "members", "tasks"):
        wanted = [whole(name, key_of(row) | one) for row in rows for one in row[name]]
        assert wanted
        assert sorted_rows(found(spark, every_kind, name)) == sorted_rows(wanted)
    assert found(spark, every_kind, "quarantine") == []
    (cluster,) = found(spark, every_kind, "clusters")
    assert (cluster["groups"], cluster["plain_groups"], cluster["clients"]) == (2, 0, 3 + 2)


def test_where_tasks_would_go_and_what_cannot_be_said(spark: SparkSession, every_kind: FsspecLake) -> None:
    moving = [row for row in found(spark, every_kind, "targets") if row["will_move"]]
    assert {row["target"] for row in moving} == {"third"}
    assert [row["group_id"] for row in found(spark, every_kind, "quarantine_targets")] == ["unready"]
    assert found(spark, every_kind, "order_changes") == []


def test_the_loss_of_every_host(spark: SparkSession, every_kind: FsspecLake) -> None:
    lost = found(spark, every_kind, "blast_radius")
    rows = loss_rows.losses(dumps(SNAPSHOT.write(AFTER)))["losses"]
    names = [*{name: None for row in rows for name in row}]
    assert sorted_rows([{name: row[name] for name in names} for row in lost]) == sorted_rows(
        [{name: row.get(name) for name in names} for row in rows]
    )
    assert len(lost) == 3 * len(Scenario)
    assert {row["scenario"] for row in lost if row["draws"]} >= {Scenario.NEW_ID_LIKELIEST, Scenario.NEW_ID_WORST}
    (problem,) = found(spark, every_kind, "quarantine_blast_radius")
    assert (problem["group_id"], "not ready" in problem["problem"]) == ("unready", True)
    assert found(spark, every_kind, "blast_radius_places") == []


def test_the_morning_after(every_kind: FsspecLake) -> None:
    (part,) = Path(every_kind.url).glob(f"fleet/day={DAY}/findings/part-*")
    findings = fleet_findings.findings_from_lines(DAY, part.read_text().splitlines())
    assert {row["host"] for row in findings.hosts if row["cluster"] == BROKER_CLUSTER} == {"10.0.0.1", "10.0.0.2"}
    page = fleet_summary.markdown_of(findings)
    assert "## Hosts with the highest impact if lost and not replaced" in page
    assert "## Longest host losses" in page
