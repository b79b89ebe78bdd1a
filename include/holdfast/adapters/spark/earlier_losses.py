"""Rows of the blast radius of an earlier day, for the groups that have not changed since.

A group's losses follow from its snapshot and from the code alone. So rows whose `fingerprint` (`loss_rows.fingerprint`) is that of
the latest snapshot hold again, and are not worked out a second time. Only the driver uses this.
"""

import hashlib
from collections.abc import Iterator
from importlib.abc import Traversable
from importlib.resources import files

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.lake.table_schemas import KEY, TABLES
from holdfast.adapters.spark import spark as lake_tables

KNOWN = ("known", "known_day", "known_snapshot")
"""The fingerprint of a group's rows of an earlier day, that day, and the snapshot that they were made from."""
_GROUP = ("cluster", "group_id")


def code(package: Traversable | None = None) -> str:
    """The digest of the sources that decide what a loss does: equal in a folder and in the executors' zip. None: as installed."""
    digest, root = hashlib.sha256(), files("holdfast") if package is None else package
    for part in ("kafka", "rollout"):
        for name, content in sorted(_sources(root / part, part)):
            digest.update(f"{name} {len(content)} ".encode())
            digest.update(content)
    return digest.hexdigest()


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for one in folder.iterdir():
        path = f"{name}/{one.name}"
        if one.is_dir():
            yield from _sources(one, path)
        elif one.name.endswith(".py"):
            yield path, one.read_bytes()


class EarlierLosses:
    """The last day of each cluster before the first of `days`, as the lake has it; nothing where it has none."""

    def __init__(self, spark: SparkSession, lake: str, days: list[str]) -> None:
        self._spark = spark
        self._lake = lake
        self._first = min(days)

    def known(self) -> DataFrame:
        """KNOWN by `cluster` and `group_id`. A group of which a part was quarantined has no row: its rows are not all of them."""
        marked = self._table("blast_radius").where(F.col("fingerprint").isNotNull())
        last = F.max(F.struct("fingerprint", "day", "snapshot")).alias("last")
        found = marked.groupBy(*_GROUP).agg(last).select(*_GROUP, *self._named())
        return found.join(self._table("quarantine_blast_radius"), list(_GROUP), how="left_anti")

    def _named(self) -> list[object]:
        return [F.col(f"last.{name}").alias(known) for name, known in zip(("fingerprint", "day", "snapshot"), KNOWN, strict=True)]

    def carried_over(self, answers: DataFrame, table: str) -> DataFrame:
        """The rows of `table` of the groups whose `answers` have `known_day`, as rows about the snapshot of the answer."""
        same = answers.where(F.col("known_day").isNotNull()).select(*KEY, *KNOWN[1:]).distinct()
        theirs = self._table(table).drop("captured_at").withColumnsRenamed({"day": KNOWN[1], "snapshot": KNOWN[2]})
        return same.join(theirs, [*_GROUP, *KNOWN[1:]], how="inner").select(*TABLES[table].names)

    def _table(self, name: str) -> DataFrame:
        if not lake_tables.has_table(self._spark, self._lake, name):
            return self._spark.createDataFrame([], from_arrow_schema(TABLES[name]))
        return lake_tables.read_with_day_before(self._spark, self._lake, name, self._first).where(F.col("day") < self._first)
