"""What the doctor of settings finds about every group, by its first snapshot of each day that this job sees.

    spark-submit --py-files holdfast.zip examine_settings.py --lake URL --days 2026-11-21 --policy '{"format_version": "1.0"}'

Reads `groups` and `documents`. Adds to these days of `settings_findings` the groups that are not there yet: forecasts for prices
are made once a day. Replaces these days of `quarantine_settings`.
"""

import functools
import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.lake import table_schemas as schemas
from holdfast.adapters.spark import spark as lake_tables
from holdfast.rollout.json.strict import loads
from holdfast.rollout.kinds.settings import refuse_unknown_rules
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.tables import setting_rows

EXAMINED = pa.schema(
    [
        *((name, pa.string()) for name in (*schemas.KEY, "problem")),
        ("findings", pa.list_(pa.struct(schemas.SETTING))),
    ]
)
_GROUP = ("cluster", "day", "group_id")


def to_examine(groups: DataFrame, documents: DataFrame, known: DataFrame) -> DataFrame:
    """The latest snapshot of each group and day that has no rows in `known`, with its `work`: clients by tasks."""
    size = F.coalesce("clients", "members", F.lit(0)).cast("long") * F.coalesce("tasks", "partitions", F.lit(0))
    sizes = groups.select(*schemas.PARTITION, "snapshot", size.alias("work"))
    missing = lake_tables.latest_of_day(documents).join(known.select(*_GROUP).distinct(), list(_GROUP), how="left_anti")
    found = missing.join(sizes, [*schemas.PARTITION, "snapshot"], how="inner")
    return found.repartition(lake_tables.pieces(groups.sparkSession), "group_id")


def examine(row: dict, policy: Policy) -> dict:
    """A document → a row of EXAMINED."""
    return {name: row[name] for name in schemas.KEY} | setting_rows.findings(row["document"], policy, row["work"])


def examined(rows: DataFrame, policy: Policy) -> DataFrame:
    return lake_tables.per_row(rows, functools.partial(examine, policy=policy), EXAMINED)


def tidy(rows: DataFrame, known: DataFrame) -> dict[str, DataFrame]:
    """EXAMINED and the rows that there were → the tables, by name."""
    fresh = lake_tables.exploded(rows, "findings", "settings_findings")
    return {
        "settings_findings": known.select(*fresh.columns).unionByName(fresh),
        "quarantine_settings": lake_tables.quarantined(rows),
    }


def work(spark: SparkSession, lake: str, days: list[str], policy: str | None = None) -> None:
    limits = policy_from_json(loads(policy)) if policy else Policy()
    refuse_unknown_rules(limits)
    groups, documents = (lake_tables.read_table(spark, lake, name, days) for name in ("groups", "documents"))
    there = lake_tables.has_table(spark, lake, "settings_findings")
    nothing = spark.createDataFrame([], from_arrow_schema(schemas.TABLES["settings_findings"]))
    known = lake_tables.read_table(spark, lake, "settings_findings", days) if there else nothing
    rows = examined(to_examine(groups, documents, known), limits)
    lake_tables.staged(spark, rows, lake, lambda found: lake_tables.write_days(spark, lake, tidy(found, known), days))


if __name__ == "__main__":
    about = "the team's policy, a JSON object as in docs/policy.md: what it silences is marked"
    lake_tables.days_job("examine_settings", __doc__, sys.argv[1:], work, policy=about)
