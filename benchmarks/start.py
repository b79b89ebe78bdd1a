"""What a process takes before it does its work: commands, and the files of the DAGs, in processor time.

    python -m benchmarks.start           all
    python -m benchmarks.start --json    for machines

The baseline of a command is `python -c pass`: processes of the same run, in turn. That of a DAG file is the import of Airflow's
own classes, which comes before it in the same process: what the file takes after that is Holdfast's part, and what Airflow does
with it.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks import report
from benchmarks.alternating import compared_pairs

ROOT = Path(__file__).resolve().parents[1]
BLOCKS = 5
COMMAND = str(Path(sys.executable).with_name("holdfast"))
SNAPSHOT = "examples/streams-wordcount/snapshot.json"
NOTHING = ("-c", "pass")
DAG_FILE = """
import runpy, sys, time
begin = time.process_time()
import pendulum
from airflow.sdk import Asset, CronTriggerTimetable, Param, dag, get_current_context, task
there = time.process_time()
runpy.run_path(sys.argv[1])
print(there - begin, time.process_time() - there)
"""


@dataclass(frozen=True)
class Start:
    """`dag_file`: it is one of those, and `ours` reads it."""

    what: str
    ours: tuple[str, ...]
    dag_file: bool = False


STARTS = {
    "help": Start("holdfast --help", (COMMAND, "--help")),
    "assign": Start("holdfast assign of the example", (COMMAND, "assign", SNAPSHOT)),
} | {
    path.stem: Start(f"dags/{path.name}, after Airflow", ("-c", DAG_FILE, str(path)), dag_file=True)
    for path in sorted((ROOT / "dags").glob("*.py"))
}


def measure(name: str) -> Iterator[dict[str, Any]]:
    start = STARTS[name]
    found = compared_pairs(pairs(start))
    yield {
        "shape": name,
        "what": start.what,
        "state": "",
        "baseline_s": found.baseline,
        "holdfast_s": found.holdfast + (found.baseline if start.dag_file else 0),
        "ratio": found.ratio,
        "equal": True,
    }


def pairs(start: Start, baseline: tuple[str, ...] = NOTHING, blocks: int = BLOCKS) -> list[tuple[float, float]]:
    """Seconds of the baseline and of what Holdfast starts, in turn. `baseline`: of a command."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT / "include")
    if start.dag_file:
        _both(start.ours, environment)  # compiles what is new
        return [_both(start.ours, environment) for _ in range(blocks)]
    for arguments in (baseline, start.ours):
        _seconds(arguments, environment)
    return [(_seconds(baseline, environment), _seconds(start.ours, environment)) for _ in range(blocks)]


def _both(arguments: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Airflow's classes, and the file after them."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, check=True, text=True)
    airflow, ours = done.stdout.split()[-2:]
    return float(airflow), float(ours)


def _seconds(arguments: tuple[str, ...], environment: dict[str, str]) -> float:
    """Processor time of a process with all that it starts."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def table_of(found: list[dict[str, Any]]) -> Table:
    table = Table("what", "baseline, s", "with ours, s", "more, ms", box=None)
    for one in found:
        more = (one["holdfast_s"] - one["baseline_s"]) * 1e3
        table.add_row(one["what"], f"{one['baseline_s']:.3f}", f"{one['holdfast_s']:.3f}", f"{more:,.0f}")
    return table


def main() -> int:
    given = report.arguments(__doc__, STARTS).parse_args()
    found = [row for name in given.shapes or STARTS for row in measure(name)]
    return report.tell(found, table_of(found), given, what="Starts; groups of Kafka")


if __name__ == "__main__":
    raise SystemExit(main())
