"""From the form to the page of the plan: what a person waits for, in a real Airflow with its scheduler.

    python -m benchmarks.waiting                     every group
    python -m benchmarks.waiting clients-12 clients-120
    python -m benchmarks.waiting --runs 5 --json     for machines

The form of "Plan a rollout" is sent for the newest snapshot of a synthetic group, one client of which is replaced; the address
that answers is asked every 0.5 s, as the page does. `first option`: until the page shows how the first option was forecast;
`plan`: until it is the plan's page. Each is the middle of all runs but the first, with the least and the most; the first, in which
Airflow's workers warm up, is shown on its own. `search` is what the plan itself takes in one process, on this machine, in this run.

The second table has the parts of the middle run, by Airflow's own records and logs: `form` until the server answers; then for each
task `waits` until the scheduler has a process for it, `starts` (its imports, the DAG file), `works`; and `page` from the
last task's end until it is seen (0: the page was there before Airflow had ended the task).
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
from datetime import UTC, datetime
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
ASKED_EVERY_S = 0.5
USER = "bob"
TASKS = ("snapshot", "search", "search_on_spark", "assemble")
PARSED = "Worker startup parse complete"
"""Airflow's log says so when a task's process has read the DAG file."""


@dataclass(frozen=True)
class Shape:
    """A group with one thread a client."""

    name: str
    clients: int
    tasks: int


SHAPES = (Shape("clients-12", 12, 72), Shape("clients-50", 50, 400), Shape("clients-120", 120, 1_000))


@dataclass(frozen=True)
class Waited:
    """Seconds from sending. `first`: None where no progress was seen before the plan was there. `parts` add up to `plan`."""

    first: float | None
    plan: float
    parts: tuple[tuple[str, float], ...] = ()


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
    began, sent = time.monotonic(), datetime.now(UTC)
    answer = send(server, USER, filled | {"said": said, "do": "send"})
    if answer.status != 303:
        raise SystemExit(f"the form was refused: {answer.status}\n{answer.text[-3000:]}")
    answered, run = datetime.now(UTC), run_of(answer.headers["location"])
    followed = f"/holdfast/run?{urlencode({'dag': 'plan_rollout', 'run': run})}"
    first = None
    while (now := time.monotonic() - began) < PATIENCE_S:
        page = server.ask("GET", followed, USER)
        if page.status == 303:
            shown = server.ask("GET", page.headers["location"].removeprefix(server.below), USER)
            if shown.status == 200:
                seen = datetime.now(UTC)
                return Waited(first, time.monotonic() - began, parts(server, run, (sent, answered, seen)))
        if "Planning failed" in page.text:
            raise SystemExit(page.text)
        if first is None and '<li class="done">' in page.text:
            first = now
        time.sleep(ASKED_EVERY_S)
    raise SystemExit(f"no plan came within {PATIENCE_S} s")


def parts(server: Server, run: str, clock: tuple[datetime, datetime, datetime]) -> tuple[tuple[str, float], ...]:
    """Where the time went. `clock`: the form sent, answered, and the plan's page seen."""
    sent, now, seen = clock
    found = [("form", (now - sent).total_seconds())]
    path = f"/api/v2/dags/plan_rollout/dagRuns/{run}/taskInstances"
    server.wait("the end of the tasks", lambda: _is_over(server.rest("GET", path)))
    tasks = {one["task_id"]: one for one in server.rest("GET", path)["task_instances"]}
    for name in (one for one in TASKS if tasks[one]["start_date"] and tasks[one]["state"] != "skipped"):
        log = server.rest("GET", f"{path}/{name}/logs/1")["content"]
        parsed = next((one["timestamp"] for one in log if one.get("event") == PARSED), tasks[name]["start_date"])
        for what, until in (("waits", tasks[name]["start_date"]), ("starts", parsed), ("works", tasks[name]["end_date"])):
            moment = min(seen, max(now, datetime.fromisoformat(until)))
            found.append((f"{name} {what}", (moment - now).total_seconds()))
            now = moment
    return (*found, ("page", (seen - now).total_seconds()))


def _is_over(told: dict[str, Any]) -> bool | None:
    """Whether Airflow asks about the plan, so that all before that has ended."""
    states = {one["task_id"]: one["state"] for one in told["task_instances"]}
    return True if states["approve"] == "awaiting_input" else None


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
        "parts": dict(sorted(found[1:] or found, key=lambda one: one.plan)[len(found[1:]) // 2].parts),
    }  # fmt: skip


def _middle(seconds: list[float | None]) -> str:
    known = [one for one in seconds if one is not None]
    return f"{statistics.median(known):.1f} ({min(known):.1f} to {max(known):.1f})" if known else "not seen"


def parts_of(measured: dict[str, Any]) -> Table:
    """A line for the form, one for each task, one for the page; and the sums."""
    parts: dict[str, float] = measured["parts"]
    table = Table(measured["shape"], "waits, s", "starts, s", "works, s", box=None)
    of_tasks = [name for name in TASKS if f"{name} works" in parts]
    table.add_row("form", "", "", f"{parts['form']:.1f}")
    for name in of_tasks:
        table.add_row(name, *(f"{parts[f'{name} {what}']:.1f}" for what in ("waits", "starts", "works")))
    table.add_row("page", f"{parts['page']:.1f}", "", "")
    sums = (sum(parts[f"{name} {what}"] for name in of_tasks) for what in ("waits", "starts", "works"))
    table.add_row("all tasks", *(f"{one:.1f}" for one in sums))
    return table


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
    Console(width=132).print(table, *(parts_of(one) for one in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
