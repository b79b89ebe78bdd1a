"""What `bin/try` does once everything is installed: Airflow up, the recorded group planned, the plan shown, everything down.

Everything is in `.holdfast/airflow` of this checkout, made anew each time; the lake with the plans (`.holdfast/lake`) stays.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from try_airflow import HOME, LAKE, PATIENCE_S, ROOT, STATE, Airflow, Failed, end_all, end_everything, free_port, ours, tail

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import HoldfastError
from holdfast.rollout.json.strict import loads
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows import snapshots

EXAMPLE = ROOT / "examples" / "streams-wordcount"
DAG = "plan_rollout"

console = Console(stderr=True, highlight=False)


class Stopped(Exception):
    """Ctrl-C, or another signal that asks to end."""


@contextmanager
def step(doing: str) -> Iterator[None]:
    """Say what is being done, and how long it took."""
    began = time.monotonic()
    if console.is_terminal:
        with console.status(f"{doing} …"):
            yield
    else:
        console.print(f"  {doing} …")
        yield
    console.print(f"[green]✓[/] {doing} [dim]{time.monotonic() - began:.1f} s[/]")


@contextmanager
def only_one() -> Iterator[None]:
    """Hold this checkout's lock. Say so if another bin/try holds it, or if an earlier one did not end as it should."""
    STATE.mkdir(exist_ok=True)
    lock: TextIO = (STATE / "try.lock").open("a+", encoding="utf-8")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise Failed(f"Another bin/try of this checkout is running: {lock.read().strip() or 'it is just starting'}.") from None
        lock.seek(0)
        before = lock.read().strip()
        if left := ours():
            console.print(f"[yellow]![/] An earlier bin/try left {len(left)} processes running; stopping them.")
            end_all(5.0)
        if before:
            console.print(f"[yellow]![/] An earlier bin/try ({before}) did not stop cleanly; recreating its Airflow.")
        elif HOME.exists() and not (HOME / "airflow.db").exists():
            console.print(f"[yellow]![/] {HOME} is incomplete; recreating it.")
        note(lock, f"process {os.getpid()}, since {time.strftime('%H:%M:%S')}")
        try:
            yield
        finally:
            note(lock, "")


def note(lock: TextIO, text: str) -> None:
    lock.seek(0)
    lock.truncate()
    lock.write(text)
    lock.flush()


def bring_up(airflow: Airflow) -> None:
    with step("Making Airflow's database"):
        airflow.make_home()
        if airflow.start("db", "migrate").wait() != 0:
            raise Failed(f"Airflow could not create its database:\n{tail(HOME / 'db.log')}")
        airflow.processes.clear()
    with step("Starting Airflow"):
        airflow.start("api-server", "--apps", "core")
        airflow.start("api-server", "--apps", "execution", "--port", str(airflow.tasks_port), name="execution-api")
        airflow.start("dag-processor")
        airflow.start("scheduler", "--skip-serve-logs")
        airflow.log_in()


def record() -> dict[str, object]:
    """Put the recorded group into the lake. Return what plan_rollout's form asks for."""
    try:
        recorded = snapshot_from_json(loads((EXAMPLE / "snapshot.json").read_bytes()))
        change = loads((EXAMPLE / "change.json").read_bytes())
    except (OSError, HoldfastError) as problem:
        raise Failed(f"The recorded group in {EXAMPLE} is not complete: {problem}") from None
    # A plan may be applied for an hour after its snapshot: the recorded group is taken to be as it was, now.
    snapshot = replace(recorded, captured_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))
    snapshot_id = snapshots.keep(FsspecLake(str(LAKE)), snapshot)
    return {"cluster": snapshot.cluster, "group": snapshot.group_id, "change": change, "snapshot": snapshot_id}


def trigger(airflow: Airflow, conf: dict[str, object]) -> str:
    """Start plan_rollout as soon as Airflow knows it. Return the run's ID."""
    with step("Reading the DAGs"):
        airflow.wait_for(f"The DAG {DAG}", "GET", f"/api/v2/dags/{DAG}")
        broken = airflow.call("GET", "/api/v2/importErrors") or {"import_errors": []}
        if broken["import_errors"]:
            raise Failed("\n".join(f"{error['filename']}: {error['stack_trace']}" for error in broken["import_errors"]))
    airflow.call("PATCH", f"/api/v2/dags/{DAG}?update_mask=is_paused", {"is_paused": False})
    run = airflow.wait_for("The run", "POST", f"/api/v2/dags/{DAG}/dagRuns", {"logical_date": None, "conf": conf})
    return str(run["dag_run_id"])


DOING = {
    "snapshot": "Load the recorded snapshot",
    "search": "Forecast the options",
    "search_on_spark": "Forecast what takes longer on Spark",
    "assemble": "Write the plan",
}


def watch(airflow: Airflow, run: str) -> str:
    """Follow the run, airflow task by airflow task, until it asks for approval. Return the plan's ID."""
    path = f"/api/v2/dags/{DAG}/dagRuns/{run}"
    told: set[str] = set()
    deadline = time.monotonic() + PATIENCE_S
    with console.status("Waiting for the scheduler …") as status:
        while time.monotonic() < deadline:
            airflow.check_alive()
            tasks = (airflow.call("GET", f"{path}/taskInstances") or {"task_instances": []})["task_instances"]
            for task in tasks:
                name, state = task["task_id"], task["state"]
                if state == "running" and name in DOING:
                    status.update(f"{DOING[name]} …")
                if state == "success" and name in DOING and name not in told:
                    told.add(name)
                    console.print(f"[green]✓[/] {DOING[name]} [dim]{task['duration'] or 0:.1f} s[/]")
                attempt = f"{name} {task['try_number']}"
                if state == "up_for_retry" and attempt not in told:
                    told.add(attempt)
                    console.print(f"[yellow]![/] {name} failed; retrying: {why(airflow, path, name, task)}", markup=True)
                if state == "failed":
                    raise Failed(f"{name} failed: {why(airflow, path, name, task)}")
                if name == "approve" and state in {"awaiting_input", "skipped", "success"}:
                    return str(
                        airflow.wait_for("The plan's ID", "GET", f"{path}/taskInstances/assemble/xcomEntries/return_value")["value"]
                    )
            time.sleep(0.5)
    raise Failed(f"The plan was not ready within {PATIENCE_S} s. The logs are in {HOME / 'logs'}.")


def why(airflow: Airflow, path: str, name: str, task: dict[str, Any]) -> str:
    """The reason that an airflow task's log gives, or its last lines; where there is no log, where to look for one."""
    attempt = max(1, int(task.get("try_number") or 1))
    log = airflow.call("GET", f"{path}/taskInstances/{name}/logs/{attempt}") or {"content": []}
    lines, reasons = [], []
    for line in log.get("content") or ():
        if not isinstance(line, dict):
            lines.append(str(line))
            continue
        lines.append(str(line.get("event", line)))
        reasons += [f"{error['exc_type']}: {error['exc_value']}" for error in line.get("error_detail") or ()]
    said = reasons[-1:] or [line for line in lines[-30:] if line.strip() and not line.startswith("::")]
    return escape("\n".join(said)) or f"its log is empty. Airflow's own logs are in {HOME}"


def show(airflow: Airflow, run: str, plan_id: str, seconds: float) -> None:
    """Print the plan as text on standard output, and where to decide about it."""
    plan = LAKE / "plans" / plan_id / "plan.json"
    if subprocess.run([str(ROOT / ".venv" / "bin" / "holdfast"), "show", str(plan)], check=False).returncode != 0:
        raise Failed(f"holdfast show could not show {plan}.")
    review = f"{airflow.url}/holdfast/plans/{plan_id}"
    run_page = f"{airflow.url}/dags/{DAG}/runs/{run}"
    sys.stdout.flush()
    console.print(f"\nThe plan was ready after {seconds:.0f} s. It is in {plan.parent}.", soft_wrap=True)
    where = (("Review and decide:", review), ("Its run in Airflow:", run_page), ("User:", "admin"), ("Password:", airflow.password))
    for what, value in where:
        console.print(f"  [dim]{what:<22}[/]{value}", soft_wrap=True, markup=True)


def stay(airflow: Airflow) -> None:
    """Until a signal. The triggerer, which only the run of a whole plan needs, is started last so that the plan is there sooner."""
    airflow.start("triggerer", "--skip-serve-logs")
    console.print("Press Ctrl-C to stop.")
    while True:
        airflow.check_alive()
        time.sleep(1)


def stop(number: int, _frame: object) -> None:
    raise Stopped(signal.Signals(number).name)


def try_it(once: bool) -> int:
    began = time.monotonic()
    airflow = Airflow(free_port())
    shown = False
    try:
        with step("Putting the recorded group into the lake"):
            conf = record()
        bring_up(airflow)
        run = trigger(airflow, conf)
        plan_id = watch(airflow, run)
        show(airflow, run, plan_id, time.monotonic() - began)
        shown = True
        if not once:
            stay(airflow)
    except Stopped:
        return 0 if shown else 130
    finally:
        with step("Ending Airflow"):
            end_everything(airflow)
    return 0


def main(arguments: list[str]) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        with only_one():
            return try_it(once="--once" in arguments)
    except Failed as failure:
        console.print(f"[red]holdfast try:[/] {failure}", soft_wrap=True)
        return 1
    except Stopped:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
