"""Evaluates every option of a change, each on an executor: a draft in the lake → `<draft>/evaluations/`, a JSON line per option.

    spark-submit --py-files holdfast.zip search_candidates.py --lake URL --draft drafts/NAME

A draft is a folder right below `drafts/`, with `snapshot.json` and `change.json`. The evaluations appear together, or not at all,
in the order in which the options were proposed. What was evaluated before, here or elsewhere (`<draft>/forecasts/`), is not
evaluated again (`workflows.searching`).
"""

import argparse
import re
import secrets
import sys
import time
from contextlib import suppress

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own convention
from pyspark.sql.pandas.types import from_arrow_schema

from holdfast.adapters.spark.spark import read_texts, session, write_lines
from holdfast.rollout.kinds import distributed_search, search_progress

PROPOSED = "place int, of int, draft string, snapshot string, proposed string"
EVALUATED = pa.schema([("place", pa.int32()), ("evaluation", pa.string())])


def evaluate_candidate(key: tuple[pa.Scalar, ...], proposed: pa.Table) -> pa.Table:
    """One option → its evaluation, as the same function gives it anywhere else."""
    rows = []
    for row in proposed.to_pylist():
        draft, name, option = row["draft"], search_progress.file_name(row["place"]), row["proposed"]
        line = before(draft, name)
        if line is None or not distributed_search.is_evaluation(row["snapshot"], option, line):
            began = time.monotonic()
            line = distributed_search.evaluation(row["snapshot"], option)
            keep(draft, search_progress.KEPT, name, line)
            told = search_progress.written(row["place"], row["of"], option, time.monotonic() - began)
            keep(draft, search_progress.FOLDER, name, told)
        rows.append({"place": key[0].as_py(), "evaluation": line})
    return pa.Table.from_pylist(rows, schema=EVALUATED)


TROUBLES = (OSError, ValueError, pa.ArrowException)
"""Where an executor cannot read or write next to the draft, the user who waits sees less, and nothing else is lost."""


def before(draft: str, name: str) -> str | None:
    """What was kept of an option."""
    if not draft:
        return None
    with suppress(*TROUBLES):
        files, place = fs.FileSystem.from_uri(f"{draft}/{search_progress.KEPT}/{name}")
        with files.open_input_stream(place) as content:
            return str(content.read().decode())
    return None


def keep(draft: str, folder: str, name: str, line: str) -> None:
    """A file of the draft, whole or not at all: under another name first, for two executors may write the same."""
    if not draft:
        return
    with suppress(*TROUBLES):
        files, place = fs.FileSystem.from_uri(f"{draft}/{folder}")
        files.create_dir(place, recursive=True)
        part = f"{place}/.{name}.{secrets.token_hex(8)}"
        with files.open_output_stream(part) as out:
            out.write(line.encode())
        files.move(part, f"{place}/{name}")


def proposed(spark: SparkSession, snapshot_text: str, change_text: str, draft: str = "") -> DataFrame:
    """What there is to evaluate: PROPOSED, a row per option, spread over the executors (few bytes, and much to compute).

    `draft`: where to report progress; empty: nowhere.
    """
    found = distributed_search.candidates(snapshot_text, change_text)
    keep(draft, search_progress.FOLDER, search_progress.ANNOUNCED, search_progress.announced(found))
    rows = [(place, len(found), draft, snapshot_text, candidate) for place, candidate in enumerate(found)]
    return spark.createDataFrame(rows, PROPOSED).repartition(spark.sparkContext.defaultParallelism, "place")


def evaluated(options: DataFrame) -> DataFrame:
    """PROPOSED → the evaluations as JSON, in the order of their options."""
    evaluations = options.groupBy("place").applyInArrow(evaluate_candidate, from_arrow_schema(EVALUATED))
    in_order = evaluations.repartition(1).sortWithinPartitions("place")  # an orderBy would evaluate twice, to sample
    return in_order.select(F.col("evaluation").alias("value"))


def draft_of(name: str) -> str:
    """The folder in the lake, if that is what it is: nothing outside `drafts/` is read, replaced or deleted."""
    if not re.fullmatch(r"drafts/[A-Za-z0-9_-]{1,200}", name, re.ASCII):
        raise argparse.ArgumentTypeError(f"{name[:100]!r} is not a draft; one is drafts/NAME, of letters, digits, - and _")
    return name


def main(argv: list[str]) -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--lake", required=True)
    arguments.add_argument("--draft", required=True, type=draft_of)
    given = arguments.parse_args(argv)
    place = f"{given.lake}/{given.draft}"
    spark = session("search_candidates")
    snapshot_text, change_text = read_texts(spark, place, "snapshot.json", "change.json")
    write_lines(spark, evaluated(proposed(spark, snapshot_text, change_text, place)), f"{place}/evaluations")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
