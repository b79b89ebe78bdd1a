"""Past rebalances of every group decided again, and how many of them as Kafka did.

    spark-submit --py-files holdfast.zip backtest_groups.py --lake URL --days 2026-11-21

Reads `past/`, what the DAG `backtest_groups` read of `__consumer_offsets` on these days. Replaces these days of `backtests` and of
`quarantine_backtests`: what could not be read, and why.
"""

import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.lake import table_schemas as schemas
from holdfast.adapters.spark import documents as lake_documents
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.tables import past_rows

JUDGED = pa.schema(
    [*((name, pa.string()) for name in (*schemas.KEY, "problem")), ("scores", pa.list_(pa.struct(schemas.BACKTEST)))]
)


def judge(row: dict) -> dict:
    """A file of `past/` → a row of JUDGED."""
    return past_rows.judged(row["path"], row["content"])


def judged(pasts: DataFrame) -> DataFrame:
    """`path`, `content` → JUDGED, one row a file. Files differ much in size: they are cut into many pieces."""
    shared_out = pasts.repartition(lake_tables.pieces(pasts.sparkSession), "path")
    return lake_tables.per_row(shared_out, judge, JUDGED)


def tidy(rows: DataFrame) -> dict[str, DataFrame]:
    """JUDGED → the tables, by name."""
    return {"backtests": lake_tables.exploded(rows, "scores", "backtests"), "quarantine_backtests": lake_tables.quarantined(rows)}


def work(spark: SparkSession, lake: str, days: list[str]) -> None:
    rows = judged(lake_documents.read_pasts(spark, lake, days))
    lake_tables.staged(spark, rows, lake, lambda found: lake_tables.write_days(spark, lake, tidy(found), days))


if __name__ == "__main__":
    lake_tables.days_job("backtest_groups", __doc__, sys.argv[1:], work)
