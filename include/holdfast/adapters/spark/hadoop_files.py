"""Files and folders of the lake as Hadoop sees them: whatever file system a Spark job writes to, its settings are Spark's."""

import re
from typing import Any

from pyspark.sql import SparkSession

_EMPTY_FILE = re.compile(r"path=([^;,]*); isDirectory=false; length=0;")
"""In what a Hadoop FileStatus prints of itself."""


def _files(spark: SparkSession, place: str) -> tuple[Any, Any]:
    """A path, and the file system that it is on."""
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(place)  # noqa: SLF001 - PySpark has no public API for file systems
    return path, path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())  # noqa: SLF001


def exists(spark: SparkSession, place: str) -> bool:
    path, files = _files(spark, place)
    return bool(files.exists(path))


def changed_at(spark: SparkSession, place: str) -> float:
    """When, in seconds of Unix time."""
    path, files = _files(spark, place)
    return float(files.getFileStatus(path).getModificationTime()) / 1_000


def names(spark: SparkSession, place: str) -> list[str]:
    """The names of the folders in a folder."""
    path, files = _files(spark, place)
    if not files.exists(path):
        return []
    return sorted(str(one.getPath().getName()) for one in files.listStatus(path) if one.isDirectory())


def folders(spark: SparkSession, place: str) -> list[str]:
    return [f"{place}/{name}" for name in names(spark, place)]


def empty_files(spark: SparkSession, folder: str) -> list[str]:
    """Those below the groups' folders. In one call to the JVM: of files there are many."""
    path, files = _files(spark, f"{folder}/*/*.json")
    listed = spark.sparkContext._jvm.org.apache.commons.lang3.ArrayUtils.toString(files.globStatus(path))  # noqa: SLF001
    return _EMPTY_FILE.findall(str(listed))


def make(spark: SparkSession, place: str) -> bool:
    """Make a folder, and those above it; False where that is refused without a word."""
    path, files = _files(spark, place)
    return bool(files.mkdirs(path))


def move(spark: SparkSession, source: str, place: str) -> None:
    path, files = _files(spark, place)
    files.mkdirs(path.getParent())
    if not files.rename(_files(spark, source)[0], path):
        raise OSError(f"{source} could not be renamed to {place}")


def delete(spark: SparkSession, place: str) -> None:
    path, files = _files(spark, place)
    files.delete(path, True)
