"""An Airflow of this checkout's own: its settings, its components, its REST interface, and its end.

Its components are started one by one, as `airflow standalone` does it, because that one also starts two log servers, which listen
on every interface of the machine.
"""

import contextlib
import json
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".holdfast"
HOME = STATE / "airflow"
LAKE = STATE / "lake"
MARK = "HOLDFAST_TRY_HOME"
"""In the environment of every process that belongs to this checkout's Airflow, so that none can be overlooked."""
PATIENCE_S = 300
"""How long any one wait may take before it is given up. All of it takes well under 90 s on an idle machine."""
SPARK = {
    "spark-defaults.conf": (
        "spark.ui.enabled false",
        "spark.sql.codegen.wholeStage false",  # to compile a query costs more than to run it over a few rows
        "spark.sql.codegen.factoryMode NO_CODEGEN",
        "spark.driver.memory 1g",
        "spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a short life is not worth much compiling
    ),
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

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Failed(Exception):
    """Something the user can act on. Printed without a traceback."""


def tail(path: Path, lines: int = 25) -> str:
    if not path.exists():
        return "(no log)"
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def free_port() -> int:
    """Below the ports that systems give to connections: one of those may be taken again before Airflow listens on it."""
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def settings(port: int, tasks_port: int) -> dict[str, str]:
    """The environment of our Airflow: nothing is taken from another Airflow that the user may have configured.

    `port`: where people find it. `tasks_port`: where tasks do, in an api-server of their own. In a single one a person's POST stops
    all answers while it waits for SQLite's lock, and a task's request that holds the lock waits for its answer."""
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
        # SQLite waits 5 s for a lock by default, which a busy machine exceeds
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{HOME}/airflow.db?timeout=60",
        # Nor does a busy machine answer a task within 5 s, or import a DAG file within 30: a task failed then, or a DAG was gone
        "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "60",
        "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "300",
        "AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "600",
        "AIRFLOW__DAG_PROCESSOR__STALE_DAG_THRESHOLD": "600",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PARALLELISM": "4",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(HOME / "passwords.json"),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{tasks_port}/execution/",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",  # what has not changed: every 30 s without this
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[1]"}),
        "AIRFLOW_VAR_HOLDFAST_LAKE": str(LAKE),
    }


class Airflow:
    """A running Airflow: its processes, and its REST interface."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.tasks_port = free_port()
        self.environment = settings(port, self.tasks_port)
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

    def start(self, *command: str, name: str = "") -> subprocess.Popen[bytes]:
        """Start `airflow <command>` in a process group of its own, its output in a log file. `name`: by default the first word."""
        name = name or command[0]
        with (HOME / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [str(ROOT / ".venv" / "bin" / "airflow"), *command],
                cwd=HOME,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes[name] = process
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
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline and any(process.poll() is None for process in airflow.processes.values()):
        time.sleep(0.1)
    end_all(1.0)
    for process in airflow.processes.values():
        process.wait()


def end_all(patience_s: float) -> None:
    """Nothing of this checkout's Airflow is left afterwards. It ends: each round kills what it sees, and the dead start no more."""
    left = ours()
    while left:
        left = end(left, patience_s) or ours()
