"""Evaluates every way to make a change, each on an executor: a draft in the lake → `<draft>/evaluations/`, a JSON line a candidate.

    spark-submit --py-files holdfast.zip search_candidates.py --lake URL --draft drafts/NAME

A draft is a folder with `snapshot.json` and `change.json`. The evaluations appear together, or not at all, in the order in which
the candidates were proposed.
"""

import argparse
import sys

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.spark import read_texts, session, write_lines
from holdfast.rollout import search

PROPOSED = "place int, snapshot string, candidate string"
EVALUATED = pa.schema([("place", pa.int32()), ("evaluation", pa.string())])


def evaluate_candidate(key: tuple[pa.Scalar, ...], proposed: pa.Table) -> pa.Table:
    """One candidate → its evaluation, as the same function gives it anywhere else."""
    rows = [
        {"place": key[0].as_py(), "evaluation": search.evaluation(row["snapshot"], row["candidate"])}
        for row in proposed.to_pylist()
    ]
    return pa.Table.from_pylist(rows, schema=EVALUATED)


def proposed(spark: SparkSession, snapshot_text: str, change_text: str) -> DataFrame:
    """What there is to evaluate: PROPOSED, a row a candidate, spread over the executors (few bytes, and much to compute)."""
    rows = [(place, snapshot_text, candidate) for place, candidate in enumerate(search.candidates(snapshot_text, change_text))]
    return spark.createDataFrame(rows, PROPOSED).repartition(spark.sparkContext.defaultParallelism, "place")


def evaluated(ways: DataFrame) -> DataFrame:
    """PROPOSED → the evaluations as JSON, in the order of their candidates."""
    evaluations = ways.groupBy("place").applyInArrow(evaluate_candidate, from_arrow_schema(EVALUATED))
    in_order = evaluations.repartition(1).sortWithinPartitions("place")  # an orderBy would evaluate twice, to sample
    return in_order.select(F.col("evaluation").alias("value"))


def main(argv: list[str]) -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--lake", required=True)
    arguments.add_argument("--draft", required=True)
    given = arguments.parse_args(argv)
    place = f"{given.lake}/{given.draft}"
    spark = session("search_candidates")
    snapshot_text, change_text = read_texts(spark, place, "snapshot.json", "change.json")
    write_lines(spark, evaluated(proposed(spark, snapshot_text, change_text)), f"{place}/evaluations")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
