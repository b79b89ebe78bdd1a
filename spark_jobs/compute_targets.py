"""Where every stateful task is going, and whose it is now: who will still move, group by group.

    spark-submit --py-files holdfast.zip compute_targets.py --lake URL --tables tables/NAME --out targets/NAME

Reads the `groups` table of decode_snapshots. `targets` and `refused` (groups of which nobody can say, and why) appear together
under `<lake>/<out>/`, or not at all.
"""

import sys

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.spark import over_groups
from holdfast.rollout import tables

KEY = ("snapshot", "cluster", "day", "group_id", "captured_at")
TARGET = pa.struct([("task_id", pa.string()), ("owner", pa.string()), ("target", pa.string()), ("will_move", pa.bool_())])
COMPUTED = pa.schema([*((name, pa.string()) for name in KEY), ("problem", pa.string()), ("targets", pa.list_(TARGET))])


def compute(groups: pa.Table) -> pa.Table:
    """The snapshots of one group → a row of COMPUTED each."""
    rows = [{**{name: row[name] for name in KEY}, **tables.targets(row["document"])} for row in groups.to_pylist()]
    return pa.Table.from_pylist(rows, schema=COMPUTED)


def computed(groups: DataFrame) -> DataFrame:
    """The `groups` table → COMPUTED, one row a snapshot."""
    return groups.select(*KEY, "document").groupBy("cluster", "group_id").applyInArrow(compute, from_arrow_schema(COMPUTED))


def tidy(rows: DataFrame) -> dict[str, DataFrame]:
    """COMPUTED → the tables, by name."""
    return {
        "targets": rows.select(*KEY, F.explode("targets").alias("one")).select(*KEY, "one.*"),
        "refused": rows.where(F.col("problem").isNotNull()).select(*KEY, "problem"),
    }


def main(argv: list[str]) -> None:
    over_groups("compute_targets", __doc__, argv, computed, tidy)


if __name__ == "__main__":
    main(sys.argv[1:])
