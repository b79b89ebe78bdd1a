"""The blast radius of a second night: rows of a group that has not changed are carried over, and equal those worked out anew."""

from pathlib import Path

import pytest
from benchmarks import synthetic_fleet
from pyspark.sql import SparkSession
from tests.spark.conftest import Job
from tests.spark.test_jobs import rows_of, sorted_rows

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.lake.table_schemas import LOSS
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.tables import loss_rows
from holdfast.workflows import snapshots

pytestmark = pytest.mark.spark
FIRST, SECOND = synthetic_fleet.DAYS
CHANGED, COUNTED, *WITH_STANDBYS = ("app-00001", "app-00002", "app-00008", "app-00009")
EVERYTHING_MS = 10**6


def figures(row: dict) -> dict:
    """What a row of `blast_radius` says of its loss."""
    return {name: row.get(name) for name, _ in LOSS if name not in ("work_us", "fingerprint", "computed_on")}


def test_on_the_second_night_only_what_is_new_or_was_left_open_is_worked_out(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path))
    for name in (CHANGED, COUNTED, *WITH_STANDBYS):
        pair = synthetic_fleet.group(int(name.removeprefix("app-")), 4)
        snapshots.keep(lake, pair.before)
        snapshots.keep(lake, pair.after)

    def table(name: str, day: str) -> list[dict]:
        return rows_of(lake_tables.read_table(spark, lake.url, name, [day]))

    job("decode_snapshots").work(spark, lake.url, [FIRST, SECOND])
    for day in (FIRST, SECOND):
        job("blast_radius").work(spark, lake.url, [day], "10")
    before, after = (table("blast_radius", day) for day in (FIRST, SECOND))

    anew = {
        (row["group_id"], one["process_id"], one["scenario"]): one
        for row in table("documents", SECOND)
        for one in loss_rows.whole(row["document"], EVERYTHING_MS)["losses"]
    }
    open_before, open_after = ([row for row in rows if row["basis"] == "not forecast"] for rows in (before, after))
    assert 0 < len(open_after) < len(open_before), "another night's budget goes to what was left open"
    assert len(after) == len(anew)
    for row in (row for row in after if row["basis"] != "not forecast"):
        assert figures(row) == figures(anew[row["group_id"], row["process_id"], row["scenario"]])

    nights = {(row["group_id"], row["basis"], row["computed_on"]) for row in after}
    assert {night for night in nights if night[0] in (CHANGED, COUNTED)} == {
        (CHANGED, "counted", SECOND),
        (COUNTED, "counted", FIRST),
    }
    assert {night for name, basis, night in nights if name in WITH_STANDBYS and basis == "forecast"} == {FIRST, SECOND}
    assert {night for name, basis, night in nights if basis == "not forecast"} == {FIRST}
    marks = [{row["group_id"]: row["fingerprint"] for row in rows} for rows in (before, after)]
    assert {name for name in marks[0] if marks[0][name] != marks[1][name]} == {CHANGED}
    places = [
        sorted_rows([row | dict.fromkeys(("day", "snapshot", "captured_at")) for row in rows if row["group_id"] != CHANGED])
        for rows in (table("blast_radius_places", day) for day in (FIRST, SECOND))
    ]
    assert places[0] == places[1]
    assert places[0]
