"""From the form to the page of the plan: what a person waits for, in a real Airflow with its scheduler.

    python -m benchmarks.waiting                     every group
    python -m benchmarks.waiting clients-12 clients-120
    python -m benchmarks.waiting --runs 5 --json     for machines

The form of "Plan a rollout" is sent for the newest snapshot of a synthetic group, one client of which is replaced; the address
that answers is asked every 0.2 s, as the page does. `first option`: until the page shows how the first option was forecast;
`plan`: until it is the plan's page. Each is the middle of all runs but the first, with the least and the most; the first, in which
Airflow's workers warm up, is shown on its own. `search` is what the plan itself takes in one process, on this machine, in this run.
"""

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from rich.console import Console
from rich.table import Table
from tests.harness.article import LAST, change, fleet
from tests.harness.pages.airflow_server import Server, serving
from tests.harness.pages.web_lake import WebLake, replacement
from tests.web.test_new import hidden, run_of, send

from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows import plan as plans
from holdfast.workflows import snapshots

PATIENCE_S = 3_600
ASKED_EVERY_S = 0.2
USER = "bob"


@dataclass(frozen=True)
class Shape:
    """A group with one thread a client."""

    name: str
    clients: int
    tasks: int


SHAPES = (Shape("clients-12", 12, 72), Shape("clients-50", 50, 400), Shape("clients-120", 120, 1_000))


@dataclass(frozen=True)
class Waited:
    """Seconds from the answer that was sent for. `first`: None where no progress was seen before the plan was there."""

    first: float | None
    plan: float


def group_of(shape: Shape) -> tuple[dict[str, Any], str]:
    """The group, and the process ID of the client that is replaced."""
    document, ids = fleet(shape.clients, shape.tasks, 7)
    return document | {"group_id": shape.name, "cluster": "local"}, ids[shape.clients // 3]


def waited(server: Server, snapshot: str, shape: Shape, host: str) -> Waited:
    """One form sent, and what comes of it."""
    asked = {"cluster": "local", "group": shape.name, "what": "replace a host"}
    filled = hidden(server.ask("GET", f"/holdfast/new?{urlencode(asked)}", USER).text)
    filled |= {"snapshot": snapshot, "more_hosts": host, "new_host": "replacement"}
    said = hidden(send(server, USER, filled | {"do": "check"}).text).get("said", "")
    began = time.monotonic()
    answer = send(server, USER, filled | {"said": said, "do": "send"})
    if answer.status != 303:
        raise SystemExit(f"the form was refused: {answer.status}\n{answer.text[-3000:]}")
    followed = f"/holdfast/run?{urlencode({'dag': 'plan_rollout', 'run': run_of(answer.headers['location'])})}"
    first = None
    while (now := time.monotonic() - began) < PATIENCE_S:
        page = server.ask("GET", followed, USER)
        if page.status == 303:
            shown = server.ask("GET", page.headers["location"].removeprefix(server.below), USER)
            if shown.status == 200:
                return Waited(first, time.monotonic() - began)
        if "Planning failed" in page.text:
            raise SystemExit(page.text)
        if first is None and '<ul class="forecasts"><li>' in page.text:
            first = now
        time.sleep(ASKED_EVERY_S)
    raise SystemExit(f"no plan came within {PATIENCE_S} s")


@contextlib.contextmanager
def airflow() -> Iterator[tuple[Server, WebLake]]:
    """With an empty lake."""
    with tempfile.TemporaryDirectory(prefix="waiting") as folder:
        lake = WebLake(Path(folder) / "lake")
        with serving(Path(folder) / "airflow", Path(folder) / "lake", scheduling=True) as server:
            server.wait("the DAG", lambda: server.rest("GET", "/api/v2/dags/plan_rollout"))
            server.rest("PATCH", "/api/v2/dags/plan_rollout?update_mask=is_paused", {"is_paused": False})
            yield server, lake


def measured(shape: Shape, server: Server, lake: WebLake, runs: int) -> dict[str, Any]:
    """Of one group: every run, and the search alone."""
    document, replaced = group_of(shape)
    host = document["clients"][replaced]["host"]
    found = []
    for _ in range(runs + 1):
        dated = WebLake(Path(lake.lake.url)).snapshot(document)
        snapshot = snapshot_from_json(dated)
        found.append(waited(server, snapshots.keep(lake.lake, snapshot), shape, host))
        sys.stderr.write(f"{shape.name}: {found[-1].plan:.1f} s\n")
    began = time.monotonic()
    plans.make(snapshot, change_from_json(change(replacement(replaced, LAST, "replacement", 1))), Policy(), lake.now)
    return {
        "shape": shape.name, "clients": shape.clients, "tasks": shape.tasks, "search_s": time.monotonic() - began,
        "first_run_s": found[0].plan, "plan_s": [one.plan for one in found[1:]], "first_option_s": [one.first for one in found[1:]],
    }  # fmt: skip


def _middle(seconds: list[float | None]) -> str:
    known = [one for one in seconds if one is not None]
    return f"{statistics.median(known):.1f} ({min(known):.1f} to {max(known):.1f})" if known else "not seen"


def main() -> int:
    """Print what was measured; the exit status is 0: nothing is compared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", choices=[*(one.name for one in SHAPES), []])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with airflow() as (server, lake):
        found = [measured(one, server, lake, given.runs) for one in SHAPES if not given.shapes or one.name in given.shapes]
    if given.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return 0
    table = Table("group", "search alone, s", "first option, s", "plan, s", "first run, s", box=None)
    for one in found:
        size = f"{one['clients']} clients, {one['tasks']:,} tasks"
        times = (_middle(one["first_option_s"]), _middle(one["plan_s"]), f"{one['first_run_s']:.1f}")
        table.add_row(size, f"{one['search_s']:.1f}", *times)
    Console(width=132).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
