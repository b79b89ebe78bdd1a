"""Findings of the doctor of settings about groups of every kind: the table, and the summary of the fleet."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.live.workers.tables import wrongly_examined
from tests.spark.conftest import Job
from tests.spark.kinds_of_group import DAY
from tests.spark.test_jobs import rows_of, sorted_rows

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.policy.json import policy_to_json
from holdfast.rollout.policy.policy import Policy, Silence
from holdfast.rollout.tables import fleet_findings

pytestmark = pytest.mark.spark


def rows(spark: SparkSession, lake: FsspecLake) -> list[dict]:
    return rows_of(lake_tables.read_table(spark, lake.url, "settings_findings", [DAY]))


def test_every_group_is_examined_once_a_day(spark: SparkSession, every_kind: FsspecLake, job: Job) -> None:
    before = rows(spark, every_kind)
    groups = rows_of(lake_tables.read_table(spark, every_kind.url, "groups", [DAY]))
    problems = rows_of(lake_tables.read_table(spark, every_kind.url, "quarantine_settings", [DAY]))
    assert {row["group_id"] for row in (*before, *problems)} == {row["group_id"] for row in groups}
    assert not wrongly_examined(Path(every_kind.url), Policy()), "each finding is that of the snapshot that it names"
    assert "recovery-lag-zero" in {row["rule"] for row in before if row["group_id"] == "streams-wordcount"}

    silent = json.dumps(policy_to_json(Policy(silenced=(Silence("recovery-lag-zero", "as we want it"),))))
    job("examine_settings").work(spark, every_kind.url, [DAY], silent)
    assert sorted_rows(rows(spark, every_kind)) == sorted_rows(before), "what is there holds for the day"


def test_what_is_not_silenced_is_in_the_summary(spark: SparkSession, every_kind: FsspecLake) -> None:
    (part,) = Path(every_kind.url).glob(f"fleet/day={DAY}/findings/part-*")
    found = fleet_findings.findings_from_lines(DAY, part.read_text().splitlines())
    expected = {(row["group_id"], row["rule"]) for row in rows(spark, every_kind) if row["rule"] and not row["silenced"]}

    assert {(row["group_id"], row["rule"]) for row in found.settings} == expected
    assert found.counted("settings")["new"] == len(expected)
    assert any("streams-wordcount of local: recovery-lag-zero: " in one for one in fleet_findings.alerts(found))
