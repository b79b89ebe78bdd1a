"""Files and folders of the lake as Hadoop sees them: whatever file system a Spark job writes to, its settings are Spark's."""

import re
import secrets
import tempfile
import time
from pathlib import Path
from typing import Any

from pyarrow import fs
from pyspark.sql import SparkSession

_EMPTY_FILE = re.compile(r"path=([^;,]*); isDirectory=false; length=0;")
"""In what a Hadoop FileStatus prints of itself."""


_COPIES = ("s3a", "s3")
"""Schemes of stores that rename by copying and deleting, object by object."""


def renames(place: str) -> bool:
    """Whether a folder there is renamed at once."""
    return place.partition("://")[0] not in _COPIES


def _files(spark: SparkSession, place: str) -> tuple[Any, Any]:
    """A path, and the file system that it is on."""
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(place)  # noqa: SLF001 - PySpark has no public API for file systems
    return path, path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())  # noqa: SLF001


def exists(spark: SparkSession, place: str) -> bool:
    path, files = _files(spark, place)
    return bool(files.exists(path))


def changed_at(spark: SparkSession, place: str) -> float:
    """When, in seconds of Unix time. A folder of an object store has no time: the newest file in it counts; without any, now."""
    path, files = _files(spark, place)
    if not renames(place):
        found, newest = files.listFiles(path, True), 0.0
        while found.hasNext():
            newest = max(newest, float(found.next().getModificationTime()) / 1_000)
        return newest or time.time()
    return float(files.getFileStatus(path).getModificationTime()) / 1_000


def names(spark: SparkSession, place: str) -> list[str]:
    """The names of the folders in a folder."""
    path, files = _files(spark, place)
    if not files.exists(path):
        return []
    return sorted(str(one.getPath().getName()) for one in files.listStatus(path) if one.isDirectory())


def file_names(spark: SparkSession, place: str) -> list[str]:
    """The names of the files in a folder; none where there is no such folder."""
    path, files = _files(spark, place)
    if not files.exists(path):
        return []
    return sorted(str(one.getPath().getName()) for one in files.listStatus(path) if one.isFile())


def folders(spark: SparkSession, place: str) -> list[str]:
    return [f"{place}/{name}" for name in names(spark, place)]


def empty_files(spark: SparkSession, folder: str) -> list[str]:
    """Those below the groups' folders. In one call to the JVM: of files there are many."""
    path, files = _files(spark, f"{folder}/*/*.json")
    listed = spark.sparkContext._jvm.org.apache.commons.lang3.ArrayUtils.toString(files.globStatus(path))  # noqa: SLF001
    return _EMPTY_FILE.findall(str(listed))


def read_texts(spark: SparkSession, folder: str, *names: str) -> tuple[str, ...]:
    """The texts of files in a folder, in one job."""
    rows = spark.read.format("binaryFile").load([f"{folder}/{name}" for name in names]).select("path", "content").collect()
    found = {row.path.rsplit("/", 1)[-1]: bytes(row.content).decode() for row in rows}
    return tuple(found[name] for name in names)


def read_text(spark: SparkSession, place: str) -> str | None:
    """The text of a small file, by the driver alone. None: there is no such file."""
    path, files = _files(spark, place)
    if not files.exists(path):
        return None
    stream = files.open(path)
    try:
        return str(spark.sparkContext._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))  # noqa: SLF001
    finally:
        stream.close()


def read_folder(spark: SparkSession, folder: str) -> dict[str, bytes]:
    """The files of a folder by their names; none where there is no such folder. All of it goes through the driver."""
    if not file_names(spark, folder):
        return {}
    rows = spark.read.format("binaryFile").load(folder).select("path", "content").collect()
    return {row.path.rsplit("/", 1)[-1]: bytes(row.content) for row in rows}


def make(spark: SparkSession, place: str) -> bool:
    """Make a folder, and those above it; False where that is refused without a word."""
    path, files = _files(spark, place)
    return bool(files.mkdirs(path))


def move(spark: SparkSession, source: str, place: str) -> None:
    """Rename a folder. Raise OSError; FileExistsError where something is at `place`: Hadoop would put the folder into that one."""
    path, files = _files(spark, place)
    files.mkdirs(path.getParent())
    if files.exists(path):
        raise FileExistsError(f"{place} exists already")
    if not files.rename(_files(spark, source)[0], path):
        raise OSError(f"{source} could not be renamed to {place}")
    inside = _files(spark, f"{place}/{source.rsplit('/', 1)[1]}")[0]
    if files.exists(inside):  # another process was quicker by less than a rename
        files.rename(inside, _files(spark, source)[0])
        raise FileExistsError(f"{place} appeared at the same moment")


def put(spark: SparkSession, source: str, place: str) -> None:
    """Copy a file, in place of what is there, by one request of the store. It comes from the driver's disk, whole."""
    (from_path, files), (path, _) = _files(spark, source), _files(spark, place)
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        here = _files(spark, f"file://{Path(folder) / 'whole'}")[0]
        files.copyToLocalFile(False, from_path, here, True)
        if (Path(folder) / "whole").stat().st_size != files.getFileStatus(from_path).getLen():
            raise OSError(f"{source} was not read to its end")
        files.copyFromLocalFile(False, True, here, path)


def write(spark: SparkSession, place: str, content: bytes) -> None:
    """A file whole, in place of what is there: put by one request, or under another name first. From the driver's memory."""
    if renames(place):
        files, path = fs.FileSystem.from_uri(place)
        files.create_dir(path.rsplit("/", 1)[0], recursive=True)
        part = "{}/.{}.{}".format(*path.rsplit("/", 1), secrets.token_hex(8))
        with files.open_output_stream(part) as out:
            out.write(content)
        files.move(part, path)
        return
    path, files = _files(spark, place)
    out = files.create(path, True)
    out.write(bytearray(content))
    out.close()


def delete(spark: SparkSession, place: str) -> None:
    path, files = _files(spark, place)
    files.delete(path, True)
