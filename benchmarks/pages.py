"""The first load of each page after a start, and the second: a real api-server, started anew for each page.

    python -m benchmarks.pages                every page
    python -m benchmarks.pages plans group    some

Seconds that the reader waits, and seconds of the server's processor time. Only the server's own address for its version is asked
before, so that nothing of what a page needs has been met.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
from rich.console import Console
from rich.table import Table
from tests.harness.pages import web_lake
from tests.harness.pages.airflow_server import Server, serving

GROUP = urlencode({"cluster": "local", "group": "streams-wordcount"})
PAGES = {
    "plans": "/holdfast/plans",
    "plan": "/holdfast/plans/{waiting}",
    "consumers": "/holdfast/plans/{plain}",
    "largest": "/holdfast/plans/{largest}",
    "group": f"/holdfast/group?{GROUP}",
    "fleet": "/holdfast/fleet",
    "new": f"/holdfast/new?{GROUP}",
}
USER = "admin"


@dataclass(frozen=True)
class Load:
    """Seconds: as the reader waits, and of the server's processor time."""

    wall: float
    processor: float


def loaded(server: Server, path: str) -> Load:
    """One page. Raise SystemExit where it is none."""
    running = psutil.Process(server.components["api-server"].pid)
    processes = [running, *running.children(recursive=True)]
    before, began = _seconds_of(processes), time.monotonic()
    answer = server.ask("GET", path, USER)
    wall = time.monotonic() - began
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}")
    return Load(wall, _seconds_of(processes) - before)


def _seconds_of(processes: list[psutil.Process]) -> float:
    return sum(one.cpu_times().user + one.cpu_times().system for one in processes)


def measured(name: str, folder: Path, ids: dict[str, str]) -> dict[str, Any]:
    """`ids`: of the plans in the lake, by name."""
    with serving(folder / f"airflow-{name}", folder / "lake") as server:
        server.token(USER)
        path = PAGES[name].format(**ids)
        first, second = loaded(server, path), loaded(server, path)
    return {"page": name, "first_s": first.wall, "first_cpu_s": first.processor, "again_s": second.wall}


def main() -> int:
    """Print what was measured; the exit status is 0: nothing is compared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", choices=[*PAGES, []])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pages") as made:
        folder = Path(made)
        ids = {name: plan.plan_id for name, plan in web_lake.fill(folder / "lake").items()}
        found = [measured(name, folder, ids) for name in given.pages or PAGES]
    if given.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return 0
    table = Table("page", "first load, s", "of processor time", "again, s", box=None)
    for one in found:
        table.add_row(one["page"], f"{one['first_s']:.2f}", f"{one['first_cpu_s']:.2f}", f"{one['again_s']:.2f}")
    Console(width=132).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
