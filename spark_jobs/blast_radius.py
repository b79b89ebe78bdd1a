"""What the loss of every single host would do, to every group by its latest snapshot of each day; the worst first.

    spark-submit --py-files holdfast.zip blast_radius.py --lake URL --days 2026-11-21

Reads `groups` and `documents`. Replaces these days of `blast_radius`, `blast_radius_places` and `quarantine_blast_radius`. A large
group's hosts are split over executors. Of each group in which losses cannot be counted, the one that moves most is forecast.
"""

import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters import spark as lake_tables
from holdfast.adapters import table_schemas as schemas
from holdfast.rollout import tables

LARGEST_SHARE_US = 2_000_000
"""About so many microseconds of work are one piece: much more than reading its snapshot again costs."""
TASK_US, TASK_AT_A_PLACE_US = 5, 4
"""What a task costs for each host; where threads are not alike, for each host and each position that a fresh ID can take."""
PARTITION_IN_TASKS = 10
"""What a partition of a plain group costs, in tasks: every loss is forecast, a fresh ID at each of its positions."""
ONE_LOSS = ("group_id", "snapshot", "process_id", "scenario")
LOST = pa.schema(
    [
        *((name, pa.string()) for name in (*schemas.KEY, "problem")),
        ("losses", pa.list_(pa.struct(schemas.LOSS))),
        ("places", pa.list_(pa.struct([("lost", pa.string()), *schemas.PLACE]))),
    ]
)


def shared_out(groups: DataFrame, documents: DataFrame) -> DataFrame:
    """The latest snapshots, each as often as it takes, with the clients `first` to `last` (not itself) that are to be looked at."""
    sizes = groups.select(
        *schemas.PARTITION,
        "snapshot",
        F.coalesce("clients", "members").alias("clients"),
        F.coalesce("tasks", F.col("partitions") * PARTITION_IN_TASKS).alias("tasks"),
        F.coalesce("threads_alike", F.lit(True)).alias("threads_alike"),
    )
    a_task = F.when(F.col("threads_alike"), F.lit(TASK_US)).otherwise(F.col("clients") * TASK_AT_A_PLACE_US)
    one_host = F.greatest(a_task * F.col("tasks"), F.lit(1))
    at_once = F.greatest((F.lit(LARGEST_SHARE_US) / one_host).cast("int"), F.lit(1))
    firsts = F.sequence(F.lit(0), F.greatest(F.col("clients") - 1, F.lit(0)), at_once)
    latest = lake_tables.latest_of_day(documents).join(sizes, [*schemas.PARTITION, "snapshot"], how="inner")
    shares = latest.select(*schemas.KEY, "document", at_once.alias("at_once"), F.explode(firsts).alias("first"))
    return shares.repartition(lake_tables.pieces(groups.sparkSession), *schemas.PARTITION, "group_id", "first")


def lose(row: dict) -> dict:
    """Some clients of a group → a row of LOST."""
    first = row["first"]
    return {name: row[name] for name in schemas.KEY} | tables.losses(row["document"], first, first + row["at_once"])


def lost(shares: DataFrame) -> DataFrame:
    """Shares → LOST."""
    return lake_tables.per_row(shares, lose, LOST)


def worst(losses: DataFrame, documents: DataFrame) -> DataFrame:
    """`blast_radius` → of each group in which not all is counted, the loss that moves most, with the group's document."""
    which = F.max_by(F.struct("process_id", "scenario"), F.struct("moved", "without_copy", "process_id", "scenario")).alias("which")
    chosen = (
        losses.where((F.col("basis") == "not forecast") & F.col("process_id").isNotNull())
        .groupBy(*schemas.KEY)
        .agg(which)
        .select(*schemas.KEY, "which.*")
    )
    texts = documents.select(*schemas.PARTITION, "snapshot", "document")
    with_document = chosen.join(texts, [*schemas.PARTITION, "snapshot"], how="inner")
    return with_document.repartition(lake_tables.pieces(losses.sparkSession), *schemas.PARTITION, "group_id")


def forecast(row: dict) -> dict | None:
    """A loss → its row of `blast_radius`, forecast; None: it stays as it is."""
    found = tables.worst_loss(row["document"], row["process_id"], row["scenario"])
    return None if found is None else {name: row[name] for name in schemas.KEY} | found


def forecast_in_full(chosen: DataFrame) -> DataFrame:
    """The worst losses → those rows of `blast_radius` that are forecast."""
    return lake_tables.per_row(chosen, forecast, schemas.TABLES["blast_radius"])


def tidy(rows: DataFrame, in_full: DataFrame) -> dict[str, DataFrame]:
    """LOST, and the rows that are forecast → the tables, by name."""
    counted = lake_tables.exploded(rows, "losses", "blast_radius")
    rest = counted.join(in_full.select(*schemas.PARTITION, *ONE_LOSS), [*schemas.PARTITION, *ONE_LOSS], how="left_anti")
    return {
        "blast_radius": rest.unionByName(in_full),
        "blast_radius_places": lake_tables.exploded(rows, "places", "blast_radius_places"),
        "quarantine_blast_radius": lake_tables.quarantined(rows).dropDuplicates(),
    }


def work(spark: SparkSession, lake: str, days: list[str]) -> None:
    groups, documents = (lake_tables.read_table(spark, lake, name, days) for name in ("groups", "documents"))

    def then_forecast(rows: DataFrame) -> None:
        chosen = worst(lake_tables.exploded(rows, "losses", "blast_radius"), documents)
        lake_tables.staged(
            spark, forecast_in_full(chosen), lake, lambda in_full: lake_tables.write_days(spark, lake, tidy(rows, in_full), days)
        )

    lake_tables.staged(spark, lost(shared_out(groups, documents)), lake, then_forecast)


if __name__ == "__main__":
    lake_tables.days_job("blast_radius", __doc__, sys.argv[1:], work)
