"""The nightly pipeline over a synthetic fleet: what Spark takes, and what the bare kernel takes for the same work on one core.

    python -m benchmarks.fleet --groups 1000 --seed 1 --cores 2
    python -m benchmarks.fleet --groups 10000 --cores 2 --json          one JSON object on one line, last
    python -m benchmarks.fleet --groups 200 --streams 2                 every second group is one whose broker assigns
    python -m benchmarks.fleet --groups 200 --night-before              the losses of the first day are known on the second

Two days of snapshots are written to a lake of its own (that does not count). Then, in one Spark session on `local[C]`, bound to C
processors: decode both days into tables, targets, order changes since the day before, and the blast radius of every single host of
every group: what cannot be counted is forecast (without Numba only the worst of each group). With `--night-before` also that of
the first day, before it: what has not changed is carried over. `losses`: the rows of the second day by their basis, and how many
were carried over. `kernel_seconds`: the same functions on the same documents, one after the other, in one process without Spark.
`processor_seconds`: what Spark used of processors, which on a busy machine says more than `seconds`. `peak_mb`: the driver, its JVM
and all Python workers together, sampled (shared pages count once). `assignments`: targets that were computed: each group's own, and
one for every lost host, every case, and every position of a new random ID.
"""

import argparse
import importlib.util
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import psutil
import pyarrow.parquet as pq
from pyspark import cloudpickle  # noqa: TID253 - this is about Spark
from pyspark.sql import SparkSession  # noqa: TID253 - the same

from benchmarks import synthetic_fleet, synthetic_streams
from holdfast.adapters.lake.table_schemas import VERSION
from holdfast.adapters.spark import spark as lake_tables
from holdfast.kafka.streams.compiled import jit
from holdfast.rollout.contract import loss_budget
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.tables import group_rows, loss_rows
from holdfast.workflows import snapshots

ROOT = Path(__file__).resolve().parents[1]
BEFORE, AFTER = synthetic_fleet.DAYS
JOBS = (
    ("decode", "decode_snapshots", [BEFORE, AFTER]),
    ("targets", "compute_targets", [AFTER]),
    ("order_changes", "detect_order_changes", [AFTER]),
    ("blast_radius", "blast_radius", [AFTER]),
)
NIGHT_BEFORE = ("night_before", "blast_radius", [BEFORE])
SAMPLED_EVERY_S = 0.5


@dataclass
class Peak:
    """The most memory that this process and its children had together, in MB."""

    megabytes: float = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def watched(self) -> Iterator[None]:
        watcher = threading.Thread(target=self._watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            self._stop.set()
            watcher.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(SAMPLED_EVERY_S):
            total = 0
            for one in (me, *me.children(recursive=True)):
                try:
                    total += one.memory_full_info().pss
                except psutil.Error:
                    continue
            self.megabytes = max(self.megabytes, total / 1e6)


def fill(lake: Path, groups: int, seed: int, streams: int) -> None:
    """As collecting would, but for the time that it takes to make sure that a file outlives a power cut.

    `streams`: every group whose number is a multiple of that has a broker that assigns; 0: none."""
    for number in range(groups):
        for snapshot in _both_days(number, seed, broker_assigns=bool(streams) and number % streams == 0):
            path, content = snapshots.placed(snapshot)
            place = lake.joinpath(*path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def _both_days(number: int, seed: int, *, broker_assigns: bool) -> tuple[AnySnapshot, AnySnapshot]:
    if broker_assigns:
        return synthetic_streams.pair(number, seed)
    pair = synthetic_fleet.group(number, seed)
    return pair.before, pair.after


def bare(lake: Path) -> tuple[dict[str, list[float]], int]:
    """The kernel alone: the seconds of each group by its protocol, and the assignments that it worked out."""
    assignments = 0
    seconds: dict[str, list[float]] = {}
    for after in sorted(lake.glob(f"snapshots/*/day={AFTER}/*/*.json")):
        (before,) = Path(str(after.parent).replace(f"day={AFTER}", f"day={BEFORE}")).glob("*.json")
        contents = [(str(path.relative_to(lake)), path.read_bytes()) for path in (before, after)]
        began = time.process_time()
        decoded = [group_rows.decode(path, content) for path, content in contents]
        documents = [str(row["document"]) for row in decoded]
        group_rows.targets(documents[1])
        group_rows.order_change(*documents)
        lost = loss_rows.whole(documents[1], loss_budget.usual(compiled=jit.is_installed()))
        protocol = str(dict(decoded[1]["group"])["protocol"])  # type: ignore[call-overload]
        seconds.setdefault(protocol, []).append(time.process_time() - began)
        assignments += 3 + sum(len(rows) for rows in (lost["losses"], lost["places"]) if isinstance(rows, list))
    return seconds, assignments


def session(cores: int) -> SparkSession:
    return (
        SparkSession.builder.master(f"local[{cores}]")
        .appName("fleet")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.pyspark.python", sys.executable)
        .getOrCreate()
    )


def job(name: str) -> ModuleType:
    """A job file as a module whose functions travel by value, as those of a submitted file do."""
    spec = importlib.util.spec_from_file_location(f"submitted_{name}", ROOT / "spark_jobs" / f"{name}.py")
    assert spec is not None, "a job is a file"
    assert spec.loader is not None, "a file of Python"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    cloudpickle.register_pickle_by_value(module)
    return module


def processor_seconds() -> float:
    """What this process, those below it and those that they waited for have used of processors."""
    me = psutil.Process()
    times = [one.cpu_times() for one in (me, *me.children(recursive=True))]
    return sum(each.user + each.system + each.children_user + each.children_system for each in times)


def on_spark(lake: str, cores: int, *, night_before: bool) -> dict[str, tuple[float, float]]:
    """What each step took, from no JVM to the last table: seconds, and seconds of processors."""
    took = {}
    began, used = time.perf_counter(), processor_seconds()

    def done(step: str) -> None:
        nonlocal began, used
        now, so_far = time.perf_counter(), processor_seconds()
        took[step] = (now - began, so_far - used)
        began, used = now, so_far

    spark = session(cores)
    try:
        spark.sparkContext.setLogLevel("ERROR")
        lake_tables.settle(spark)
        done("start")
        for step, name, days in (*JOBS[:-1], *([NIGHT_BEFORE] if night_before else []), JOBS[-1]):
            job(name).work(spark, lake, days)
            done(step)
    finally:
        spark.stop()
    return took


def losses_by_basis(lake: Path) -> dict[str, int]:
    """The rows of the second day by their basis, and those that were worked out on the first."""
    rows = pq.read_table(lake / "tables" / VERSION / "blast_radius", columns=["basis", "computed_on", "day"]).to_pylist()
    mine = [row for row in rows if row["day"] == AFTER]
    return dict(Counter(row["basis"] for row in mine)) | {"carried over": sum(row["computed_on"] == BEFORE for row in mine)}


def measure(groups: int, seed: int, cores: int, streams: int, place: Path, *, night_before: bool) -> dict[str, object]:
    fill(place, groups, seed, streams)
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(everywhere)[:cores])
    peak = Peak()
    with peak.watched():
        took = on_spark(str(place), cores, night_before=night_before)
    os.sched_setaffinity(0, everywhere)
    kernel, assignments = bare(place)
    seconds, used = (sum(each) for each in zip(*took.values(), strict=True))
    return {
        "groups": groups,
        "seed": seed,
        "cores": cores,
        "seconds": round(seconds, 2),
        "kernel_seconds": round(sum(map(sum, kernel.values())), 2),
        "kernel_ms_per_group": {protocol: round(1_000 * sum(each) / len(each), 1) for protocol, each in kernel.items()},
        "processor_seconds": round(used, 2),
        "peak_mb": round(peak.megabytes),
        "assignments": assignments,
        "losses": losses_by_basis(place),
        "groups_per_second": round(groups / seconds, 2),
        "steps": {step: {"seconds": round(wall, 2), "processor_seconds": round(cpu, 2)} for step, (wall, cpu) in took.items()},
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--groups", type=int, default=1_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--cores", type=int, default=2)
    arguments.add_argument("--streams", type=int, default=0, metavar="N", help="every Nth group is one whose broker assigns")
    arguments.add_argument("--night-before", action="store_true", help="the losses of the first day are worked out before")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    if given.groups < 1 or not 1 <= given.cores <= len(os.sched_getaffinity(0)):
        arguments.error(f"a group or more, and 1 to {len(os.sched_getaffinity(0))} cores are needed")
    with tempfile.TemporaryDirectory(prefix="holdfast-fleet-") as place:
        lake = Path(place) / "lake"
        found = measure(given.groups, given.seed, given.cores, given.streams, lake, night_before=given.night_before)
    if given.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    for name, value in found.items():
        sys.stdout.write(f"{name:18} {value}\n")


if __name__ == "__main__":
    main()
