"""What a process takes before it does its work: commands, and the files of the DAGs, in processor time.

    python -m benchmarks.start           all
    python -m benchmarks.start --json    for machines

The baseline of a command is `python -c pass`, that of a DAG file an interpreter that has imported Airflow's own classes: processes
of the same run, in turn.
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
from benchmarks.alternating import compared

ROOT = Path(__file__).resolve().parents[1]
BLOCKS = 5
COMMAND = str(Path(sys.executable).with_name("holdfast"))
SNAPSHOT = "examples/streams-wordcount/snapshot.json"
NOTHING = ("-c", "pass")
AIRFLOW = "import pendulum; from airflow.sdk import Asset, CronTriggerTimetable, Param, dag, get_current_context, task"


@dataclass(frozen=True)
class Start:
    what: str
    baseline: tuple[str, ...]
    ours: tuple[str, ...]


STARTS = {
    "help": Start("holdfast --help", NOTHING, (COMMAND, "--help")),
    "assign": Start("holdfast assign of the example", NOTHING, (COMMAND, "assign", SNAPSHOT)),
} | {
    path.stem: Start(
        f"dags/{path.name}, after Airflow",
        ("-c", AIRFLOW),
        ("-c", f"{AIRFLOW}; import runpy; runpy.run_path({str(path)!r})"),
    )
    for path in sorted((ROOT / "dags").glob("*.py"))
}


def measure(name: str) -> Iterator[dict[str, Any]]:
    start = STARTS[name]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT / "include")
    for arguments in (start.baseline, start.ours):
        _seconds(arguments, environment)
    found = compared(lambda: _seconds(start.baseline, environment), lambda: _seconds(start.ours, environment), BLOCKS)
    yield {
        "shape": name,
        "what": start.what,
        "state": "",
        "baseline_s": found.baseline,
        "holdfast_s": found.holdfast,
        "ratio": found.ratio,
        "equal": True,
    }


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
