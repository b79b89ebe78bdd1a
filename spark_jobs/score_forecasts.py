"""Plans and verdicts in the lake → every evaluated option, and whether the forecast came true.

    spark-submit --py-files holdfast.zip score_forecasts.py --lake URL --days 2026-11-20,2026-11-21

Replaces these days of `candidates` (by the day of the plan), `verdicts` (by the day of the snapshot that was compared) and
`quarantine_scores`: plans and verdicts that cannot be read, with the last of these days.
"""

import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters.lake import table_schemas as schemas
from holdfast.adapters.spark import documents as lake_documents
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.tables import plan_rows

PLACE = [(name, pa.string()) for name in schemas.PARTITION]
READ = pa.schema(
    [
        ("path", pa.string()),
        ("problem", pa.string()),
        ("candidates", pa.list_(pa.struct([*PLACE, *schemas.CANDIDATE]))),
        ("verdicts", pa.list_(pa.struct([*PLACE, *schemas.VERDICT]))),
    ]
)


def read(row: dict) -> dict:
    """A plan or a verdict → a row of READ."""
    return plan_rows.plan_rows(row["path"], row["content"])


def scored(files: DataFrame) -> DataFrame:
    """`path`, `content` → READ, one row a file."""
    return lake_tables.per_row(files, read, READ)


def tidy(rows: DataFrame, days: list[str]) -> dict[str, DataFrame]:
    """READ → the tables of these days, by name."""
    names = ("candidates", "verdicts")
    found = {name: rows.select(F.explode(name).alias("one")).select("one.*").where(F.col("day").isin(days)) for name in names}
    return found | {"quarantine_scores": unreadable(rows, max(days))}


def unreadable(rows: DataFrame, day: str) -> DataFrame:
    """READ → rows of `quarantine_scores`. The group of such a file is unknown."""
    unknown = F.lit(plan_rows.UNKNOWN)
    place = (unknown.alias("cluster"), F.lit(day).alias("day"), unknown.alias("group_id"), F.col("path").alias("snapshot"))
    return rows.where(F.col("problem").isNotNull()).select(*place, "problem")


def work(spark: SparkSession, lake: str, days: list[str]) -> None:
    rows = scored(lake_documents.read_plans(spark, lake)).persist()
    lake_tables.write_days(spark, lake, tidy(rows, days), days)


if __name__ == "__main__":
    lake_tables.days_job("score_forecasts", __doc__, sys.argv[1:], work)
