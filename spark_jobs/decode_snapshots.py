"""Raw snapshots in the lake → tidy tables: groups, clients, members, tasks, …, and a quarantine for what is no snapshot, and for
groups of which collecting brought none.

    spark-submit --py-files holdfast.zip decode_snapshots.py --lake URL --days 2026-11-20,2026-11-21

These days of the tables are replaced.
"""

import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters.lake import table_schemas as schemas
from holdfast.adapters.spark import documents as lake_documents
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.kinds import registry
from holdfast.rollout.tables import group_rows

TASK = pa.struct([*schemas.TASK, ("changelogs", pa.list_(pa.struct(schemas.CHANGELOG)))])
DECODED = pa.schema(
    [
        *((name, pa.string()) for name in (*schemas.KEY, "problem", "document")),
        ("group", pa.struct(schemas.GROUP)),
        ("clients", pa.list_(pa.struct(schemas.CLIENT))),
        ("members", pa.list_(pa.struct(schemas.MEMBER))),
        ("tasks", pa.list_(TASK)),
        ("partitions", pa.list_(pa.struct(schemas.PARTITIONED))),
        ("state_directories", pa.list_(pa.struct(schemas.STATE_DIRECTORY))),
    ]
)
UNREAD = pa.schema(
    [
        *((name, pa.string()) for name in (*schemas.PARTITION, "snapshot")),
        ("unread", pa.list_(pa.struct([("group_id", pa.string()), ("problem", pa.string())]))),
    ]
)


def decode(row: dict) -> dict:
    """One document → a row of DECODED."""
    return group_rows.decode(row["path"], row["content"])


def decoded(documents: DataFrame) -> DataFrame:
    """`path`, `content` → DECODED, one row a document."""
    return lake_tables.per_row(documents, decode, DECODED)


def unread(reports: DataFrame) -> DataFrame:
    """Reports of collecting (`path`, `content`) → rows of `quarantine`, one a group that could not be read."""
    rows = lake_tables.per_row(reports, lambda row: group_rows.unread(row["path"], row["content"]), UNREAD)
    one = F.explode("unread").alias("one")
    return rows.select(*schemas.PARTITION, "snapshot", one).select(*schemas.PARTITION, "one.group_id", "snapshot", "one.problem")


def tidy(rows: DataFrame, not_read: DataFrame) -> dict[str, DataFrame]:
    """DECODED, and what was not read → the tables, by name."""
    good = rows.where(F.col("problem").isNull())
    key = schemas.KEY
    changelogs = good.select(*key, F.explode("tasks").alias("task")).select(
        *key, F.col("task.task_id").alias("task_id"), F.explode("task.changelogs").alias("one")
    )
    return {
        "groups": good.select(*key, "group.*"),
        "documents": good.select(*key, "document"),
        "clients": lake_tables.exploded(good, "clients", "clients"),
        "members": lake_tables.exploded(good, "members", "members"),
        "tasks": lake_tables.exploded(good, "tasks", "tasks"),
        "partitions": lake_tables.exploded(good, "partitions", "partitions"),
        "changelogs": changelogs.select(*key, "task_id", *(f"one.{name}" for name, _ in schemas.CHANGELOG)),
        "state_directories": lake_tables.exploded(good, "state_directories", "state_directories"),
        "clusters": clusters(rows),
        "quarantine": lake_tables.quarantined(rows).unionByName(not_read),
    }


def clusters(rows: DataFrame) -> DataFrame:
    """DECODED → what there is of each cluster on each day. Of groups with several snapshots the latest counts."""
    generation = F.col("group.generation")
    moment = F.when(generation.isNotNull(), F.struct("captured_at", "snapshot"))
    first, last = F.min_by(generation, moment), F.max_by(generation, moment)
    latest = rows.groupBy(*schemas.PARTITION, "group_id").agg(
        F.max_by("group", F.struct("captured_at", "snapshot")).alias("group"),
        F.count(F.when(F.col("problem").isNull(), 1)).alias("snapshots"),
        F.count("problem").alias("quarantined"),
        F.when(last.isNotNull(), F.greatest(last - first, F.lit(0))).alias("rebalances"),
    )
    counted = ("clients", "threads", "stateful_tasks", "members", "partitions")
    sums = [F.coalesce(F.sum(f"group.{name}"), F.lit(0)).alias(name) for name in counted]
    sums += [F.sum(name).alias(name.removeprefix("group.")) for name in ("rebalances", "group.lag", "group.copies_behind")]
    plain = F.count(F.when(F.col("group.protocol").isin(registry.without_state()), 1)).alias("plain_groups")
    return latest.groupBy(*schemas.PARTITION).agg(
        F.sum("snapshots").alias("snapshots"),
        F.count("group").alias("groups"),
        *sums,
        plain,
        F.sum("quarantined").alias("quarantined"),
    )


def work(spark: SparkSession, lake: str, days: list[str]) -> None:
    documents = lake_documents.read_snapshots(spark, lake, days)
    not_read = unread(lake_documents.read_reports(spark, lake, days))
    lake_tables.staged(
        spark, decoded(documents), lake, lambda rows: lake_tables.write_days(spark, lake, tidy(rows, not_read), days)
    )


if __name__ == "__main__":
    lake_tables.days_job("decode_snapshots", __doc__, sys.argv[1:], work)
