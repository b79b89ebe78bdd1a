"""What the Spark jobs share: a session, reading documents whole, and writing tables whole or not at all.

Only the driver uses this. It travels in the executors' zip all the same, so that a job needs nothing else of Holdfast.
"""

import argparse
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession


def session(name: str) -> SparkSession:
    """The session of this job; its master and settings come from spark-submit. Only warnings are logged."""
    spark = SparkSession.builder.appName(name).getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    return spark


def over_groups(
    name: str,
    description: str | None,
    argv: Sequence[str],
    rows_of: Callable[[DataFrame], DataFrame],
    tidy: Callable[[DataFrame], Mapping[str, DataFrame]],
) -> None:
    """The whole of a job from the `groups` table of decode_snapshots to tables: `--lake`, `--tables` and `--out` in `argv`."""
    arguments = argparse.ArgumentParser(description=description)
    for option in ("--lake", "--tables", "--out"):
        arguments.add_argument(option, required=True)
    given = arguments.parse_args(argv)
    spark = session(name)
    rows = rows_of(spark.read.parquet(f"{given.lake}/{given.tables}/groups")).persist()
    write_whole(spark, tidy(rows), f"{given.lake}/{given.out}")
    spark.stop()


def read_texts(spark: SparkSession, folder: str, *names: str) -> tuple[str, ...]:
    """The texts of files in a folder, in one job."""
    rows = spark.read.format("binaryFile").load([f"{folder}/{name}" for name in names]).select("path", "content").collect()
    found = {row.path.rsplit("/", 1)[-1]: bytes(row.content).decode() for row in rows}
    return tuple(found[name] for name in names)


def read_documents(spark: SparkSession, *patterns: str) -> DataFrame:
    """One row a file: `path` and `content`, all its bytes. Empty files too, which Spark itself leaves out."""
    found = spark.read.format("binaryFile").load(list(patterns))
    contents = found.select("path", "content")
    listed = [(re.sub("^file:/+", "file:/", unquote(path)), bytearray()) for path in found.inputFiles()]
    every = spark.createDataFrame(listed, "path string, content binary")
    return contents.unionByName(every.join(contents.select("path"), on="path", how="left_anti"))


def write_whole(spark: SparkSession, tables: Mapping[str, DataFrame], place: str) -> None:
    """Write each table as Parquet to `<place>/<name>`: all of them, or none.

    They are written beside and moved by one rename of the folder, which replaces what an earlier attempt left there.
    """
    beside = _beside(place)
    try:
        for name, table in tables.items():
            table.write.mode("error").parquet(f"{beside}/{name}")
        _move(spark, beside, place)
    finally:
        _delete(spark, beside)


def write_lines(spark: SparkSession, lines: DataFrame, place: str) -> None:
    """Write a frame of one string column as text, a line a row, into the folder `place`: all of it, or nothing."""
    beside = _beside(place)
    try:
        lines.write.mode("error").text(beside)
        _move(spark, beside, place)
    finally:
        _delete(spark, beside)


def _beside(place: str) -> str:
    parent, _, name = place.rstrip("/").rpartition("/")
    return f"{parent}/.{name}.{secrets.token_hex(4)}.tmp"


def _move(spark: SparkSession, beside: str, place: str) -> None:
    """Hadoop's own rename: whatever file system the job writes to, its settings are Spark's."""
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path  # noqa: SLF001 - PySpark has no public way to Hadoop's file systems
    files = path(place).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())  # noqa: SLF001
    files.mkdirs(path(place).getParent())
    files.delete(path(place), True)
    if not files.rename(path(beside), path(place)):
        raise OSError(f"{beside} could not be renamed to {place}")


def _delete(spark: SparkSession, folder: str) -> None:
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(folder)  # noqa: SLF001
    path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).delete(path, True)  # noqa: SLF001
