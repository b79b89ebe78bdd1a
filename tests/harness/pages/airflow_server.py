"""A real api-server of Airflow with our plugin, its own database, and four kinds of people; spoken to over HTTP."""

import json
import os
import secrets
import signal
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

import psutil
from tests.harness.process import free_port

ROOT = Path(__file__).resolve().parents[3]
AIRFLOW = (str(ROOT / ".venv" / "bin" / "airflow"),)
"""The command, of this checkout's environment."""
PATIENCE_S = 300
USERS = {"vera": "viewer", "bob": "user", "olga": "op", "admin": "admin"}
APPROVERS = ("bob", "olga")
"""The only ones who may decide; others may trigger all the same."""
T = TypeVar("T")
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


_first_answer = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())


@dataclass(frozen=True)
class Answer:
    """The server's response, redirects not followed."""

    status: int
    text: str
    headers: Mapping[str, str]


@dataclass
class Server:
    """A running api-server."""

    url: str
    home: Path
    lake: Path
    environment: dict[str, str]
    airflow: tuple[str, ...] = AIRFLOW
    tokens: dict[str, str] = field(default_factory=dict)
    components: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    """What runs, by its name (`api-server`); each in a session of its own."""
    commands: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Whole ones, of components that are not called as Airflow calls them."""

    def start(self, name: str) -> None:
        """A component of Airflow; a second time once it has ended."""
        command = self.commands.get(name, [*self.airflow, *_COMMANDS.get(name, name).split()])
        with (self.home / "server.log").open("ab") as log:
            self.components[name] = subprocess.Popen(
                command, env=self.environment, stdout=log, stderr=log, cwd=self.home, start_new_session=True
            )

    @property
    def below(self) -> str:
        """The path of its address; empty at the root."""
        return urlsplit(self.url).path

    @property
    def origin(self) -> str:
        return self.url.removesuffix(self.below)

    def token(self, user: str) -> str:
        if user not in self.tokens:
            body = json.dumps({"username": user, "password": user}).encode()
            request = urllib.request.Request(f"{self.url}/auth/token", body, {"Content-Type": "application/json"})
            with _direct.open(request, timeout=PATIENCE_S) as answer:
                self.tokens[user] = json.load(answer)["access_token"]
        return self.tokens[user]

    def rest(self, method: str, path: str, body: object = None, user: str = "admin") -> Any:
        """One call of Airflow's REST interface."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token(user)}", "Content-Type": "application/json"}
        with _direct.open(urllib.request.Request(self.url + path, data, headers, method=method), timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def wait(self, what: str, ask: Callable[[], T | None]) -> T:
        """Ask again until there is an answer. Nothing is timed: a machine that is shared may be slow."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                if (found := ask()) is not None:
                    return found
            except urllib.error.HTTPError as refusal:
                if refusal.code not in (404, 503):
                    raise
            time.sleep(1)
        raise AssertionError(f"{what} did not come:\n{(self.home / 'server.log').read_text()[-4000:]}")

    def ask(
        self,
        method: str,
        path: str,
        user: str | None = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """As a browser would: the user's token in Airflow's cookie."""
        body = None if form is None else urlencode(form).encode()
        request = urllib.request.Request(self.url + path, body, {"Accept": "text/html", **(headers or {})}, method=method)
        if user is not None:
            request.add_header("Cookie", f"_token={self.token(user)}")
        try:
            with _first_answer.open(request, timeout=PATIENCE_S) as answer:
                return Answer(answer.status, answer.read().decode(), {key.lower(): value for key, value in answer.headers.items()})
        except urllib.error.HTTPError as refusal:
            found = {key.lower(): value for key, value in refusal.headers.items()}
            return Answer(refusal.code, refusal.read().decode(errors="replace"), found)


_PATIENT = {
    "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "300",
    "AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "600",
    "AIRFLOW__DAG_PROCESSOR__STALE_DAG_THRESHOLD": "600",
    "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "60",
    "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "300",
    "AIRFLOW__TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "300",
}
"""By default Airflow gives a task 5 s for each answer of the api-server, and a DAG file 30 s to be imported: a busy machine takes
longer, and then a task fails or a DAG is gone for a while."""


def environment(home: Path, lake: Path, url: str) -> dict[str, str]:
    """`url`: where Airflow is found, with the path below which it is, if any."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    include = ROOT / "include"
    own = {
        "PYTHONPATH": f"{include}:{ROOT}",
        "AIRFLOW_HOME": str(home),
        # SQLite waits 5 s for a lock by default, which a busy machine exceeds: then the server answers 500
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db?timeout={PATIENCE_S}",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in USERS.items()),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(home / "passwords.json"),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(urlsplit(url).port),
        "AIRFLOW__API__BASE_URL": url,
        "AIRFLOW__API__SECRET_KEY": secrets.token_hex(32),
        "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(64),
        "AIRFLOW__CORE__PARALLELISM": "3",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",  # no DAG file changes; every 30 s without this
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[1]"}),
        "PYSPARK_PYTHON": str(ROOT / ".venv" / "bin" / "python"),
        "SPARK_HOME": sysconfig.get_path("purelib") + "/pyspark",  # spark-submit's own search for it does not bear spaces
        "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW_VAR_HOLDFAST_LAKE": str(lake),
        "AIRFLOW_VAR_HOLDFAST_APPROVERS": json.dumps(APPROVERS),
    }
    return inherited | _PATIENT | own


def _apart(tasks_port: int) -> dict[str, list[str]]:
    """Two api-servers: one for people, one for tasks. In a single one a person's POST, which Airflow logs from the server's own
    loop, stops all answers while it waits for SQLite's lock; and a task's request that holds the lock waits for its answer."""
    return {
        "api-server": ["api-server", "--apps", "core"],
        "execution-api": ["api-server", "--apps", "execution", "--port", str(tasks_port)],
    }


_COMMANDS = {"scheduler": "scheduler --skip-serve-logs", "triggerer": "triggerer --skip-serve-logs"}


@contextmanager
def serving(
    home: Path,
    lake: Path,
    *,
    below: str = "",
    scheduling: bool = False,
    triggering: bool = False,
    more: Mapping[str, str] | None = None,
    airflow: tuple[str, ...] = AIRFLOW,
    others: Mapping[str, Sequence[str]] | None = None,
    port: int | None = None,
) -> Iterator[Server]:
    """A database and an api-server, and what runs DAGs if `scheduling`, with a triggerer if `triggering`; ended whatever happens.
    `below`: the path of Airflow's own address, as behind a proxy that many applications share. `more`: for the environment.
    `others`: the whole commands of further components, by their names. `port`: of what is before the API servers, all of which
    are in `others` then."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "passwords.json").write_text(json.dumps({name: name for name in USERS}))
    url = f"http://127.0.0.1:{port or free_port()}{below}"
    commands = dict(others or {})
    around: dict[str, str] = {}
    if scheduling and port is None:
        tasks_port = free_port()
        commands |= {name: [*airflow, *command] for name, command in _apart(tasks_port).items()}
        around["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"] = f"http://127.0.0.1:{tasks_port}{below}/execution/"
    server = Server(url, home, lake, environment(home, lake, url) | around | (more or {}), airflow, commands=commands)
    with (home / "server.log").open("wb") as log:
        subprocess.run([*airflow, "db", "migrate"], env=server.environment, stdout=log, stderr=log, check=True, cwd=home)
    try:
        for name in (
            *(("api-server",) if port is None and "api-server" not in commands else ()),
            *(("dag-processor", "scheduler") if scheduling else ()),
            *(("triggerer",) if triggering else ()),
            *commands,
        ):
            server.start(name)
        _wait_until_it_answers(server, server.components["api-server"])
        yield server
    finally:
        _end([*server.components.values()], home)


def _end(running: "list[subprocess.Popen[bytes]]", home: Path) -> None:
    """The components, and what they started in sessions of its own, such as Spark."""
    children = [child for process in running for child in _children(process.pid)]
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    for process in running:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    for child in children:
        with suppress(psutil.Error):
            child.kill()
    psutil.wait_procs(children, timeout=PATIENCE_S)  # on a busy machine the killed live on for a moment
    assert not [one for one in psutil.process_iter(["cwd"]) if (one.info["cwd"] or "").startswith(str(home))]


def _children(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def _wait_until_it_answers(server: Server, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, (server.home / "server.log").read_text()[-4000:]
        try:
            with _direct.open(f"{server.url}/api/v2/version", timeout=PATIENCE_S):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"Airflow did not answer:\n{(server.home / 'server.log').read_text()[-4000:]}")
