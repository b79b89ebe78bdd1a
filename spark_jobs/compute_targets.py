"""Where every stateful task is going, and whose it is now: who will still move, by the latest snapshot of each group and day.

    spark-submit --py-files holdfast.zip compute_targets.py --lake URL --days 2026-11-21

Reads `documents`. Replaces these days of `targets`, and of `quarantine_targets` (the groups without a prediction, and why).
"""

import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.lake import table_schemas as schemas
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.tables import group_rows

COMPUTED = pa.schema(
    [*((name, pa.string()) for name in (*schemas.KEY, "problem")), ("targets", pa.list_(pa.struct(schemas.TARGET)))]
)


def compute(row: dict) -> dict:
    """A row of `documents` → a row of COMPUTED."""
    return {name: row[name] for name in schemas.KEY} | group_rows.targets(row["document"])


def computed(documents: DataFrame) -> DataFrame:
    """`documents` → COMPUTED, one row a group and day."""
    return lake_tables.per_row(lake_tables.latest_of_day(documents), compute, COMPUTED)


def tidy(rows: DataFrame) -> dict[str, DataFrame]:
    """COMPUTED → the tables, by name."""
    return {"targets": lake_tables.exploded(rows, "targets", "targets"), "quarantine_targets": lake_tables.quarantined(rows)}


def work(spark: SparkSession, lake: str, days: list[str]) -> None:
    rows = computed(lake_tables.read_table(spark, lake, "documents", days))
    lake_tables.staged(spark, rows, lake, lambda found: lake_tables.write_days(spark, lake, tidy(found), days))


if __name__ == "__main__":
    lake_tables.days_job("compute_targets", __doc__, sys.argv[1:], work)
