"""What the Spark jobs share: a session, reading tables, and writing them whole or not at all.

Only the driver uses this. It travels in the executors' zip all the same, so that a job needs nothing else of Holdfast.
"""

import argparse
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import product
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # it has no stubs
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.lake.table_schemas import KEY, PARTITION, TABLES, VERSION
from holdfast.adapters.spark import executors, hadoop_files, submissions, whole_objects
from holdfast.errors import HoldfastError, InvalidInput, NotAllowed

SETTINGS = {
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # a cluster called 007 is no number
    "spark.sql.files.openCostInBytes": str(256 * 1024),  # snapshots are small files, a hundred or two to a task
    "spark.sql.execution.arrow.maxRecordsPerBatch": "32",  # rows are whole groups
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 * 1024 * 1024),
    "spark.sql.adaptive.coalescePartitions.enabled": "false",  # few bytes, and much to compute
    "spark.sql.session.timeZone": "UTC",
}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|unknown", re.ASCII)
_FORBIDDEN = (
    "Permission denied",
    "AccessDenied",
    "AccessControlException",
    "Mkdirs failed to create",
    "ParentNotDirectoryException",
)
"""What Hadoop's file systems say where they may not, or cannot, write. Of a local folder it is the fourth."""
_ABANDONED_S = 24 * 3600
_TRIES = 5
"""Of moving a day in, while others do."""
Rows = Iterator[pa.RecordBatch]
Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


def session(name: str) -> SparkSession:
    """The session of this job; its master comes from spark-submit, and all settings but SETTINGS. Only warnings are logged."""
    spark = SparkSession.builder.appName(name).getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    settle(spark)
    return spark


def settle(spark: SparkSession) -> None:
    """SETTINGS, and as many tasks to a step as there are cores to keep busy: what is shuffled here is small."""
    tasks = str(2 * spark.sparkContext.defaultParallelism)
    sized = {"spark.sql.shuffle.partitions": tasks, "spark.sql.sources.parallelPartitionDiscovery.parallelism": tasks}
    for key, value in (SETTINGS | sized).items():
        spark.conf.set(key, value)


def days_job(name: str, description: str | None, argv: Sequence[str], work: Callable[..., None], **options: str) -> None:
    """The whole of a job for some days of the lake: `work` with what `argv` says (also `options`, texts, by name and with what they
    are), old days deleted, refusals as one clear line."""
    arguments = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--lake", required=True)
    arguments.add_argument("--days", required=True, help="such as 2026-11-20,2026-11-21")
    arguments.add_argument("--keep-days", type=int, help="delete days this much older than the last of --days, in all tables")
    for option, about in options.items():
        arguments.add_argument(f"--{option.replace('_', '-')}", help=about)
    given = arguments.parse_args(argv)

    def whole(spark: SparkSession) -> None:
        lake, days = given.lake.rstrip("/"), days_of(given.days)
        _refuse_what_cannot_be_written_to(spark, lake)
        work(spark, lake, days, **{option: getattr(given, option) for option in options})
        if given.keep_days is not None:
            forget_days(spark, lake, _days_before(days, given.keep_days))

    run(name, whole)


def _refuse_what_cannot_be_written_to(spark: SparkSession, lake: str) -> None:
    """Before anything is computed. Raise NotAllowed, or what the file system raises."""
    place = f"{lake}/tables/.staging/{secrets.token_hex(8)}"
    if not hadoop_files.make(spark, place):
        raise NotAllowed(f"nothing can be written to {lake}/tables: Spark needs read and write permission on the whole lake")
    hadoop_files.delete(spark, place)


def _days_before(days: Sequence[str], count: int) -> str:
    """The day that is `days` days before the last one. Raise InvalidInput."""
    last = max((day for day in days if day[0].isdigit()), default=None)
    if count < 1 or last is None:
        raise InvalidInput(f"--keep-days {count}: a number of days, 1 or more, is needed, and --days to count from")
    return (date.fromisoformat(last) - timedelta(days=count)).isoformat()


def run(name: str, work: Callable[[SparkSession], None]) -> None:
    """Do the work in a session of that name. What is refused, or cannot be read, ends in one line that says so, and status 1."""
    try:
        spark = session(name)
    except Py4JError as trouble:  # may pass: without the words that keep Airflow from trying again
        sys.exit(f"Spark did not start for {name}: check its master. {_first_line(str(trouble).rpartition('Exception: ')[2])}")
    try:
        executors.refuse_unfit(spark)
        work(spark)
    except submissions.Outlived as told_again:  # where Airflow waits for this run, it may try again
        sys.exit(str(told_again))
    except HoldfastError as refusal:
        sys.exit(f"holdfast {name}: {refusal}")
    except (PySparkException, Py4JError, OSError) as trouble:
        reason = told(trouble)
        if reason is None:
            raise
        sys.exit(f"holdfast {name}: {reason}")
    finally:
        spark.stop()


def told(trouble: Exception) -> str | None:
    """A known failure in words; None for one of Holdfast's own."""
    text = str(trouble)
    if isinstance(trouble, AnalysisException) and "PATH_NOT_FOUND" in text:
        return f"the lake has no input for this job: {_first_line(text)}. Run the job before it, or correct `--lake`"
    if "CANNOT_READ_FILE" in text or "is not a Parquet file" in text or "FAILED_READ_FILE" in text:
        return f"a file in the lake is damaged: {_first_line(text)}. Delete that day of the table, and run the job for it again"
    if any(sign in text for sign in _FORBIDDEN):
        reason = next(line for line in text.splitlines() if any(sign in line for sign in _FORBIDDEN))
        return f"Spark has no permission to read or write there: {_first_line(reason)}. It needs to read and write the whole lake"
    if "No space left on device" in text:
        return "no space is left on the disk that Spark or the lake writes to"
    return None


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:500].rstrip(".")


def days_of(text: str) -> list[str]:
    """Days with commas between them. Raise InvalidInput."""
    days = [day.strip() for day in text.split(",") if day.strip()]
    for day in days:
        if not _DAY.fullmatch(day):
            raise InvalidInput(f"{day[:40]!r} is not a day; the format is 2026-11-20")
    if not days:
        raise InvalidInput("no day was given; the format is 2026-11-20")
    return sorted(dict.fromkeys(days))


def read_table(spark: SparkSession, lake: str, name: str, days: Iterable[str] | None = None) -> DataFrame:
    """A table, or some days of it, with its `cluster` and `day`. Raise InvalidInput if nothing was ever written to it.

    Of some days no others are listed: a store may hold years of them.
    """
    if not has_table(spark, lake, name):
        raise InvalidInput(f"the lake {lake} has no table {name}: the job that writes it has not run yet")
    place = table_place(lake, name)
    if days is None:
        return spark.read.schema(from_arrow_schema(TABLES[name])).parquet(place)
    wanted = [f"day={day}" for day in dict.fromkeys(days)]
    clusters = [one for one in hadoop_files.names(spark, place) if one.startswith("cluster=")]
    there = [one for one in product(clusters, wanted) if hadoop_files.exists(spark, "/".join((place, *one)))]
    return _partitions_of(spark, lake, name, ["/".join(one) for one in there])


def _partitions_of(spark: SparkSession, lake: str, name: str, partitions: list[str]) -> DataFrame:
    """These partitions of a table, all of which are there."""
    place, schema = table_place(lake, name), from_arrow_schema(TABLES[name])
    if not partitions:
        return spark.createDataFrame([], schema)
    found = spark.read.schema(schema).option("basePath", place).parquet(*(f"{place}/{one}" for one in partitions))
    return found.select(*TABLES[name].names)


def read_with_day_before(spark: SparkSession, lake: str, name: str, day: str, *, needed: bool = True) -> DataFrame:
    """That day of a table and, of each cluster, the last day before it. If nothing was ever written to it: no rows, or where it is
    `needed` InvalidInput."""
    if not has_table(spark, lake, name):
        return _partitions_of(spark, lake, name, []) if not needed else read_table(spark, lake, name)
    found, before = [], dict[str, str]()
    for partition in _partitions(spark, table_place(lake, name)):
        cluster, its_day = partition.split("/")
        if unquote(its_day) == f"day={day}":
            found.append(partition)
        elif unquote(its_day) < f"day={day}":
            before[cluster] = max(before.get(cluster, ""), its_day)
    return _partitions_of(spark, lake, name, [*found, *("/".join(one) for one in before.items())])


def has_table(spark: SparkSession, lake: str, name: str) -> bool:
    """Whether anything was ever written to it."""
    return hadoop_files.exists(spark, table_place(lake, name))


def table_place(lake: str, name: str) -> str:
    return f"{lake}/tables/{VERSION}/{name}"


def per_row(rows: DataFrame, answer: Answer, schema: pa.Schema) -> DataFrame:
    """`answer` of every row, as rows of `schema`; what an answer leaves out is null, and None is no row."""

    def answered(batches: Rows) -> Rows:
        for batch in batches:
            answers = [found for row in batch.to_pylist() if (found := answer(row)) is not None]
            if answers:
                yield from in_columns(answers, schema).to_batches()

    return rows.mapInArrow(answered, from_arrow_schema(schema))


def in_columns(answers: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """The answers as a table. One that does not fit (a sum beyond 64 bits) keeps its texts, and has that as its `problem`."""
    try:
        return pa.Table.from_pylist(answers, schema=schema)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        if len(answers) > 1:
            return pa.concat_tables([in_columns([one], schema) for one in answers])
    (alone,) = answers
    texts = {field.name: alone.get(field.name) for field in schema if field.type == pa.string() and field.name != "document"}
    return pa.Table.from_pylist([texts | {"problem": "a number in it is too large for the column of a table"}], schema=schema)


def latest_of_day(documents: DataFrame) -> DataFrame:
    """Of each group and day the last snapshot."""
    columns = [name for name in documents.columns if name not in (*PARTITION, "group_id")]
    last = F.max_by(F.struct(*columns), F.struct("captured_at", "snapshot")).alias("last")
    return documents.groupBy(*PARTITION, "group_id").agg(last).select(*PARTITION, "group_id", "last.*")


def latest_before(documents: DataFrame, day: str) -> DataFrame:
    """Of each group the last snapshot before that day."""
    columns = [name for name in documents.columns if name not in ("cluster", "group_id")]
    last = F.max_by(F.struct(*columns), F.struct("captured_at", "snapshot")).alias("last")
    earlier = documents.where(F.col("day") < day).groupBy("cluster", "group_id").agg(last)
    return earlier.select("cluster", "group_id", "last.*").select(*documents.columns)


def pieces(spark: SparkSession) -> int:
    """Into how many pieces work is cut so that no core waits long for another."""
    cores: int = spark.sparkContext.defaultParallelism
    return 16 * cores


def exploded(rows: DataFrame, column: str, table: str) -> DataFrame:
    """The structs in a list column as rows of a table."""
    one = F.explode(column).alias("one")
    return rows.select(*KEY, one).select(*KEY, *(f"one.{name}" for name in TABLES[table].names if name not in KEY))


def quarantined(rows: DataFrame) -> DataFrame:
    """The rows that have a problem, as rows of a quarantine table."""
    return rows.where(F.col("problem").isNotNull()).select(*PARTITION, "group_id", "snapshot", "problem")


def staged(spark: SparkSession, rows: DataFrame, lake: str, work: Callable[[DataFrame], None]) -> None:
    """Compute `rows` once, keep them next to the tables while `work` is done with them, and delete them.

    They lie there by cluster and day, so that what is made of them goes into few files without being shuffled again.
    """
    place = f"{lake}/tables/.staging/{secrets.token_hex(8)}"
    try:
        rows.repartition(*PARTITION).write.mode("error").partitionBy(*PARTITION).parquet(place)
        work(spark.read.schema(rows.schema).parquet(place))
    finally:
        hadoop_files.delete(spark, place)


def write_days(spark: SparkSession, lake: str, tables: Mapping[str, DataFrame], days: Iterable[str]) -> None:
    """Replace these days of the tables: all are written next to the old ones before the first is moved. Raise Outlived.

    A partition is moved by one rename, or put as one object: whole or not at all. A run killed in between leaves days for the
    next to replace; what was aside just then is put back when leftovers are removed (`forget_days`).
    """
    next_to_it = f"{lake}/tables/.staging/{secrets.token_hex(8)}"
    wanted = dict.fromkeys(f"day={day}" for day in days)
    try:
        for name, table in tables.items():
            shaped = whole_objects.shaped(table.select(*TABLES[name].names), lake)
            shaped.write.mode("error").partitionBy(*PARTITION).parquet(f"{next_to_it}/new/{name}")
        submissions.refuse_outlived(spark, lake)
        for name in tables:
            _replace_days(spark, f"{next_to_it}/new/{name}", table_place(lake, name), f"{next_to_it}/old/{name}", wanted)
    finally:
        hadoop_files.delete(spark, next_to_it)


def _replace_days(spark: SparkSession, new: str, place: str, old: str, days: Mapping[str, None]) -> None:
    """Partition by partition, the old one aside and the new one in; and days that no longer exist."""
    hadoop_files.make(spark, place)
    existing = {one for one in _partitions(spark, place) if one.rsplit("/", 1)[-1] in days}
    came = set(_partitions(spark, new))
    if whole_objects.put_days(spark, new, place, came, existing):
        return
    for partition in sorted(existing | came):
        replaced_by = f"{new}/{partition}" if partition in came else None
        _replace_day(spark, replaced_by, f"{place}/{partition}", f"{old}/{partition}")


def _replace_day(spark: SparkSession, new: str | None, at: str, aside: str) -> None:
    """Another run may do the same at the same moment: in the end the day is that of one of the two, whole."""
    for tries_left in reversed(range(_TRIES)):
        away = _moved_aside(spark, at, aside)
        if new is None:
            return
        try:
            hadoop_files.move(spark, new, at)
        except FileExistsError:
            if not tries_left:
                raise
        else:
            return
        finally:
            if away and not hadoop_files.exists(spark, at):
                hadoop_files.move(spark, aside, at)


def _moved_aside(spark: SparkSession, at: str, aside: str) -> bool:
    """False: there is nothing to move, or another run has moved it."""
    if not hadoop_files.exists(spark, at):
        return False
    if hadoop_files.exists(spark, aside):  # of the try before: it was replaced by another run
        hadoop_files.delete(spark, aside)
    try:
        hadoop_files.move(spark, at, aside)
    except (Py4JError, PySparkException, OSError):
        if hadoop_files.exists(spark, at):
            raise
        return False
    return True


def forget_days(spark: SparkSession, lake: str, before: str) -> list[str]:
    """Delete every table's partitions of days before that one, and what killed runs left next to them; return what was
    deleted."""
    _forget_abandoned(spark, lake)
    gone = []
    for name in TABLES:
        place = table_place(lake, name)
        for partition in _partitions(spark, place):
            day = partition.rsplit("/day=", 1)[-1]
            if _DAY.fullmatch(day) and day < before:
                hadoop_files.delete(spark, f"{place}/{partition}")
                gone.append(f"{name}/{partition}")
    return gone


def _forget_abandoned(spark: SparkSession, lake: str) -> None:
    for folder in hadoop_files.folders(spark, f"{lake}/tables/.staging"):
        if time.time() - hadoop_files.changed_at(spark, folder) > _ABANDONED_S:
            _finish(spark, lake, folder)
            hadoop_files.delete(spark, folder)


def _finish(spark: SparkSession, lake: str, next_to_it: str) -> None:
    """Put in its place the day of which a run that was killed had moved the old one away and not yet moved the new one in."""
    for name in hadoop_files.names(spark, f"{next_to_it}/old"):
        came = _partitions(spark, f"{next_to_it}/new/{name}")
        for partition in _partitions(spark, f"{next_to_it}/old/{name}"):
            at = f"{table_place(lake, name)}/{partition}"
            if partition in came and not hadoop_files.exists(spark, at):
                hadoop_files.move(spark, f"{next_to_it}/new/{name}/{partition}", at)


def write_lines(spark: SparkSession, lines: DataFrame, place: str) -> None:
    """Write a frame of one string column as text, a line a row, into the folder `place`: all of it, or nothing."""
    parent, _, name = place.rstrip("/").rpartition("/")
    next_to_it = f"{parent}/.{name}.{secrets.token_hex(4)}.tmp"
    try:
        if not whole_objects.put_lines(spark, lines, next_to_it, place):
            lines.write.mode("error").text(next_to_it)
            _put_in_place(spark, next_to_it, place)
    finally:
        hadoop_files.delete(spark, next_to_it)


def _put_in_place(spark: SparkSession, new: str, place: str) -> None:
    for tries_left in reversed(range(_TRIES)):
        hadoop_files.delete(spark, place)
        try:
            hadoop_files.move(spark, new, place)
        except FileExistsError:  # another run was quicker
            if not tries_left:
                raise
        else:
            return


def _partitions(spark: SparkSession, place: str) -> list[str]:
    """`cluster=…/day=…` of a table, as they are called on disk."""
    clusters = hadoop_files.folders(spark, place)
    found = [(one.rsplit("/", 1)[-1], day) for one in clusters for day in hadoop_files.names(spark, one) if "day=" in day]
    return [f"{cluster}/{day}" for cluster, day in found if cluster.startswith("cluster=")]
