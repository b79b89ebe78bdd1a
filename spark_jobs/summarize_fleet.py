"""The findings in the tables of a day, the worst first, and what is above a limit and was not the day before: for `fleet.md`
and for the alerts.

    spark-submit --py-files holdfast.zip summarize_fleet.py --lake URL --days 2026-11-21 --policy '{"hours_most": 24}'

Writes `<lake>/fleet/day=<day>/findings/`, JSON lines `{"kind": …, "row": {…}}`, for each of the days: all of it, or nothing. The
day before is, of each cluster, the last earlier one in the table `blast_radius`.
"""

import sys
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention

from holdfast.adapters.lake.table_schemas import TABLES
from holdfast.adapters.spark import spark as lake_tables
from holdfast.adapters.spark import submissions
from holdfast.rollout.contract.scenarios import Scenario
from holdfast.rollout.json.strict import loads
from holdfast.rollout.kinds import registry
from holdfast.rollout.tables import fleet_findings

MOST = 20
"""Rows of a kind."""
GROUP, HOST = ("cluster", "group_id"), ("cluster", "host")


@dataclass(frozen=True)
class Kind:
    """Rows of some days, which of them come first, what each is about, and what a limit of the policy looks at. `each_rise`: what
    was above the limit before is new if it is more now."""

    rows: DataFrame
    worst_by: tuple[str, ...]
    about: tuple[str, ...] = GROUP
    measured: Column | None = None
    each_rise: bool = False

    def judged(self, day: str, most: int | None) -> DataFrame:
        """The rows of the day, with `above` the limit, and `new`: it was not on the earlier day."""
        measured = F.lit(None).cast("double") if self.measured is None else self.measured.cast("double")
        above = F.lit(False) if most is None else F.coalesce(measured > most, F.lit(False))
        rows = self.rows.withColumn("above", above).withColumn("measured", measured)
        earlier = rows.where(F.col("day") != day).select(
            *self.about, F.col("measured").alias("was"), F.col("above").alias("was_above")
        )
        rises = F.lit(self.each_rise) & F.coalesce(F.col("measured") > F.col("was"), F.lit(False))
        new = F.col("above") & (~F.coalesce("was_above", F.lit(False)) | rises)
        today = rows.where(F.col("day") == day).join(earlier, [*self.about], how="left")
        return today.withColumn("new", new).drop("was", "was_above", "measured")

    def first(self, rows: DataFrame) -> DataFrame:
        """The worst of them."""
        return rows.orderBy(*(F.desc_nulls_last(name) for name in self.worst_by), *self.about).limit(MOST)


def worst_of_groups(losses: DataFrame, *by: str) -> DataFrame:
    """Of each group and day the row in which `by` is greatest, one of which the time is known before others."""
    rest = [name for name in losses.columns if name not in (*GROUP, "day")]
    worst = F.max_by(F.struct(*rest), F.struct(*by, F.col("hours").isNotNull(), "process_id", "member_id", "scenario")).alias(
        "worst"
    )
    return losses.groupBy(*GROUP, "day").agg(worst).select(*GROUP, "day", "worst.*")


def by_host(losses: DataFrame) -> DataFrame:
    """What stops and moves, over all groups, if a host is lost and not replaced."""
    named = losses.where(F.col("host").isNotNull() & (F.col("scenario") == str(Scenario.NOT_REPLACED)))
    return named.groupBy(*HOST, "day").agg(
        F.countDistinct("group_id").alias("groups"),
        *(F.sum(name).alias(name) for name in ("without_copy", "moved")),
        F.max("hours").alias("hours"),
    )


def decided_otherwise(backtests: DataFrame) -> DataFrame:
    """Of each group and day how many past rebalances and stable ends were decided otherwise, where any was."""
    counts = ("equal", "different", "inferred", "not_judged", "sequences", "ends_equal")
    sums = backtests.groupBy(*GROUP, "day").agg(*(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in counts))
    wrong = F.col("different") + F.col("sequences") - F.col("ends_equal")
    return sums.withColumn("judged", F.col("equal") + F.col("different")).withColumn("wrong", wrong).where(F.col("wrong") > 0)


def unsilenced(settings: DataFrame) -> DataFrame:
    """Of each group, day and rule of the doctor of settings one finding, and how many there are."""
    found = settings.where(F.col("rule").isNotNull() & F.col("silenced").isNull())
    first = F.min_by(F.struct("says", "costs", "not_priced", "fixes", "sources"), F.col("says")).alias("one")
    counted = found.groupBy(*GROUP, "day", "rule").agg(first, F.count("*").alias("found"))
    return counted.select(*GROUP, "day", "rule", "found", "one.*").withColumn("priced", F.col("costs").isNotNull())


def kinds(losses: DataFrame, changes: DataFrame, backtests: DataFrame, settings: DataFrame) -> dict[str, Kind]:
    """The tables of these names → the kinds of `fleet_findings.Findings` that are made of them."""
    plain = losses.where(F.col("member_id").isNotNull())
    streams = losses.where(F.col("member_id").isNull() & F.col("moved").isNotNull())
    percent = 100 * F.col("moved") / F.greatest("stateful_tasks", F.lit(1))
    likely = streams.where(F.col("scenario").isin(*Scenario.NEW_ID_LIKELIEST.in_tables)).withColumn("percent", percent)
    of_members = F.coalesce(F.col("protocol"), F.lit("")).isin(registry.without_state())
    columns = ("day", *GROUP, "before_at", "captured_at", "left", "joined", "moved", "moved_between_survivors")
    between = F.col("moved_between_survivors")
    changed = ("moved_between_survivors", "moved")
    return {
        "hosts": Kind(by_host(streams), ("without_copy", "moved"), HOST, F.col("without_copy")),
        "groups": Kind(worst_of_groups(likely, "percent", "moved"), ("percent", "moved"), measured=F.col("percent")),
        "slow": Kind(
            worst_of_groups(streams.where(F.col("hours") > 0), "hours", "moved"), ("hours", "moved"), measured=F.col("hours")
        ),
        "order_changes": Kind(changes.where(~of_members).select(*columns), changed, measured=between),
        "backtests": Kind(decided_otherwise(backtests), ("wrong", "judged"), measured=F.col("wrong"), each_rise=True),
        "settings": Kind(unsilenced(settings), ("priced", "found"), (*GROUP, "rule"), F.col("found")),
        "plain_losses": Kind(
            worst_of_groups(plain, "stopped_partition_seconds", "needless", "moved"),
            ("stopped_partition_seconds", "needless", "moved"),
        ),
        "member_changes": Kind(changes.where(of_members & (between > 0)).select(*columns), changed),
    }


def quarantined(tables: dict[str, DataFrame]) -> DataFrame:
    """How many each job could not answer, and one reason."""
    counted = [
        rows.agg(F.count("problem").alias("count"), F.min(F.substring("problem", 1, 300)).alias("problem"))
        .where("count > 0")
        .select(F.lit(name).alias("table"), "count", "problem")
        for name, rows in tables.items()
    ]
    return reduce(DataFrame.unionByName, counted)


def findings(tables: dict[str, DataFrame], day: str, policy: fleet_findings.FleetPolicy) -> dict[str, DataFrame]:
    """`blast_radius`, `backtests` and `settings_findings` of the day and the one before, the other tables of the day → rows by
    kind, the worst first."""
    limits = {kind: limit for limit, kind in fleet_findings.WATCHED.items()}
    found, counted = {"clusters": tables["clusters"].orderBy("cluster")}, []
    for name, kind in kinds(
        tables["blast_radius"], tables["order_changes"], tables["backtests"], tables["settings_findings"]
    ).items():
        most = getattr(policy, limits[name]) if name in limits else None
        rows = kind.judged(day, most).cache()
        found[name] = kind.first(rows)
        if name in limits:
            found[f"new_{name}"] = kind.first(rows.where("new"))
        sums = (F.coalesce(F.sum(F.col(flag).cast("long")), F.lit(0)).alias(flag) for flag in ("above", "new"))
        counted.append(
            rows.agg(F.count("*").alias("count"), *sums).select(F.lit(name).alias("kind"), F.lit(most).alias("most"), "*")
        )
    found["counts"] = reduce(DataFrame.unionByName, counted)
    found["quarantined"] = quarantined({name: rows for name, rows in tables.items() if name.startswith("quarantine")})
    return found


def lines(found: dict[str, DataFrame]) -> DataFrame:
    """Rows by kind → `value`, a JSON line a finding, in order."""
    each = [_lines(place, kind, rows) for place, (kind, rows) in enumerate(found.items())]
    everything = reduce(DataFrame.unionByName, each)
    return everything.repartition(1).sortWithinPartitions("place", "number").select("value")


def _lines(place: int, kind: str, rows: DataFrame) -> DataFrame:
    row = F.to_json(F.struct(F.lit(kind).alias("kind"), F.struct("*").alias("row")), {"ignoreNullFields": "false"})
    return rows.coalesce(1).select(F.lit(place).alias("place"), F.monotonically_increasing_id().alias("number"), row.alias("value"))


def work(spark: SparkSession, lake: str, days: list[str], policy: str | None = None) -> None:
    limits = fleet_findings.policy_from_json(loads(policy or "{}"))
    names = [name for name in TABLES if name in ("clusters", "order_changes") or name.startswith("quarantine")]
    for optional in ("quarantine_scores", "quarantine_backtests", "quarantine_settings"):  # there need not be plans, …
        if not lake_tables.has_table(spark, lake, optional):
            names.remove(optional)
    for day in days:
        tables = {name: lake_tables.read_table(spark, lake, name, [day]) for name in names}
        tables["blast_radius"] = lake_tables.read_with_day_before(spark, lake, "blast_radius", day)
        for name in ("backtests", "settings_findings"):
            tables[name] = lake_tables.read_with_day_before(spark, lake, name, day, needed=False)
        submissions.refuse_outlived(spark, lake)
        lake_tables.write_lines(spark, lines(findings(tables, day, limits)), f"{lake}/fleet/day={day}/findings")
        spark.catalog.clearCache()


if __name__ == "__main__":
    lake_tables.days_job("summarize_fleet", __doc__, sys.argv[1:], work, policy="limits, a JSON object as in docs/fleet.md")
