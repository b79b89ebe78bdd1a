"""Is anything slower than when it was recorded? A short version of each benchmark, against the ratios in `recorded.json`.

    python -m benchmarks.guard                    all; about ten minutes on two idle cores
    python -m benchmarks.guard target start       some
    python -m benchmarks.guard --record           measure, and keep these ratios from now on

Exit status 1: something is more than a tenth slower against its baseline than recorded, three times in a row, or differs from
Kafka's. Ratios are measured against the JVM, or another baseline, in the same run (see each benchmark), so another machine may be
compared. `collect`, `hosts`, `waiting` and `fleet` are missing: a cluster, hosts, Airflow or Spark decide how long they take.
"""

import argparse
import functools
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import assign, consumer, forecast, reading, start, target

RECORD = Path(__file__).with_name("recorded.json")
SLOWER = 1.1
"""From how many times as long as recorded something is slower."""
TRIES = 3
KAFKA = "3.9.1"
COORDINATOR = "4.3.1"

Row = dict[str, Any]
Rows = Iterable[Row]


@dataclass(frozen=True)
class Short:
    """A short version of `benchmark`: `measure` gives its rows, with a `ratio` each."""

    benchmark: str
    measure: Callable[[], Rows]

    def named(self) -> dict[str, Row]:
        """The rows by what distinguishes them from all others."""
        parts = ("shape", "assignor", "state")
        return {"/".join([self.benchmark, *(str(row[part]) for part in parts if row.get(part))]): row for row in self.measure()}


def shorts() -> tuple[Short, ...]:
    """Of each benchmark the shapes that take seconds, and are like what people have."""
    found = [Short("assign", functools.partial(assign.measure, one, KAFKA)) for one in assign.SHAPES if one.warm >= 20]
    found += [
        Short("consumer", functools.partial(consumer.measure, one, assignor, KAFKA))
        for one in consumer.SHAPES
        if one.name == "small"
        for assignor in one.assignors
    ]
    found += [Short("consumer", functools.partial(_lines, assignor)) for assignor in ("range", "cooperative-sticky")]
    found += [Short("target", functools.partial(target.measure, one, COORDINATOR)) for one in target.SHAPES]
    found += [Short("forecast", functools.partial(forecast.measure, one, KAFKA)) for one in forecast.SHAPES if one.tasks <= 400]
    found += [Short("reading", functools.partial(reading.measure, name)) for name in reading.PARTS]
    found += [Short("start", functools.partial(start.measure, name)) for name in start.STARTS]
    return tuple(found)


def _lines(assignor: str) -> Rows:
    return [consumer.measure_lines(assignor, KAFKA)]


@dataclass(frozen=True)
class Judged:
    """`ratio`: the best of its tries. `recorded`: None where there is no record of it."""

    name: str
    what: str
    ratio: float
    recorded: float | None
    equal: bool

    @property
    def times_as_long(self) -> float | None:
        return None if self.recorded is None else self.recorded / self.ratio

    @property
    def holds(self) -> bool:
        return self.equal and self.times_as_long is not None and self.times_as_long <= SLOWER


def judge(short: Short, recorded: dict[str, float], tries: int = TRIES) -> list[Judged]:
    """Measured again while something is slower: other work on the machine slows one try, a slower program all of them."""
    best: dict[str, Judged] = {}
    for _ in range(tries):
        for name, row in short.named().items():
            before = best.get(name)
            ratio = max(row["ratio"], before.ratio if before else 0)
            equal = row["equal"] and (before is None or before.equal)
            best[name] = Judged(name, row["what"], ratio, recorded.get(name), equal)
        if all(one.holds or one.recorded is None or not one.equal for one in best.values()):
            break
    return list(best.values())


def table_of(found: Sequence[Judged]) -> Table:
    table = Table("benchmark", "what", "times as fast", "recorded", "times as long as recorded", "", box=None)
    for one in found:
        longer = one.times_as_long
        verdict = "" if one.holds else "DIFFERS FROM KAFKA" if not one.equal else "NOT RECORDED" if longer is None else "SLOWER"
        table.add_row(
            one.name,
            one.what,
            f"{one.ratio:.3g}",
            "-" if one.recorded is None else f"{one.recorded:.3g}",
            "-" if longer is None else f"{longer:.2f}",
            verdict,
        )
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = shorts()
    parser.add_argument("benchmarks", nargs="*", choices=[*dict.fromkeys(one.benchmark for one in every), []])
    parser.add_argument("--record", action="store_true", help="keep what is measured as the new record")
    given = parser.parse_args()
    recorded: dict[str, float] = json.loads(RECORD.read_text())["ratios"] if RECORD.exists() else {}
    found: list[Judged] = []
    for short in every:
        if not given.benchmarks or short.benchmark in given.benchmarks:
            found += judge(short, {} if given.record else recorded)
    Console(width=170).print(table_of(found))
    if not all(one.equal for one in found):
        return 1
    if given.record:
        ratios = dict(sorted((recorded | {one.name: float(f"{one.ratio:.3g}") for one in found}).items()))
        RECORD.write_text(json.dumps({"kafka": KAFKA, "coordinator": COORDINATOR, "ratios": ratios}, indent=2) + "\n")
        return 0
    return 0 if all(one.holds for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
