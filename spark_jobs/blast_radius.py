"""What the loss of every single host would do, to every group by its latest snapshot of each day; the worst first.

    spark-submit --py-files holdfast.zip blast_radius.py --lake URL --days 2026-11-21 [--forecast-ms 60]

Reads `groups` and `documents`. Replaces these days of `blast_radius`, `blast_radius_places` and `quarantine_blast_radius`. A large
group's hosts are split over executors. Losses that cannot be counted are forecast: all of them where Numba is installed, on the
driver and on the executors (one is asked), else the worst of each group, up to a budget, which `--forecast-ms` sets; they are split
too. The first line of output says which, and why. The rows of a group that has not changed since the last day before `--days` are
carried over from it, and only losses that were not forecast then are.
"""

import functools
import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters.lake import table_schemas as schemas
from holdfast.adapters.spark import spark as lake_tables
from holdfast.adapters.spark.earlier_losses import KNOWN, EarlierLosses, code
from holdfast.kafka.streams.compiled import jit
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL as BROKER_ASSIGNS
from holdfast.rollout.contract import loss_budget
from holdfast.rollout.tables import loss_rows

LARGEST_SHARE_US = 2_000_000
"""About this many microseconds of work are one piece: much more than reading its snapshot again costs."""
TASK_US, TASK_AT_A_PLACE_US = 5, 4
"""What a task costs for each host; where threads are not alike, for each host and each position that a new random ID can take."""
TASK_OF_A_BROKER_US = 50
"""What a task costs for each host of a group whose broker assigns: every loss is forecast."""
PARTITION_IN_TASKS = 10
"""What a partition of a consumer group costs, in tasks: every loss is forecast, a new random ID at each of its positions."""
ONE_LOSS = ("group_id", "snapshot", "process_id", "scenario")
_GROUP = ("cluster", "group_id")
LOST = pa.schema(
    [
        *((name, pa.string()) for name in (*schemas.KEY, "problem", *KNOWN[1:])),
        ("losses", pa.list_(pa.struct(schemas.LOSS))),
        ("places", pa.list_(pa.struct([("lost", pa.string()), *schemas.PLACE]))),
    ]
)
COMPILES = pa.schema([("compiles", pa.bool_())])
CHOSEN = pa.schema(
    [
        *((name, pa.string()) for name in schemas.KEY),
        ("pieces", pa.list_(pa.list_(pa.struct([("process_id", pa.string()), ("scenario", pa.string())])))),
    ]
)


def shared_out(
    groups: DataFrame, documents: DataFrame, forecast_ms: int | None = loss_budget.BUDGET_MS, known: DataFrame | None = None
) -> DataFrame:
    """The latest snapshots, each as often as it takes, with the clients `first` to `last` (not itself) that are to be looked at.

    `known`: KNOWN of each group that has rows of an earlier day.
    """
    sizes = groups.select(
        *schemas.PARTITION,
        "snapshot",
        F.coalesce("clients", "members").alias("clients"),
        F.coalesce("tasks", F.col("partitions") * PARTITION_IN_TASKS).alias("tasks"),
        F.coalesce("threads_alike", F.lit(True)).alias("threads_alike"),
        (F.coalesce("protocol", F.lit("")) == BROKER_ASSIGNS).alias("broker_assigns"),
    )
    counted = F.when(F.col("threads_alike"), F.lit(TASK_US)).otherwise(F.col("clients") * TASK_AT_A_PLACE_US)
    a_task = F.when(F.col("broker_assigns"), F.lit(TASK_OF_A_BROKER_US)).otherwise(counted)
    budget_ms = loss_budget.BUDGET_MS if forecast_ms is None else forecast_ms
    forecasts = F.lit(1_000 * budget_ms) / F.greatest("clients", F.lit(1))  # at most, of a group that is only forecast
    one_host = F.greatest(a_task * F.col("tasks"), forecasts, F.lit(1))
    at_once = F.greatest((F.lit(LARGEST_SHARE_US) / one_host).cast("int"), F.lit(1))
    firsts = F.sequence(F.lit(0), F.greatest(F.col("clients") - 1, F.lit(0)), at_once)
    latest = lake_tables.latest_of_day(documents).join(sizes, [*schemas.PARTITION, "snapshot"], how="inner")
    shares = latest.select(*schemas.KEY, "document", at_once.alias("at_once"), F.explode(firsts).alias("first"))
    with_known = shares if known is None else shares.join(known, list(_GROUP), how="left")
    return with_known.repartition(lake_tables.pieces(groups.sparkSession), *schemas.PARTITION, "group_id", "first")


def lose(row: dict, forecast_ms: int | None, sources: str | None) -> dict:
    """Some clients of a group → a row of LOST; without losses, and with `known_day`, where those of that day hold again."""
    found, first = {name: row[name] for name in schemas.KEY}, row["first"]
    if None not in (sources, row.get("known")) and row["known"] == loss_rows.fingerprint(row["document"], sources):
        return found | {name: row[name] for name in KNOWN[1:]}
    return found | loss_rows.losses(row["document"], first, first + row["at_once"], forecast_ms, sources)


def lost(shares: DataFrame, forecast_ms: int | None = loss_budget.BUDGET_MS, sources: str | None = None) -> DataFrame:
    """Shares → LOST. `sources`: the digest of the code; None: nothing is carried over, to this night or from it."""
    return lake_tables.per_row(shares, functools.partial(lose, forecast_ms=forecast_ms, sources=sources), LOST)


def choose(row: dict, forecast_ms: int | None) -> dict | None:
    """All losses of a group that might be forecast → a row of the selected ones."""
    pieces = loss_rows.chosen(row["losses"], forecast_ms, LARGEST_SHARE_US)
    return {name: row[name] for name in schemas.KEY} | {"pieces": pieces} if pieces else None


def worst(rows: DataFrame, carried: DataFrame, documents: DataFrame, forecast_ms: int | None = loss_budget.BUDGET_MS) -> DataFrame:
    """LOST, and rows that were carried over → of each group the losses that are to be forecast, `which`, in pieces that any
    executor may take, with the document."""
    one = F.struct(*schemas.TABLES["blast_radius"].names[len(schemas.KEY) :]).alias("one")
    every = rows.select(*schemas.KEY, F.explode("losses").alias("one")).unionByName(carried.select(*schemas.KEY, one))
    open_ones = every.where(F.col("one.work_us").isNotNull())
    by_group = open_ones.groupBy(*schemas.KEY).agg(F.collect_list("one").alias("losses"))
    chosen = lake_tables.per_row(by_group, functools.partial(choose, forecast_ms=forecast_ms), CHOSEN)
    pieces = chosen.select(*schemas.KEY, F.posexplode("pieces").alias("piece", "which"))
    texts = documents.select(*schemas.PARTITION, "snapshot", "document")
    with_document = pieces.join(texts, [*schemas.PARTITION, "snapshot"], how="inner")
    return with_document.repartition(lake_tables.pieces(rows.sparkSession), *schemas.PARTITION, "group_id", "piece")


def forecast(row: dict) -> dict:
    """Some losses of a group → a row of LOST with them, forecast."""
    return {name: row[name] for name in schemas.KEY} | {"losses": loss_rows.forecast(row["document"], row["which"])}


def forecast_in_full(chosen: DataFrame) -> DataFrame:
    """The worst losses → LOST with those, forecast."""
    return lake_tables.per_row(chosen, forecast, LOST)


def tidy(rows: DataFrame, in_full_rows: DataFrame, carried: DataFrame, places: DataFrame) -> dict[str, DataFrame]:
    """LOST, LOST with the losses that are forecast, and rows of both tables that were carried over → the tables, by name."""
    columns = schemas.TABLES["blast_radius"].names
    fresh, found = (
        each.select(*schemas.KEY, F.inline("losses")).withColumn("computed_on", F.col("day")).select(*columns)
        for each in (rows, in_full_rows)
    )
    why = F.concat("reason", F.lit(f"; {loss_budget.BEYOND}"))
    left_open = fresh.withColumn("reason", F.when(F.col("work_us").isNotNull(), why).otherwise(F.col("reason")))
    rest = left_open.unionByName(carried).join(
        found.select(*schemas.PARTITION, *ONE_LOSS), [*schemas.PARTITION, *ONE_LOSS], how="left_anti"
    )
    of_one = [*schemas.PARTITION, "group_id", "snapshot"]
    marks = left_open.unionByName(carried).groupBy(*of_one).agg(F.max("fingerprint").alias("fingerprint"))
    marked = found.drop("fingerprint").join(marks, of_one, how="left")
    return {
        "blast_radius": rest.select(*columns).unionByName(marked.select(*columns)),
        "blast_radius_places": lake_tables.exploded(rows, "places", "blast_radius_places").unionByName(places),
        "quarantine_blast_radius": lake_tables.quarantined(rows).dropDuplicates(),
    }


def executors_compile(spark: SparkSession) -> bool:
    """Whether an executor has a compiler; they are assumed to be alike."""
    (found,) = lake_tables.per_row(spark.range(1), answer_whether_compiled, COMPILES).collect()
    return bool(found.compiles)


def answer_whether_compiled(_row: dict) -> dict:
    return {"compiles": jit.is_installed()}


def budget_of(spark: SparkSession, forecast_ms: str | None) -> int | None:
    """What is given, else what the driver and the executors can do; and say so."""
    driver, executors = jit.is_installed(), executors_compile(spark)
    usual = loss_budget.usual(compiled=driver and executors)
    budget = loss_budget.budget_from_text(forecast_ms) if forecast_ms else usual
    words = loss_budget.chosen_words(budget, given=bool(forecast_ms), driver=driver, executors=executors)
    sys.stdout.write(f"blast_radius: {words}\n")
    return budget


def work(spark: SparkSession, lake: str, days: list[str], forecast_ms: str | None = None) -> None:
    budget = budget_of(spark, forecast_ms)
    groups, documents = (lake_tables.read_table(spark, lake, name, days) for name in ("groups", "documents"))
    earlier = EarlierLosses(spark, lake, days)

    def then_forecast(rows: DataFrame) -> None:
        carried, places = (earlier.carried_over(rows, name) for name in ("blast_radius", "blast_radius_places"))
        lake_tables.staged(
            spark,
            forecast_in_full(worst(rows, carried, documents, budget)),
            lake,
            lambda found: lake_tables.write_days(spark, lake, tidy(rows, found, carried, places), days),
        )

    shares = shared_out(groups, documents, budget, earlier.known())
    lake_tables.staged(spark, lost(shares, budget, code()), lake, then_forecast)


if __name__ == "__main__":
    about = (
        "processor time for forecasting the losses of one group, in milliseconds; unless said, every loss is forecast where Numba"
        f" is installed on the driver and the executors, and {loss_budget.BUDGET_MS} elsewhere"
    )
    lake_tables.days_job("blast_radius", __doc__, sys.argv[1:], work, forecast_ms=about)
