"""Changes in the order of process IDs between two snapshots of a group, and the stateful tasks that they move.

    spark-submit --py-files holdfast.zip detect_order_changes.py --lake URL --tables tables/NAME --out order_changes/NAME

Reads the `groups` table of decode_snapshots and compares each snapshot with the one before it of its group. `order_changes` and
`refused` appear together under `<lake>/<out>/`, or not at all.
"""

import sys
from itertools import pairwise

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.spark import over_groups
from holdfast.rollout import tables

READ = ("cluster", "group_id", "captured_at", "snapshot", "document")
KEY = ("cluster", "group_id", "before", "before_at", "after", "after_at")
MOVE = pa.struct([("task_id", pa.string()), ("owner_before", pa.string()), ("owner_after", pa.string())])
SEED = pa.struct([("lost", pa.string()), ("keeps_the_order", pa.string())])
CHANGE = [
    ("joined", pa.list_(pa.string())),
    ("left", pa.list_(pa.string())),
    ("shifted", pa.list_(pa.string())),
    ("moved_between_survivors", pa.int32()),
    ("moved", pa.list_(MOVE)),
    ("seeds", pa.list_(SEED)),
    ("text_order_misleads", pa.bool_()),
]
DETECTED = pa.schema([*((name, pa.string()) for name in KEY), ("problem", pa.string()), *CHANGE])


def detect(key: tuple[pa.Scalar, ...], groups: pa.Table) -> pa.Table:
    """The snapshots of one group → a row of DETECTED for each two neighbours in time between which somebody joined or left."""
    cluster, group_id = (part.as_py() for part in key)
    in_time = sorted(groups.to_pylist(), key=lambda row: (row["captured_at"] or "", row["snapshot"]))
    rows = [
        {
            "cluster": cluster,
            "group_id": group_id,
            "before": before["snapshot"],
            "before_at": before["captured_at"],
            "after": after["snapshot"],
            "after_at": after["captured_at"],
            **change,
        }
        for before, after in pairwise(in_time)
        if (change := tables.order_change(before["document"], after["document"])) is not None
    ]
    return pa.Table.from_pylist(rows, schema=DETECTED)


def detected(groups: DataFrame) -> DataFrame:
    """The `groups` table → DETECTED."""
    return groups.select(*READ).groupBy("cluster", "group_id").applyInArrow(detect, from_arrow_schema(DETECTED))


def tidy(rows: DataFrame) -> dict[str, DataFrame]:
    """DETECTED → the tables, by name."""
    return {
        "order_changes": rows.where(F.col("problem").isNull()).select(*KEY, *(name for name, _ in CHANGE)),
        "refused": rows.where(F.col("problem").isNotNull()).select(*KEY, "problem"),
    }


def main(argv: list[str]) -> None:
    over_groups("detect_order_changes", __doc__, argv, detected, tidy)


if __name__ == "__main__":
    main(sys.argv[1:])
