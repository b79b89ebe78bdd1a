"""The jobs carry consumer groups through the same tables as Kafka Streams groups: row for row what the functions give."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.harness.plain_groups import change
from tests.spark.conftest import Job, fresh
from tests.spark.kinds_of_group import DAY, PLAIN, PLAIN_CLUSTER, STREAMS
from tests.spark.test_jobs import key_of, rows_of, sorted_rows, whole

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import distributed_search, search_progress
from holdfast.rollout.tables import fleet_findings, fleet_summary, group_rows, loss_rows

pytestmark = pytest.mark.spark


def of_cluster(rows: list[dict]) -> list[dict]:
    return [row for row in rows if row["cluster"] == PLAIN_CLUSTER]


def found(spark: SparkSession, lake: FsspecLake, name: str) -> list[dict]:
    rows = lake_tables.read_table(spark, lake.url, name)
    return rows_of(rows.where(f"cluster = '{PLAIN_CLUSTER}' and group_id <> 'streams-wordcount'"))


def latest(spark: SparkSession, lake: FsspecLake) -> list[dict]:
    return [row for row in found(spark, lake, "documents") if not row["captured_at"].startswith(f"{DAY}T12:00")]


def test_every_snapshot_is_a_group_with_its_members_and_partitions(spark: SparkSession, every_kind: FsspecLake) -> None:
    found_paths = Path(every_kind.url).glob(f"snapshots/cluster={PLAIN_CLUSTER}/*/*/*.json")
    paths = {str(path.relative_to(every_kind.url)): path.read_bytes() for path in found_paths}
    rows = [row for path, content in paths.items() if (row := group_rows.decode(path, content))["group_id"] != "streams-wordcount"]

    assert len(rows) == 4
    assert sorted_rows(found(spark, every_kind, "groups")) == sorted_rows(
        [whole("groups", key_of(row) | row["group"]) for row in rows]
    )
    for name in ("members", "partitions"):
        wanted = [whole(name, key_of(row) | one) for row in rows for one in row[name]]
        assert wanted
        assert sorted_rows(found(spark, every_kind, name)) == sorted_rows(wanted)
    assert found(spark, every_kind, "clients") == found(spark, every_kind, "tasks") == found(spark, every_kind, "quarantine") == []


def test_a_cluster_counts_them(spark: SparkSession, every_kind: FsspecLake) -> None:
    clusters = lake_tables.read_table(spark, every_kind.url, "clusters")
    (row,) = rows_of(clusters.where(f"cluster = '{PLAIN_CLUSTER}'"))

    assert (row["groups"], row["plain_groups"], row["clients"]) == (4, 3, len(STREAMS["clients"]))
    assert row["members"] == row["threads"] + 3 + 2 + 2
    assert (row["rebalances"], row["lag"], row["copies_behind"]) == (12 - 7, 6 * 10 + 15, 4)


def test_targets_moves_and_losses_are_what_the_functions_give(spark: SparkSession, every_kind: FsspecLake) -> None:
    rows = latest(spark, every_kind)
    targets = [whole("targets", key_of(row) | one) for row in rows for one in group_rows.targets(row["document"])["targets"]]
    losses = [whole("blast_radius", key_of(row) | one) for row in rows for one in loss_rows.losses(row["document"])["losses"]]
    (change,) = found(spark, every_kind, "order_changes")

    assert len(targets) == 12
    assert sorted_rows(found(spark, every_kind, "targets")) == sorted_rows(targets)
    assert len(losses) == 3 * 3 + 2 * 3 + 2 * 3
    lost = [fresh(row) for row in found(spark, every_kind, "blast_radius")]
    assert sorted_rows(lost) == sorted_rows([fresh(row) for row in losses])
    assert (change["group_id"], change["protocol"], change["moved_between_survivors"]) == ("billing", "consumer-classic", 2)
    assert len(found(spark, every_kind, "order_change_moves")) == change["moved"] == 6
    assert [row["group_id"] for row in found(spark, every_kind, "quarantine_targets")] == ["nothing in common"]


def test_ways_are_searched_as_for_kafka_streams(spark: SparkSession, job: Job) -> None:
    """Every option's forecast, in the order in which the options are proposed."""
    events = [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in "ab"]
    snapshot, requested = (json.dumps(document) for document in (PLAIN[0], change(*events)))
    searching = job("search_candidates")
    found = searching.evaluated(spark, snapshot, requested)

    assert found == [
        distributed_search.evaluation(snapshot, candidate) for candidate in distributed_search.candidates(snapshot, requested)
    ]
    assert [json.loads(line)["option"]["name"] for line in found][:3] == ["baseline", "one-by-one", "reverse-order"]


def test_what_is_forecast_is_kept_and_forecast_once(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    """What the airflow task, or a killed attempt, has forecast counts; what is damaged, or of another option, does not."""
    events = [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in "ab"]
    snapshot, requested = (json.dumps(document) for document in (PLAIN[0], change(*events)))
    options = distributed_search.candidates(snapshot, requested)
    lines = [distributed_search.evaluation(snapshot, option) for option in options]
    kept = tmp_path / "forecasts"
    search = job("search_candidates")

    assert search.evaluated(spark, snapshot, requested, str(tmp_path)) == lines
    assert [path.read_text() for path in sorted(kept.iterdir())] == lines
    marked = lines[0].replace(":", ": ", 1)
    for name, text in (("000.json", marked), ("001.json", lines[1][:-30]), ("002.json", lines[1])):
        (kept / name).write_text(text)
    assert search.evaluated(spark, snapshot, requested, str(tmp_path)) == [marked, *lines[1:]]
    assert [path.read_text() for path in sorted(kept.iterdir())] == [marked, *lines[1:]]
    told = [search_progress.read(path.read_bytes()) for path in sorted((tmp_path / "progress").glob("0*"))]
    assert [one.title for one in told] == [json.loads(option)["title"] for option in options]
    assert sum(one.is_file() for one in tmp_path.rglob("*")) == 2 * len(options) + 1, "nothing half-written is left"


def test_the_summary_tells_the_two_kinds_apart(every_kind: FsspecLake) -> None:
    (part,) = Path(every_kind.url).glob(f"fleet/day={DAY}/findings/part-*")
    findings = fleet_findings.findings_from_lines(DAY, part.read_text().splitlines())
    text = fleet_summary.markdown_of(findings)

    assert {row["group_id"] for row in of_cluster([*findings.groups, *findings.slow])} == {"streams-wordcount"}
    assert {row["group_id"] for row in of_cluster([*findings.plain_losses])} == {"billing", "cooperative", "nothing in common"}
    assert "| billing of local | app-0 | not replaced |" in text
    assert "| billing of local | 1 | 1 | 6 | 2 |" in text
    assert dumps(text)
