"""The jobs carry consumer groups whose broker assigns through the same tables: row for row what the functions give."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.spark.conftest import fresh
from tests.spark.kinds_of_group import CONSUMER_CLUSTER
from tests.spark.test_jobs import key_of, rows_of, sorted_rows, whole

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.tables import group_rows, loss_rows

pytestmark = pytest.mark.spark


def found(spark: SparkSession, lake: FsspecLake, name: str) -> list[dict]:
    return rows_of(lake_tables.read_table(spark, lake.url, name).where(f"cluster = '{CONSUMER_CLUSTER}'"))


def test_every_table_has_what_the_functions_give(spark: SparkSession, every_kind: FsspecLake) -> None:
    paths = Path(every_kind.url).glob(f"snapshots/cluster={CONSUMER_CLUSTER}/*/*/*.json")
    rows = [group_rows.decode(str(path.relative_to(every_kind.url)), path.read_bytes()) for path in paths]
    assert len(rows) == 2
    assert sorted_rows(found(spark, every_kind, "groups")) == sorted_rows(
        [whole("groups", key_of(row) | row["group"]) for row in rows]
    )
    for name in ("members", "partitions"):
        wanted = [whole(name, key_of(row) | one) for row in rows for one in row[name]]
        assert wanted
        assert sorted_rows(found(spark, every_kind, name)) == sorted_rows(wanted)

    documents = found(spark, every_kind, "documents")
    targets = [whole("targets", key_of(row) | one) for row in documents for one in group_rows.targets(row["document"])["targets"]]
    losses = [whole("blast_radius", key_of(row) | one) for row in documents for one in loss_rows.losses(row["document"])["losses"]]
    assert len(targets) == 2 * 6
    assert sorted_rows(found(spark, every_kind, "targets")) == sorted_rows(targets)
    assert {row["host"] for row in losses} == {"app-a", "app-b", "app-c"}
    assert sorted_rows(list(map(fresh, found(spark, every_kind, "blast_radius")))) == sorted_rows(list(map(fresh, losses)))
    assert [
        name for name in ("quarantine", "quarantine_targets", "quarantine_blast_radius") if found(spark, every_kind, name)
    ] == []
