"""Days of tables, and lines, in an object store, where no folder can be renamed: one file each, put by one request.

So a day of a table is the old one or the new one, never a part of either; a reader that has begun with the old one gets an
error from the store. What is put comes from the driver's disk: a stream that breaks off would be put up to where it broke off.
Where folders can be renamed, all of this leaves things as they are.
"""

from collections.abc import Set as AbstractSet

from pyspark.sql import DataFrame, SparkSession

from holdfast.adapters.lake.table_schemas import PARTITION
from holdfast.adapters.spark import hadoop_files

DAY_FILE = "day.parquet"
LINES_FILE = "part-00000.txt"


def shaped(rows: DataFrame, lake: str) -> DataFrame:
    """All rows of a cluster and day in one task, which writes them into one file."""
    return rows if hadoop_files.renames(lake) else rows.repartition(*PARTITION)


def put_days(spark: SparkSession, new: str, place: str, came: AbstractSet[str], existing: AbstractSet[str]) -> bool:
    """Replace the days `existing` of the table at `place` by the days `came`, staged at `new`. False: folders can be renamed."""
    if hadoop_files.renames(place):
        return False
    for partition in sorted(came):
        _put_only_file(spark, f"{new}/{partition}", f"{place}/{partition}", DAY_FILE)
    for partition in sorted(existing - came):
        hadoop_files.delete(spark, f"{place}/{partition}")
    return True


def put_lines(spark: SparkSession, lines: DataFrame, next_to_it: str, place: str) -> bool:
    """False: folders can be renamed."""
    if hadoop_files.renames(place):
        return False
    lines.repartition(1).write.mode("error").text(next_to_it)
    _put_only_file(spark, next_to_it, place, LINES_FILE)
    return True


def _put_only_file(spark: SparkSession, staged: str, place: str, name: str) -> None:
    found = [one for one in hadoop_files.file_names(spark, staged) if one.startswith("part-")]
    if len(found) != 1:
        raise OSError(f"{staged} has {len(found)} files where one was written")
    hadoop_files.put(spark, f"{staged}/{found[0]}", f"{place}/{name}")
    for other in hadoop_files.file_names(spark, place):
        if other != name:
            hadoop_files.delete(spark, f"{place}/{other}")
