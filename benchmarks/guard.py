"""Is anything slower than when it was recorded? A short version of each benchmark, against the ratios in `recorded.json`.

    python -m benchmarks.guard                    all; three minutes
    python -m benchmarks.guard target start       some
    python -m benchmarks.guard --record           measure three times, and keep the medians for this kind of machine
    python -m benchmarks.guard --record --missing the same of what has no record for this kind of machine
    python -m benchmarks.guard --scatter 3        measure three times, and say how far the ratios are apart

Exit status 1: something takes more than a tenth longer than recorded, against work of Python's own in the same run
(`baseline.py`), in each of three tries; or there is no record of it for this kind of machine. Both sides run in turn, in a process
of their own, because what ran before decides how scattered memory is. Measured is processor time without Python's collector of
cycles, and the least of each side counts: other work makes a run longer, and nothing makes it shorter.
Which results are right is for the tests to say, and how fast the JVM is for the benchmarks. `collect`, `hosts`, `waiting` and
`fleet` are missing: a cluster, hosts, Airflow or Spark decide how long they take.
"""

import argparse
import functools
import gc
import json
import multiprocessing
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tests.conformance.consumer import groups as plain_groups
from tests.conformance.coordinator import targets
from tests.conformance.streams import groups
from tests.conformance.streams.snapshots import snapshot_of

from benchmarks import assign, baseline, consumer, forecast, reading, start, target
from holdfast.kafka.consumer import leader as consumers
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.streams import leader
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows.deciding import assign_text

RECORD = Path(__file__).with_name("recorded.json")
SLOWER = 1.1
"""From how many times as long as recorded something is slower."""
TRIES = 3
LEAST_TURNS, MOST_TURNS, ENOUGH_S = 9, 500, 2
"""Runs of either side: as many as take `ENOUGH_S` seconds together, within limits."""
STARTED = 7
"""Starts of a process, of either side."""
READ = 4
"""Reads of a DAG file, each after Airflow's own classes, which take seconds."""
KAFKA = "3.9.1"
COORDINATOR = "4.3.1"

Ratios = Mapping[str, float]


@dataclass(frozen=True)
class Short:
    """A short version of `benchmark`. `ratio` measures how many times as fast as its baseline the work is."""

    benchmark: str
    shape: str
    ratio: Callable[[], float]

    @property
    def name(self) -> str:
        return f"{self.benchmark}/{self.shape}"


def shorts() -> tuple[Short, ...]:
    """Of each benchmark the shapes that take parts of a second, and are like what people have."""
    decided = [one for one in assign.SHAPES if one.clients * one.threads <= 10_000 and one.by_rack != "balance_subtopology"]
    found = [_work("assign", one.name, functools.partial(_decision, one)) for one in decided if one.name != "large"]
    found += [
        _work("assign", f"{one.name}, JSON to JSON", functools.partial(_line, one)) for one in assign.SHAPES if one.warm >= 20
    ]
    found += [
        _work("consumer", f"{one.name}/{assignor}", functools.partial(_of_consumers, one, assignor))
        for one in consumer.SHAPES
        if one.name in ("small", "random")
        for assignor in one.assignors
    ]
    found += [_work("target", one.name, functools.partial(_target, one)) for one in target.SHAPES]
    found += [_work("forecast", one.name, functools.partial(_forecast, one)) for one in forecast.SHAPES if one.tasks <= 400]
    found += [_work("reading", name, functools.partial(_reading, name)) for name in reading.PARTS]
    found += [Short("start", name, functools.partial(_start, name)) for name in start.STARTS]
    return tuple(found)


Work = Callable[[], object]


SMALL = ("tiny", "small", "roll")
"""Parts of the shapes whose values the caches hold."""


def _work(benchmark: str, shape: str, prepared: Callable[[], Work]) -> Short:
    other = baseline.small if any(part in shape for part in SMALL) else baseline.large
    return Short(benchmark, shape, lambda: _apart_from_all(lambda: ratio_of(prepared(), other)))


def _apart_from_all(measure: Callable[[], float]) -> float:
    """In a copy of this process, as it was before anything was measured."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=lambda: there.send(measure()))
    process.start()
    there.close()
    try:
        found: float = here.recv()
    except EOFError:
        raise SystemExit("what is measured has failed; its error is above") from None
    finally:
        process.join()
    return found


def ratio_of(work: Work, other: Work) -> float:
    """`other`: the baseline that fills the caches as much. The least of either side, in turn: other work on the machine makes a run
    longer, and nothing makes it shorter."""
    gc.collect()
    gc.disable()
    try:
        once = _seconds(work) + _seconds(other)
        turns = max(LEAST_TURNS, min(MOST_TURNS, round(ENOUGH_S / once)))
        ones, others = zip(*((_seconds(other), _seconds(work)) for _ in range(turns)), strict=True)
        return min(ones) / min(others)
    finally:
        gc.enable()


def _seconds(work: Work) -> float:
    """Of processor time."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _decision(shape: assign.Shape) -> Work:
    group = groups.group_of(assign.case_of(shape), KAFKA)
    return lambda: leader.assign(group)


def _line(shape: assign.Shape) -> Work:
    case = assign.case_of(shape)
    lines = assign.lines_of(case, groups.group_of(case, KAFKA))
    return lambda: assign_text(next(lines), None, ())


def _of_consumers(shape: consumer.Shape, assignor: str) -> Work:
    group = plain_groups.group_of(consumer.case_of(shape, assignor), KAFKA)
    return lambda: consumers.assign(group)


def _target(shape: target.Shape) -> Work:
    group = targets.group_of(target.case_of(shape, random.Random(7)), COORDINATOR)  # noqa: S311 - the same each time
    return lambda: sticky.assign(group)


def _forecast(shape: forecast.Shape) -> Work:
    snapshot = snapshot_from_json(snapshot_of(forecast.settled(shape, KAFKA), KAFKA))
    change = change_from_json({"format_version": "1.0", "events": list(shape.events)})
    return lambda: forecast.forecast(snapshot, change)


def _reading(name: str) -> Work:
    texts, (_, part) = reading.texts(), reading.PARTS[name]
    return lambda: [part(text) for text in texts]


def _start(name: str) -> float:
    one = start.STARTS[name]
    ones, others = zip(*start.pairs(one, baseline.STARTS, READ if one.dag_file else STARTED), strict=True)
    return min(ones) / min(others)


@dataclass(frozen=True)
class Judged:
    """`ratio`: the best of its tries. `recorded`: None where there is no record of it."""

    name: str
    ratio: float
    recorded: float | None

    @property
    def times_as_long(self) -> float | None:
        return None if self.recorded is None else self.recorded / self.ratio

    @property
    def holds(self) -> bool:
        return self.times_as_long is not None and self.times_as_long <= SLOWER


def judge(short: Short, recorded: Ratios, tries: int = TRIES) -> Judged:
    """Measured again while it is slower: other work on the machine slows one try, a slower program all of them."""
    best = Judged(short.name, short.ratio(), recorded.get(short.name))
    for _ in range(tries - 1):
        if best.holds or best.recorded is None:
            break
        best = Judged(short.name, max(best.ratio, short.ratio()), best.recorded)
    return best


def machine() -> str:
    """The kind of machine: ratios differ from one kind of processor to another, and from Python to Python."""
    about = dict(_about(Path("/proc/cpuinfo")))
    parts = [about.get("model name") or platform.processor() or platform.machine()]
    parts += [f"{part} {about[part]}" for part in ("cpu family", "model") if part in about]
    return f"{', '.join(parts)}; Python {'.'.join(platform.python_version_tuple()[:2])}"


def _about(path: Path) -> Iterable[tuple[str, str]]:
    """The first processor's fields, last one first."""
    lines = path.read_text().partition("\n\n")[0].splitlines() if path.exists() else []
    return [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]


def table_of(found: Sequence[Judged]) -> Table:
    table = Table("benchmark", "times as fast as Python's work", "recorded", "times as long as recorded", "", box=None)
    for one in found:
        longer = one.times_as_long
        table.add_row(
            one.name,
            f"{one.ratio:.3g}",
            "-" if one.recorded is None else f"{one.recorded:.3g}",
            "-" if longer is None else f"{longer:.2f}",
            "" if one.holds else "NOT RECORDED" if longer is None else "SLOWER",
        )
    return table


def rounds(chosen: Sequence[Short], times: int) -> dict[str, list[float]]:
    """The ratios of each, measured in as many rounds through all of them."""
    found: dict[str, list[float]] = {one.name: [] for one in chosen}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for one in progress.track([*chosen] * times):
            found[one.name].append(one.ratio())
    return found


def scatter_of(found: Mapping[str, Sequence[float]]) -> Table:
    table = Table("benchmark", "ratios", "apart", box=None)
    for name, ratios in found.items():
        table.add_row(name, "  ".join(f"{one:.3g}" for one in ratios), f"{_apart(ratios):.0%}")
    return table


def _apart(ratios: Sequence[float]) -> float:
    return max(ratios) / min(ratios) - 1


def record(ratios: Ratios) -> None:
    """Keep these for this kind of machine, next to what is recorded of others."""
    kept: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    own = kept.get(machine(), {}) | {name: float(f"{one:.3g}") for name, one in ratios.items()}
    RECORD.write_text(json.dumps(kept | {machine(): dict(sorted(own.items()))}, indent=2, sort_keys=True) + "\n")


def recorded_here() -> Ratios:
    kept: dict[str, dict[str, float]] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return kept.get(machine(), {})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = shorts()
    parser.add_argument("benchmarks", nargs="*", choices=[*dict.fromkeys(one.benchmark for one in every), []])
    parser.add_argument("--record", action="store_true", help="keep what is measured as the new record of this kind of machine")
    parser.add_argument("--missing", action="store_true", help="only what this kind of machine has no record of")
    parser.add_argument("--scatter", type=int, metavar="N", help="measure N times, and compare with no record")
    given = parser.parse_args()
    recorded = recorded_here()
    chosen = [one for one in every if not given.benchmarks or one.benchmark in given.benchmarks]
    chosen = [one for one in chosen if not given.missing or one.name not in recorded]
    console = Console(width=150)
    console.print(f"Kind of machine: {machine()}")
    if given.record or given.scatter:
        found = rounds(chosen, given.scatter or TRIES)
        console.print(scatter_of(found))
        if given.record:
            record({name: statistics.median(ratios) for name, ratios in found.items()})
        return 0
    judged = [judge(one, recorded) for one in chosen]
    console.print(table_of(judged))
    if not recorded:
        console.print("There is no record for this kind of machine: make one with --record, on a commit that is known to be good.")
    return 0 if all(one.holds for one in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
