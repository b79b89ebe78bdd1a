"""Changes in the order of process IDs since the snapshot before, and the stateful tasks that they move.

    spark-submit --py-files holdfast.zip detect_order_changes.py --lake URL --days 2026-11-21

Reads `documents` of these days, and of each group the last one before them. Replaces these days of `order_changes`,
`order_change_moves` and `quarantine_order_changes`; a change belongs to the day on which it was seen.
"""

import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters.lake import table_schemas as schemas
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.tables import group_rows

DETECTED = pa.schema(
    [
        *((name, pa.string()) for name in (*schemas.KEY, "problem")),
        *schemas.ORDER_CHANGE,
        ("moves", pa.list_(pa.struct(schemas.MOVE))),
    ]
)
BEFORE = {"before": "snapshot", "before_at": "captured_at", "document_before": "document"}


def neighbours(documents: DataFrame, days: list[str]) -> DataFrame:
    """`documents` → those of these days, each with the snapshot of its group before it, where there is one."""
    in_time = Window.partitionBy("cluster", "group_id").orderBy("captured_at", "snapshot")
    pairs = documents.select(
        *schemas.KEY,
        "document",
        *(F.lag(column).over(in_time).alias(name) for name, column in BEFORE.items()),
    )
    return pairs.where(F.col("day").isin(days) & F.col("before").isNotNull())


def detect(row: dict) -> dict | None:
    """Two neighbours in time → a row of DETECTED; None: no member joined or left."""
    change = group_rows.order_change(row["document_before"], row["document"])
    return None if change is None else {name: row[name] for name in (*schemas.KEY, "before", "before_at")} | change


def detected(pairs: DataFrame) -> DataFrame:
    """Neighbours → DETECTED."""
    return lake_tables.per_row(pairs, detect, DETECTED)


def tidy(rows: DataFrame) -> dict[str, DataFrame]:
    """DETECTED → the tables, by name."""
    return {
        "order_changes": rows.where(F.col("problem").isNull()).select(*schemas.KEY, *(name for name, _ in schemas.ORDER_CHANGE)),
        "order_change_moves": lake_tables.exploded(rows, "moves", "order_change_moves"),
        "quarantine_order_changes": lake_tables.quarantined(rows),
    }


def work(spark: SparkSession, lake: str, days: list[str]) -> None:
    documents = lake_tables.read_table(spark, lake, "documents")
    before = lake_tables.latest_before(documents, days[0])
    pairs = neighbours(documents.where(F.col("day").isin(days)).unionByName(before), days)
    lake_tables.staged(spark, detected(pairs), lake, lambda rows: lake_tables.write_days(spark, lake, tidy(rows), days))


if __name__ == "__main__":
    lake_tables.days_job("detect_order_changes", __doc__, sys.argv[1:], work)
