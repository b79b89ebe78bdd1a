"""The jobs carry consumer groups through the same tables as Kafka Streams groups: row for row what the functions give."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.harness.plain_groups import Document, change, group, member
from tests.spark.conftest import snapshot_text
from tests.spark.test_jobs import Job, key_of, rows_of, sorted_rows, whole

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import any_kind, search
from holdfast.rollout.tables import fleet_findings, fleet_summary, group_rows, loss_rows
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark
DAY = "2026-11-21"
JOBS = ("decode_snapshots", "compute_targets", "detect_order_changes", "blast_radius", "summarize_fleet")
BEHIND = {"orders": {"partitions": [{"id": one, "end_offset": 90, "committed_offset": 80 - one} for one in range(6)]}}
EAGER = {"assignors": ["range"], "owned": [], "owned_generation": None, "host": "app-0"}


def at(time: str, document: Document) -> Document:
    return document | {"cluster": "local", "captured_at": f"{DAY}T{time}Z"}


def eager(*assigned: int) -> Document:
    return member(**(EAGER | {"assigned": [["orders", number] for number in assigned]}))


PLAIN = (
    at("12:00:00", group({"a": eager(0, 1), "b": eager(2, 3), "c": eager(4, 5)}, generation=7)),
    at("13:00:00", group({"b": eager(0, 1), "c": eager(2, 3), "d": eager(4, 5)}, generation=12, topics=BEHIND)),
    at("12:30:00", group({"a": member(0, 1, 2), "b": member(3, 4, 5)}, group_id="cooperative")),
    at("12:30:00", group({"a": member(0), "b": member(1, assignors=["sticky"])}, group_id="nothing in common")),
)
STREAMS = json.loads(snapshot_text(captured_at=f"{DAY}T13:00:00Z"))


@pytest.fixture(scope="module")
def written(spark: SparkSession, job: Job, tmp_path_factory: pytest.TempPathFactory) -> FsspecLake:
    """The lake after all jobs."""
    lake = FsspecLake(str(tmp_path_factory.mktemp("lake")))
    for document in (*PLAIN, STREAMS):
        snapshots.keep(lake, any_kind.snapshot_from_json(document))
    for name in JOBS:
        job(name).work(spark, lake.url, [DAY])
    return lake


def found(spark: SparkSession, lake: FsspecLake, name: str) -> list[dict]:
    return rows_of(lake_tables.read_table(spark, lake.url, name).where("group_id <> 'streams-wordcount'"))


def latest(spark: SparkSession, lake: FsspecLake) -> list[dict]:
    return [row for row in found(spark, lake, "documents") if not row["captured_at"].startswith(f"{DAY}T12:00")]


def test_every_snapshot_is_a_group_with_its_members_and_partitions(spark: SparkSession, written: FsspecLake) -> None:
    paths = {str(path.relative_to(written.url)): path.read_bytes() for path in Path(written.url).glob("snapshots/*/*/*/*.json")}
    rows = [row for path, content in paths.items() if (row := group_rows.decode(path, content))["group_id"] != "streams-wordcount"]

    assert len(rows) == 4
    assert sorted_rows(found(spark, written, "groups")) == sorted_rows(
        [whole("groups", key_of(row) | row["group"]) for row in rows]
    )
    for name in ("members", "partitions"):
        wanted = [whole(name, key_of(row) | one) for row in rows for one in row[name]]
        assert wanted
        assert sorted_rows(found(spark, written, name)) == sorted_rows(wanted)
    assert found(spark, written, "clients") == found(spark, written, "tasks") == found(spark, written, "quarantine") == []


def test_a_cluster_counts_them(spark: SparkSession, written: FsspecLake) -> None:
    (row,) = rows_of(lake_tables.read_table(spark, written.url, "clusters"))

    assert (row["groups"], row["plain_groups"], row["clients"]) == (4, 3, len(STREAMS["clients"]))
    assert row["members"] == row["threads"] + 3 + 2 + 2
    assert (row["rebalances"], row["lag"], row["copies_behind"]) == (12 - 7, 6 * 10 + 15, 4)


def test_targets_moves_and_losses_are_what_the_functions_give(spark: SparkSession, written: FsspecLake) -> None:
    rows = latest(spark, written)
    targets = [whole("targets", key_of(row) | one) for row in rows for one in group_rows.targets(row["document"])["targets"]]
    losses = [whole("blast_radius", key_of(row) | one) for row in rows for one in loss_rows.losses(row["document"])["losses"]]
    (change,) = found(spark, written, "order_changes")

    assert len(targets) == 12
    assert sorted_rows(found(spark, written, "targets")) == sorted_rows(targets)
    assert len(losses) == 3 * 3 + 2 * 3 + 2 * 3
    assert sorted_rows(found(spark, written, "blast_radius")) == sorted_rows(losses)
    assert (change["group_id"], change["protocol"], change["moved_between_survivors"]) == ("billing", "consumer-classic", 2)
    assert len(found(spark, written, "order_change_moves")) == change["moved"] == 6
    assert [row["group_id"] for row in found(spark, written, "quarantine_targets")] == ["nothing in common"]


def test_ways_are_searched_as_for_kafka_streams(spark: SparkSession, job: Job) -> None:
    """Every option's forecast, in the order in which the options are proposed."""
    events = [{"restart_consumer": {"member_id": name, "new_member_id": f"{name}2"}} for name in "ab"]
    snapshot, requested = (json.dumps(document) for document in (PLAIN[0], change(*events)))
    searching = job("search_candidates")
    found = [row.value for row in searching.evaluated(searching.proposed(spark, snapshot, requested)).collect()]

    assert found == [search.evaluation(snapshot, candidate) for candidate in search.candidates(snapshot, requested)]
    assert [json.loads(line)["option"]["name"] for line in found][:3] == ["plainly", "one-by-one", "reverse-order"]


def test_the_summary_tells_the_two_kinds_apart(written: FsspecLake) -> None:
    (part,) = Path(written.url).glob(f"fleet/day={DAY}/findings/part-*")
    findings = fleet_findings.findings_from_lines(DAY, part.read_text().splitlines())
    text = fleet_summary.markdown_of(findings)

    assert {row["group_id"] for row in (*findings.groups, *findings.slow)} == {"streams-wordcount"}
    assert {row["group_id"] for row in findings.plain_losses} == {"billing", "cooperative", "nothing in common"}
    assert "| billing of local | app-0 | not replaced |" in text
    assert "| billing of local | 1 | 1 | 6 | 2 |" in text
    assert dumps(text)
