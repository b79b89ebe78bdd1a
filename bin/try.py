"""What `bin/try` does once everything is installed: Airflow up, the recorded group planned, the plan shown, everything down.

Airflow's components are started one by one, as `airflow standalone` does it, because that one also starts two log servers, which
listen on every interface of the machine. Everything is in `.holdfast/airflow` of this checkout, made anew each time; the lake with
the plans (`.holdfast/lake`) stays.
"""

import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import psutil
from rich.console import Console

from holdfast.adapters.lake import FsspecLake
from holdfast.errors import HoldfastError
from holdfast.rollout import codec
from holdfast.workflows import snapshots

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".holdfast"
HOME = STATE / "airflow"
LAKE = STATE / "lake"
EXAMPLE = ROOT / "examples" / "streams-wordcount"
DAG = "plan_rollout"
MARK = "HOLDFAST_TRY_HOME"
"""In the environment of every process that belongs to this checkout's Airflow, so that none can be overlooked."""
PATIENCE_S = 300
"""How long any one wait may take before it is given up. All of it takes well under 90 s on an idle machine."""

SPARK = {
    "spark-defaults.conf": ("spark.ui.enabled false", "spark.sql.shuffle.partitions 2", "spark.driver.memory 1g"),
    "log4j2.properties": (
        "rootLogger.level = warn",
        "rootLogger.appenderRef.stderr.ref = stderr",
        "appender.stderr.type = Console",
        "appender.stderr.name = stderr",
        "appender.stderr.target = SYSTEM_ERR",
        "appender.stderr.layout.type = PatternLayout",
        "appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n",
    ),
}
"""Spark's settings for one small job on this machine."""

console = Console(stderr=True, highlight=False)
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Failed(Exception):
    """Something the user can act on. Printed without a traceback."""


class Stopped(Exception):
    """Ctrl-C, or another signal that asks to end."""


# --- Telling what happens ----------------------------------------------------------------------------------------------


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


def tail(path: Path, lines: int = 25) -> str:
    if not path.exists():
        return "(no log)"
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


# --- Airflow -----------------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def settings(port: int) -> dict[str, str]:
    """The environment of our Airflow: nothing is taken from another Airflow that the user may have configured."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW_", "SPARK_", "PYTHONPATH"))}
    binaries = ROOT / ".venv" / "bin"
    return inherited | {
        MARK: str(HOME),
        "PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONUNBUFFERED": "1",
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
        "PYSPARK_PYTHON": str(binaries / "python"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": sysconfig.get_path("purelib") + "/pyspark",  # spark-submit's own search for it does not bear spaces
        "SPARK_CONF_DIR": str(HOME / "spark"),
        "AIRFLOW_HOME": str(HOME),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PARALLELISM": "4",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(HOME / "passwords.json"),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[2]"}),
        "AIRFLOW_VAR_HOLDFAST_LAKE": str(LAKE),
    }


class Airflow:
    """A running Airflow: its processes, and its REST interface."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.environment = settings(port)
        self.password = secrets.token_urlsafe(12)
        self.token = ""
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def make_home(self) -> None:
        """A new, empty home that only this user can read, with the password in it."""
        shutil.rmtree(HOME, ignore_errors=True)
        HOME.mkdir(parents=True, mode=0o700)
        passwords = HOME / "passwords.json"
        passwords.touch(mode=0o600, exist_ok=False)
        passwords.write_text(json.dumps({"admin": self.password}), encoding="utf-8")
        spark = HOME / "spark"
        spark.mkdir()
        for name, lines in SPARK.items():
            (spark / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start `airflow <command>` in a process group of its own, its output in a log file."""
        with (HOME / f"{command[0]}.log").open("ab") as log:
            process = subprocess.Popen(
                [str(ROOT / ".venv" / "bin" / "airflow"), *command],
                cwd=HOME,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes[command[0]] = process
        return process

    def check_alive(self) -> None:
        for name, process in self.processes.items():
            if process.poll() is not None:
                raise Failed(f"airflow {name} ended with status {process.returncode}:\n{tail(HOME / f'{name}.log')}")

    def call(self, method: str, path: str, body: object = None) -> Any:
        """One REST call. None while Airflow does not answer yet, or does not know the thing yet."""
        request = urllib.request.Request(self.url + path, method=method)  # noqa: S310 - our own address
        request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        data = None if body is None else json.dumps(body).encode()
        try:
            with _direct.open(request, data, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code in {404, 503}:
                return None
            raise Failed(f"Airflow refused {method} {path}: {refusal.code} {refusal.read(2000).decode(errors='replace')}") from None
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return None

    def wait_for(self, what: str, method: str, path: str, body: object = None) -> Any:
        """Ask again until there is an answer, for a bounded time, and only as long as every component lives."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.check_alive()
            if (answer := self.call(method, path, body)) is not None:
                return answer
            time.sleep(0.3)
        raise Failed(f"{what} did not appear within {PATIENCE_S} s. The logs are in {HOME}.")

    def log_in(self) -> None:
        credentials = {"username": "admin", "password": self.password}
        self.token = self.wait_for("Airflow's login", "POST", "/auth/token", credentials)["access_token"]


# --- Ending, whatever happened -----------------------------------------------------------------------------------------


def ours() -> list[psutil.Process]:
    """Every process of this checkout's Airflow, wherever it has been re-parented to."""
    return [process for process in psutil.process_iter() if process.pid != os.getpid() and is_ours(process)]


def is_ours(process: psutil.Process) -> bool:
    """Our mark is in its environment; or it overwrote that with its title, as Airflow's workers do, and runs in our home."""
    try:
        if process.environ().get(MARK) == str(HOME):
            return True
        titled = "".join(process.cmdline()[:1]).startswith("airflow ")
        return titled and process.cwd().removesuffix(" (deleted)") == str(HOME)
    except (psutil.Error, OSError):
        return False


def end(processes: list[psutil.Process], patience_s: float) -> list[psutil.Process]:
    """Ask these to end, then end them. What is still there afterwards is returned."""
    for ending, wait_s in (("terminate", patience_s), ("kill", 5.0)):
        for process in processes:
            try:
                getattr(process, ending)()
            except psutil.Error:
                continue
        _, processes = psutil.wait_procs(processes, timeout=wait_s)
    return processes


def end_everything(airflow: Airflow) -> None:
    """End the components, then whatever else carries our mark: tasks run in process groups of their own."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for process in airflow.processes.values():
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and any(process.poll() is None for process in airflow.processes.values()):
        time.sleep(0.1)
    left = ours()
    while left:  # ends: each round kills what it sees, and nothing of ours is left to start more
        left = end(left, 2.0) or ours()


# --- The story ---------------------------------------------------------------------------------------------------------


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
            console.print(f"[yellow]![/] An earlier bin/try left {len(left)} processes behind; ending them.")
            end(left, 5.0)
        if before:
            console.print(f"[yellow]![/] An earlier bin/try ({before}) did not end as it should; its Airflow is made anew.")
        elif HOME.exists() and not (HOME / "airflow.db").exists():
            console.print(f"[yellow]![/] {HOME} is half made; it is made anew.")
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
            raise Failed(f"Airflow could not make its database:\n{tail(HOME / 'db.log')}")
        airflow.processes.clear()
    with step("Starting Airflow"):
        airflow.start("api-server")
        airflow.start("dag-processor")
        airflow.start("scheduler", "--skip-serve-logs")
        airflow.log_in()


def record() -> dict[str, object]:
    """Put the recorded group into the lake. Return what plan_rollout's form asks for."""
    try:
        snapshot = codec.snapshot_from_json(codec.loads((EXAMPLE / "snapshot.json").read_bytes()))
        change = codec.loads((EXAMPLE / "change.json").read_bytes())
    except (OSError, HoldfastError) as problem:
        raise Failed(f"The recorded group in {EXAMPLE} is not complete: {problem}") from None
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
    "snapshot": "Taking the snapshot that was recorded",
    "package": "Packing Holdfast for Spark",
    "search": "Searching the ways to roll, with Spark",
    "assemble": "Writing the plan",
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
                if state in {"failed", "upstream_failed", "up_for_retry"} and name not in told:
                    raise Failed(f"{name} failed: {why(airflow, path, name, task['try_number'])}")
                if name == "approve" and state in {"awaiting_input", "skipped", "success"}:
                    return str(
                        airflow.wait_for("The plan's ID", "GET", f"{path}/taskInstances/assemble/xcomEntries/return_value")["value"]
                    )
            time.sleep(0.3)
    raise Failed(f"The plan was not there within {PATIENCE_S} s. The logs are in {HOME / 'logs'}.")


def why(airflow: Airflow, path: str, name: str, attempt: int) -> str:
    """The last lines of an airflow task's log."""
    log = airflow.call("GET", f"{path}/taskInstances/{name}/logs/{max(1, attempt)}") or {"content": []}
    lines: list[str] = []
    for line in log["content"]:
        lines.append(str(line.get("event", line)))
        lines += [f"  {error['exc_type']}: {error['exc_value']}" for error in line.get("error_detail") or ()]
    return "\n".join(line for line in lines[-30:] if not line.startswith("::"))


def show(airflow: Airflow, run: str, plan_id: str, seconds: float) -> None:
    """Print the plan as text on standard output, and where to approve it."""
    plan = LAKE / "plans" / plan_id / "plan.json"
    if subprocess.run([str(ROOT / ".venv" / "bin" / "holdfast"), "show", str(plan)], check=False).returncode != 0:
        raise Failed(f"holdfast show could not show {plan}.")
    page = f"{airflow.url}/dags/{DAG}/runs/{run}/tasks/approve/required_actions"
    sys.stdout.flush()
    console.print(f"\nThe plan was ready after {seconds:.0f} s. It is in {plan.parent}.", soft_wrap=True)
    for what, value in (("Approve or reject it:", page), ("User:", "admin"), ("Password:", airflow.password)):
        console.print(f"  [dim]{what:<22}[/]{value}", soft_wrap=True, markup=True)


def stay(airflow: Airflow) -> None:
    """Until a signal. The triggerer, which no DAG of ours needs, is started last so that the plan is there sooner."""
    airflow.start("triggerer", "--skip-serve-logs")
    console.print("Ctrl-C ends it.")
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
