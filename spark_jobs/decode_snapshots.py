"""Raw snapshots in the lake → tidy Parquet tables: groups, members, tasks, changelogs, and a quarantine for what is no snapshot.

    spark-submit --py-files holdfast.zip decode_snapshots.py --lake URL --days 2026-11-20,2026-11-21 --out tables/NAME

The tables appear together under `<lake>/<out>/`, or not at all.
"""

import argparse
import sys

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.spark import read_documents, session, write_whole
from holdfast.rollout import tables

CHANGELOG = pa.struct([("topic", pa.string()), ("partition", pa.int32()), ("end_offset", pa.int64())])
TASK = pa.struct(
    [
        ("task_id", pa.string()),
        ("subtopology", pa.int32()),
        ("partition", pa.int32()),
        ("stateful", pa.bool_()),
        ("end_offset_sum", pa.int64()),
        ("owner", pa.string()),
        ("source_partitions", pa.list_(pa.string())),
        ("changelogs", pa.list_(CHANGELOG)),
    ]
)
MEMBER = pa.struct(
    [
        ("process_id", pa.string()),
        ("place_in_order", pa.int32()),
        ("host", pa.string()),
        ("rack", pa.string()),
        ("member_id", pa.string()),
        ("client_id", pa.string()),
        ("group_instance_id", pa.string()),
        ("owned_partitions", pa.int32()),
        ("active_stateful", pa.int32()),
        ("other_copies", pa.int32()),
    ]
)
GROUP = [
    ("cluster", pa.string()),
    ("day", pa.string()),
    ("group_id", pa.string()),
    ("captured_at", pa.string()),
    ("protocol", pa.string()),
    ("group_state", pa.string()),
    ("kafka_release", pa.string()),
    ("task_assignor", pa.string()),
    ("leader_process_id", pa.string()),
    ("clients", pa.int32()),
    ("threads", pa.int32()),
    ("stateful_tasks", pa.int32()),
    ("unknown", pa.list_(pa.string())),
    ("fingerprint", pa.string()),
    ("document", pa.string()),
]
DECODED = pa.schema(
    [("snapshot", pa.string()), ("problem", pa.string()), *GROUP, ("members", pa.list_(MEMBER)), ("tasks", pa.list_(TASK))]
)
KEY = ("snapshot", "cluster", "day", "group_id", "captured_at")
"""What every row of every table carries, to join by."""


def decode_document(key: tuple[pa.Scalar, ...], documents: pa.Table) -> pa.Table:
    """One document → one row of DECODED."""
    path = key[0].as_py()
    snapshot = path[path.rfind("/snapshots/") + 1 :] if "/snapshots/" in path else path
    return pa.Table.from_pylist([tables.decode(snapshot, content) for content in documents["content"].to_pylist()], schema=DECODED)


def decoded(documents: DataFrame) -> DataFrame:
    """`path`, `content` → DECODED, one row a document."""
    return documents.groupBy("path").applyInArrow(decode_document, from_arrow_schema(DECODED))


def tidy(decoded_rows: DataFrame) -> dict[str, DataFrame]:
    """DECODED → the tables, by name."""
    good = decoded_rows.where(F.col("problem").isNull())
    tasks = good.select(*KEY, F.explode("tasks").alias("task"))
    return {
        "groups": good.select("snapshot", *(name for name, _ in GROUP)),
        "members": good.select(*KEY, F.explode("members").alias("member")).select(*KEY, "member.*"),
        "tasks": tasks.select(*KEY, *(f"task.{field.name}" for field in TASK if field.name != "changelogs")),
        "changelogs": tasks.select(
            *KEY, F.col("task.task_id").alias("task_id"), F.explode("task.changelogs").alias("changelog")
        ).select(*KEY, "task_id", "changelog.*"),
        "quarantine": decoded_rows.where(F.col("problem").isNotNull()).select("snapshot", "problem"),
    }


def main(argv: list[str]) -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--lake", required=True)
    arguments.add_argument("--days", required=True)
    arguments.add_argument("--out", required=True)
    given = arguments.parse_args(argv)
    spark = session("decode_snapshots")
    documents = read_documents(spark, *(f"{given.lake}/snapshots/*/day={day}/*/*.json" for day in given.days.split(",")))
    rows = decoded(documents).persist()
    write_whole(spark, tidy(rows), f"{given.lake}/{given.out}")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
