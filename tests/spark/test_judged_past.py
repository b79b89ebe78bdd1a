"""The past of groups judged by Spark: the table `backtests`, and what has fallen since the night before."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.harness.kafka import recorded_rebalances
from tests.spark.conftest import Job
from tests.spark.test_jobs import rows_of
from tests.unit.rollout.backtest import test_past_file as files
from tests.unit.rollout.streams.backtest.test_group import group

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.entries import Frame
from holdfast.rollout.backtest.past_file import PastHeader
from holdfast.rollout.tables import fleet_findings, past_rows

pytestmark = pytest.mark.spark
DAYS = ("2026-11-20", "2026-11-21")


def of_leader(swaps: int) -> list[Frame]:
    """Twelve rebalances; in `swaps` of them two tasks are exchanged."""
    found = list(recorded_rebalances.history(group(), 12, random.Random(4)))
    for at in range(3, 3 + swaps):
        found[at] = recorded_rebalances.swapped(found[at]) or found[at]
    return [Frame(files.AT, recorded_rebalances.key("app"), recorded_rebalances.value(one, files.AT)) for one in found]


def keep(lake: FsspecLake, day: str, group_id: str, frames: list[Frame], *, coordinated: bool = False) -> None:
    ends = () if coordinated else (("app-0-changelog", (1_000,) * 6),)
    config = () if coordinated else (("acceptable.recovery.lag", 50),)
    release = None if coordinated else "3.9.1"
    header = PastHeader("here", group_id, f"{day}T01:00:00Z", coordinated, release, None, config, ends)
    content = past_file.written(header, frames)
    assert content is not None
    lake.write(("past", "cluster=here", f"day={day}", f"group={group_id}", "1.records"), content)


def test_each_night_has_a_score_of_each_group_and_a_fall_is_new(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path))
    for day, swaps in zip(DAYS, ((1, 1, 0), (2, 1, 1)), strict=True):
        for name, count in zip(("falls", "stays", "begins"), swaps, strict=True):
            keep(lake, day, name, of_leader(count))
        keep(lake, day, "shop", files.of_broker(), coordinated=True)
        lake.write(("past", "cluster=here", f"day={day}", "group=broken", "1.records"), b"no past")
        job("backtest_groups").work(spark, lake.url, [day])

    table = rows_of(lake_tables.read_table(spark, lake.url, "backtests"))
    night = [row for row in table if row["day"] == DAYS[1]]
    assert {(row["group_id"], row["protocol"], row["different"]) for row in night} == {
        ("falls", "streams-classic", 2),
        ("stays", "streams-classic", 1),
        ("begins", "streams-classic", 1),
        ("shop", "streams", 0),
    }
    assert {row["equal"] + row["inferred"] + row["not_judged"] + row["different"] for row in night} == {12, 3}
    assert [len(row["different_numbers"]) for row in night if row["group_id"] == "falls"] == [2]
    quarantined = rows_of(lake_tables.read_table(spark, lake.url, "quarantine_backtests", [DAYS[1]]))
    assert [(row["group_id"], "a line of JSON" in row["problem"]) for row in quarantined] == [("broken", True)]

    summary = job("summarize_fleet")
    both = lake_tables.read_with_day_before(spark, lake.url, "backtests", DAYS[1], needed=False)
    kind = summary.Kind(summary.decided_otherwise(both), ("wrong",), measured=summary.F.col("wrong"), each_rise=True)
    rows = {row["group_id"]: row.asDict() for row in kind.first(kind.judged(DAYS[1], 0)).collect()}
    assert {name: row["new"] for name, row in rows.items()} == {"falls": True, "stays": False, "begins": True}
    assert rows["falls"]["wrong"] >= 2
    assert "falls of here: its score has fallen" in fleet_findings.SENTENCES["backtests"](rows["falls"])

    nights = [[row for row in table if row["day"] == day] for day in DAYS]
    score = past_rows.score_of(nights[1], nights[0], "falls", "streams-classic", "3.9.1")
    assert score is not None
    assert (score.score.different, score.wrong_before) == (
        2,
        sum(r["different"] + r["sequences"] - r["ends_equal"] for r in nights[0] if r["group_id"] == "falls"),
    )


def test_a_lake_without_any_past_has_no_rows(spark: SparkSession, job: Job, tmp_path: Path) -> None:
    job("backtest_groups").work(spark, str(tmp_path), list(DAYS))
    assert lake_tables.read_with_day_before(spark, str(tmp_path), "backtests", DAYS[1], needed=False).count() == 0
