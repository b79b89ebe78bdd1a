"""A job's result equals what the same function gives in plain Python, row for row."""

import json
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import Row, SparkSession
from tests.spark.conftest import ROOT, snapshot_text, with_client_renamed

from holdfast.adapters.lake import FsspecLake
from holdfast.adapters.spark import read_documents, write_whole
from holdfast.rollout import candidates, codec, tables
from holdfast.rollout.codec import plan as codec_plan
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark
FIRST = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
LATER = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
GOOD = [
    snapshot_text(captured_at="2026-11-20T13:00:00Z"),
    snapshot_text(captured_at="2026-11-20T14:00:00Z", group_id="päyments / {eu} %2F*~"),
    with_client_renamed(FIRST, LATER, captured_at="2026-11-20T15:00:00Z"),
]
BAD = ["", "{", '{"format_version": "7.0"}', "[1, 2]", snapshot_text(clients={}, format_version=1), "\x00\x01"]
"""Not in it: bytes that are no UTF-8, see `lake`."""


def plain(row: object) -> object:
    """A Spark row as the plain values that it was made from."""
    if isinstance(row, Row):
        return {name: plain(value) for name, value in row.asDict().items()}
    return [plain(value) for value in row] if isinstance(row, list) else row


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> FsspecLake:
    store = FsspecLake(str(tmp_path_factory.mktemp("a lake with spaces")))
    for text in GOOD:
        snapshots.keep(store, codec.snapshot_from_json(json.loads(text)))
    for number, text in enumerate(BAD):
        store.write(("snapshots", "cluster=local", "day=2026-11-20", "group=bad", f"{number}.json"), text.encode())
    store.write(("snapshots", "cluster=local", "day=2026-11-20", "group=bad", "latin.json"), b'{"cluster": "\xe4"}')
    store.write(("snapshots", "cluster=local", "day=2026-11-19", "group=bad", "0.json"), b"another day")
    return store


@pytest.fixture(scope="module")
def decoded(spark: SparkSession, lake: FsspecLake, job) -> list[dict]:
    documents = read_documents(spark, f"{lake.url}/snapshots/*/day=2026-11-20/*/*.json")
    return [plain(row) for row in job("decode_snapshots").decoded(documents).collect()]


@pytest.fixture(scope="module")
def tables_folder(spark: SparkSession, lake: FsspecLake, job, tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = read_documents(spark, f"{lake.url}/snapshots/*/day=2026-11-20/*/*.json")
    decode = job("decode_snapshots")
    folder = tmp_path_factory.mktemp("out") / "tables of a run"
    write_whole(spark, decode.tidy(decode.decoded(documents).persist()), str(folder))
    return folder


class TestDecoding:
    def test_gives_what_the_function_gives(self, decoded: list[dict], lake: FsspecLake) -> None:
        wanted = []
        for row in decoded:
            content = lake.read(tuple(row["snapshot"].split("/")), 10**7)
            wanted.append(dict.fromkeys(row) | tables.decode(row["snapshot"], content))

        assert len(decoded) == len(GOOD) + len(BAD) + 1
        assert decoded == wanted

    def test_puts_each_bad_snapshot_into_the_quarantine_with_its_reason(self, tables_folder: Path) -> None:
        found = duckdb.sql(f"select snapshot, problem from '{tables_folder}/quarantine/*.parquet' order by 1").fetchall()

        assert [name.rsplit("/", 1)[-1] for name, _ in found] == [*(f"{number}.json" for number in range(len(BAD))), "latin.json"]
        assert all(problem for _, problem in found)

    def test_makes_tables_that_others_can_read(self, tables_folder: Path) -> None:
        counted = {
            name: duckdb.sql(f"select count(*), count(distinct snapshot) from '{tables_folder}/{name}/*.parquet'").fetchall()
            for name in ("groups", "members", "tasks", "changelogs")
        }
        snapshot = codec.snapshot_from_json(json.loads(GOOD[0]))
        changelogs = sum(len(task.changelogs or ()) for task in snapshot.tasks)

        assert counted == {
            "groups": [(3, 3)],
            "members": [(3 * len(snapshot.consumers()), 3)],
            "tasks": [(3 * len(snapshot.tasks), 3)],
            "changelogs": [(3 * changelogs, 3)],
        }

    def test_leaves_no_other_folder_behind(self, tables_folder: Path) -> None:
        assert [path.name for path in tables_folder.parent.iterdir()] == [tables_folder.name]


class TestTargets:
    def test_are_what_the_function_gives(self, spark: SparkSession, job, tables_folder: Path) -> None:
        compute = job("compute_targets")
        groups = spark.read.parquet(f"{tables_folder}/groups")
        found = {row["snapshot"]: plain(row) for row in compute.computed(groups).collect()}

        assert len(found) == len(GOOD)
        for row in groups.collect():
            wanted = tables.targets(row["document"])
            assert {name: found[row["snapshot"]][name] for name in wanted} == wanted
            assert wanted["targets"]

    def test_say_why_there_are_none(self, spark: SparkSession, job) -> None:
        group = json.loads(GOOD[0])
        for task in group["tasks"].values():
            task["changelogs"] = None
        row = ("s", "local", "2026-11-20", "g", None, json.dumps(group))
        groups = spark.createDataFrame(
            [row], "snapshot string, cluster string, day string, group_id string, captured_at string, document string"
        )
        compute = job("compute_targets")
        refused = compute.tidy(compute.computed(groups))["refused"].collect()

        assert len(refused) == 1
        assert refused[0]["problem"] == tables.targets(json.dumps(group))["problem"]


class TestOrderChanges:
    def test_are_what_the_function_gives(self, spark: SparkSession, job, tables_folder: Path) -> None:
        """The client that was first in order came back under an ID that is last: everybody's tasks move."""
        detect = job("detect_order_changes")
        found = [plain(row) for row in detect.detected(spark.read.parquet(f"{tables_folder}/groups")).collect()]
        documents = [codec.dumps(codec.snapshot_to_json(codec.snapshot_from_json(json.loads(text)))) for text in (GOOD[0], GOOD[2])]
        wanted = tables.order_change(*documents)

        assert len(found) == 1
        assert {name: found[0][name] for name in wanted} == wanted
        assert (found[0]["left"], found[0]["joined"]) == ([FIRST], [LATER])
        assert len(found[0]["moved"]) == 6


class TestSearching:
    def test_gives_what_the_functions_give(self, spark: SparkSession, job) -> None:
        """Every candidate's evaluation, in the order in which the candidates were proposed."""
        search = job("search_candidates")
        snapshot_text, change_text = (
            (ROOT / "examples" / "streams-wordcount" / name).read_text() for name in ("snapshot.json", "change.json")
        )
        found = [row.value for row in search.evaluated(search.proposed(spark, snapshot_text, change_text)).collect()]
        snapshot = codec.snapshot_from_json(codec.loads(snapshot_text))
        ways = candidates.propose(snapshot, codec.change_from_json(codec.loads(change_text)))

        assert len(ways) >= 5
        assert found == [codec.dumps(codec_plan.evaluation_to_json(candidates.evaluate(snapshot, way))) for way in ways]


class TestWritingWhole:
    def test_a_job_that_fails_leaves_what_was_there(self, spark: SparkSession, tmp_path: Path) -> None:
        place = tmp_path / "out"
        write_whole(spark, {"good": spark.range(3)}, str(place))
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            write_whole(spark, {"good": spark.range(9), "bad": spark.range(3).selectExpr("1 / (id - id)")}, str(place))

        assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
        assert spark.read.parquet(f"{place}/good").count() == 3

    def test_a_second_attempt_replaces_the_first(self, spark: SparkSession, tmp_path: Path) -> None:
        for size in (3, 5):
            write_whole(spark, {"rows": spark.range(size)}, str(tmp_path / "out"))

        assert spark.read.parquet(f"{tmp_path}/out/rows").count() == 5
