"""What a job reads of the lake that is no table: snapshots, reports of collecting, pasts, plans; a row a file. Only the driver uses
this."""

from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters.spark import hadoop_files
from holdfast.errors import InvalidInput


def read_snapshots(spark: SparkSession, lake: str, days: Iterable[str]) -> DataFrame:
    """The snapshots of these days, one row a file: `path` in the lake, and `content`, all its bytes. Empty files too, which Spark
    itself leaves out. Raise InvalidInput if there is no such day."""
    folders = _folders_of(spark, f"{lake}/snapshots", days)
    if not folders:
        raise InvalidInput(f"the lake {lake} has no snapshots of {', '.join(days)}: run collect_groups first")
    found = (
        spark.read.format("binaryFile")
        .option("recursiveFileLookup", "true")
        .option("pathGlobFilter", "*.json")
        .load(folders)
        .select(_in_lake(F.col("path")).alias("path"), "content")
    )
    empty = [(path,) for folder in folders for path in hadoop_files.empty_files(spark, folder)]
    nothing = spark.createDataFrame(empty, "path string").select(_in_lake(F.col("path")).alias("path"), F.lit(b"").alias("content"))
    return found.unionByName(nothing) if empty else found


def read_reports(spark: SparkSession, lake: str, days: Iterable[str]) -> DataFrame:
    """What runs of collecting that began on these days could not read, one row a file: `path` in the lake, and `content`."""
    folders = _folders_of(spark, f"{lake}/collections", days)
    if not folders:
        return spark.createDataFrame([], "path string, content binary")
    files = spark.read.format("binaryFile").option("pathGlobFilter", "*.json").load(folders)
    return files.select(F.regexp_extract("path", "(collections/[^/]+/[^/]+/[^/]+)$", 1).alias("path"), "content")


def read_pasts(spark: SparkSession, lake: str, days: Iterable[str]) -> DataFrame:
    """The past of groups as it was read on these days, one row a file: `path` in the lake, and `content`."""
    folders = _folders_of(spark, f"{lake}/past", days)
    if not folders:
        return spark.createDataFrame([], "path string, content binary")
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").option("pathGlobFilter", "*.records")
    return files.load(folders).select(F.regexp_extract("path", "(past/[^/]+/[^/]+/[^/]+/[^/]+)$", 1).alias("path"), "content")


def read_plans(spark: SparkSession, lake: str) -> DataFrame:
    """Plans and verdicts, one row a file: `path` in the lake, and `content`."""
    if not hadoop_files.names(spark, f"{lake}/plans"):
        return spark.createDataFrame([], "path string, content binary")
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").option("pathGlobFilter", "{plan,verdict}.json")
    path = F.regexp_extract("path", "(plans/[^/]+/[^/]+)$", 1)
    return files.load(f"{lake}/plans").select(path.alias("path"), "content")


def _folders_of(spark: SparkSession, place: str, days: Iterable[str]) -> list[str]:
    """Those of these days, of every cluster."""
    wanted = dict.fromkeys(f"day={day}" for day in days)
    clusters = hadoop_files.folders(spark, place)
    return [f"{cluster}/{day}" for cluster in clusters for day in hadoop_files.names(spark, cluster) if day in wanted]


def _in_lake(path: Any) -> Any:
    return F.regexp_extract(path, "(snapshots/[^/]+/[^/]+/[^/]+/[^/]+)$", 1)
