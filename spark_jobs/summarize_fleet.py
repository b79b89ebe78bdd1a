"""What stands out in the tables of a day, the worst first: for `fleet.md`, and for whoever is to be told.

    spark-submit --py-files holdfast.zip summarize_fleet.py --lake URL --days 2026-11-21

Writes `<lake>/fleet/day=<day>/findings/`, JSON lines `{"kind": …, "row": {…}}`, for each of the days: all of it, or nothing.
"""

import sys
from functools import reduce

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters import spark as lake_tables
from holdfast.adapters.table_schemas import TABLES

MOST = 60
"""Rows of a kind."""
KINDS = ("clusters", "hosts", "groups", "slow", "order_changes", "plain_losses", "member_changes", "quarantined")


def worst_of_groups(losses: DataFrame, *by: str) -> DataFrame:
    """Of each group its worst row, and of those the worst."""
    order = [F.desc_nulls_last(name) for name in by]
    in_group = Window.partitionBy("cluster", "group_id").orderBy(*order, "process_id", "member_id", "scenario")
    worst = losses.withColumn("rank", F.row_number().over(in_group)).where("rank = 1").drop("rank")
    return worst.orderBy(*order, "cluster", "group_id").limit(MOST)


def hosts(losses: DataFrame) -> DataFrame:
    """The hosts whose loss stops or moves most, over all groups, if they are not replaced."""
    named = losses.where(F.col("host").isNotNull() & (F.col("scenario") == "not replaced"))
    together = named.groupBy("cluster", "host").agg(
        F.countDistinct("group_id").alias("groups"),
        *(F.sum(name).alias(name) for name in ("without_copy", "moved")),
        F.max("hours").alias("hours"),
    )
    return together.orderBy(F.desc("without_copy"), F.desc("moved"), "cluster", "host").limit(MOST)


def order_changes(changes: DataFrame) -> DataFrame:
    """Those that move most tasks of clients that did nothing."""
    columns = ("cluster", "group_id", "before_at", "captured_at", "left", "joined", "moved", "moved_between_survivors")
    return changes.select(*columns).orderBy(F.desc("moved_between_survivors"), F.desc("moved"), "cluster", "group_id").limit(MOST)


def quarantined(tables: dict[str, DataFrame]) -> DataFrame:
    """How many each job could not answer, and one reason."""
    counted = [
        rows.agg(F.count("problem").alias("count"), F.min(F.substring("problem", 1, 300)).alias("problem"))
        .where("count > 0")
        .select(F.lit(name).alias("table"), "count", "problem")
        for name, rows in tables.items()
    ]
    return reduce(DataFrame.unionByName, counted)


def findings(tables: dict[str, DataFrame]) -> DataFrame:
    """The tables of one day → `value`, a JSON line a finding, in order."""
    plain = tables["blast_radius"].where(F.col("member_id").isNotNull())
    losses = tables["blast_radius"].where(F.col("member_id").isNull())
    of_members = F.coalesce(F.col("protocol"), F.lit("")) == "consumer-classic"
    likely = losses.where(F.col("scenario") == "fresh ID, likeliest")
    share = likely.withColumn("share", F.col("moved") / F.greatest("stateful_tasks", F.lit(1)))
    kinds = {
        "clusters": tables["clusters"].orderBy("cluster"),
        "hosts": hosts(losses),
        "groups": worst_of_groups(share, "share", "moved"),
        "slow": worst_of_groups(losses.where(F.col("hours") > 0), "hours", "moved"),
        "order_changes": order_changes(tables["order_changes"].where(~of_members)),
        "plain_losses": worst_of_groups(plain, "stopped_partition_seconds", "needless", "moved"),
        "member_changes": order_changes(tables["order_changes"].where(of_members & (F.col("moved_between_survivors") > 0))),
        "quarantined": quarantined({name: rows for name, rows in tables.items() if name.startswith("quarantine")}),
    }
    lines = [_lines(place, kind, kinds[kind]) for place, kind in enumerate(KINDS)]
    everything = reduce(DataFrame.unionByName, lines)
    return everything.repartition(1).sortWithinPartitions("place", "number").select("value")


def _lines(place: int, kind: str, rows: DataFrame) -> DataFrame:
    row = F.to_json(F.struct(F.lit(kind).alias("kind"), F.struct("*").alias("row")), {"ignoreNullFields": "false"})
    return rows.coalesce(1).select(F.lit(place).alias("place"), F.monotonically_increasing_id().alias("number"), row.alias("value"))


def work(spark: SparkSession, lake: str, days: list[str]) -> None:
    names = [name for name in TABLES if name in ("clusters", "blast_radius", "order_changes") or name.startswith("quarantine")]
    if not lake_tables.has_table(spark, lake, "quarantine_scores"):  # there need not be plans
        names.remove("quarantine_scores")
    for day in days:
        tables = {name: lake_tables.read_table(spark, lake, name, [day]) for name in names}
        lake_tables.write_lines(spark, findings(tables), f"{lake}/fleet/day={day}/findings")


if __name__ == "__main__":
    lake_tables.days_job("summarize_fleet", __doc__, sys.argv[1:], work)
