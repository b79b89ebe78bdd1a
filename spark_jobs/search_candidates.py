"""Evaluates every option of a change, each on an executor: a draft in the lake → `<draft>/evaluations/`, a JSON line per option.

    spark-submit --py-files holdfast.zip search_candidates.py --lake URL --draft drafts/NAME

A draft is a folder right below `drafts/`, with `snapshot.json` and `change.json`. The evaluations appear together, or not at all,
in the order in which the options were proposed. Each is kept by the driver as soon as it is there (`<draft>/forecasts/`), and what
was evaluated before, here or elsewhere, is not evaluated again (`workflows.searching`).
"""

import argparse
import re
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from py4j.protocol import Py4JError
from pyspark import Broadcast
from pyspark.sql import SparkSession

from holdfast.adapters.spark import hadoop_files
from holdfast.adapters.spark.spark import run, write_lines
from holdfast.rollout.kinds import distributed_search, search_progress

TROUBLES = (OSError, Py4JError)
"""Where nothing can be written next to the draft, the user who waits sees less, and nothing else is lost."""


def evaluate(option: str, snapshot: Broadcast[str]) -> tuple[str, float]:
    """One option → its evaluation, as the same function gives it anywhere else, and the seconds that it took."""
    began = time.monotonic()
    return distributed_search.evaluation(snapshot.value, option), time.monotonic() - began


def keep(spark: SparkSession, draft: str, folder: str, name: str, line: str) -> None:
    """A file of the draft, whole or not at all."""
    with suppress(*TROUBLES):
        hadoop_files.write(spark, f"{draft}/{folder}/{name}", line.encode())


def evaluated(spark: SparkSession, snapshot_text: str, change_text: str, draft: str = "") -> list[str]:
    """The evaluations as JSON, in the order of their options. `draft`: where they are kept one by one; empty: nowhere.

    A job of one task for each option, as many at once as there are cores: so that the driver has each as soon as it is done.
    """
    options = distributed_search.candidates(snapshot_text, change_text)
    if draft:
        keep(spark, draft, search_progress.FOLDER, search_progress.ANNOUNCED, search_progress.announced(options))
    known = hadoop_files.read_folder(spark, f"{draft}/{search_progress.KEPT}") if draft else {}
    snapshot = spark.sparkContext.broadcast(snapshot_text)

    def one(place: int) -> str:
        option, name = options[place], search_progress.file_name(place)
        found = before(known, name, snapshot_text, option)
        if found is not None:
            return found
        ((line, seconds),) = spark.sparkContext.parallelize([option], 1).map(partial(evaluate, snapshot=snapshot)).collect()
        if draft:
            keep(spark, draft, search_progress.KEPT, name, line)
            told = search_progress.written(place, len(options), option, seconds)
            keep(spark, draft, search_progress.FOLDER, name, told)
        return str(line)

    with ThreadPoolExecutor(spark.sparkContext.defaultParallelism) as at_once:
        return list(at_once.map(one, range(len(options))))


def before(known: Mapping[str, bytes], name: str, snapshot_text: str, option: str) -> str | None:
    """What was kept of an option. None: nothing, or what is damaged, or of another option."""
    line = known.get(name, b"").decode(errors="replace")
    return line if line and distributed_search.is_evaluation(snapshot_text, option, line) else None


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
    run("search_candidates", partial(work, place=f"{given.lake}/{given.draft}"))


def work(spark: SparkSession, place: str) -> None:
    snapshot_text, change_text = hadoop_files.read_texts(spark, place, "snapshot.json", "change.json")
    lines = evaluated(spark, snapshot_text, change_text, place)
    write_lines(spark, spark.createDataFrame([(line,) for line in lines], "value string").coalesce(1), f"{place}/evaluations")


if __name__ == "__main__":
    main(sys.argv[1:])
