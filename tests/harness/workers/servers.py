"""The servers that an Airflow of several workers needs, on free ports of 127.0.0.1. Each can be killed, and started again."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
from tests.harness.process import ProcessTrouble, TetheredProcess, free_port, free_ports

STARTS_IN_S = 120.0
NEEDED = {"postgres": "postgresql", "setpriv": "util-linux", "unshare": "util-linux"}
"""Programs that are in packages of another name."""
_LOGIN = "airflow"


class Server:
    """A server that can be killed (`kill -9`), and started again on what its disk has."""

    def __init__(
        self, name: str, command: list[str], folder: Path, ready: Callable[[], bool], env: Mapping[str, str] | None = None
    ) -> None:
        self.name, self._command, self._folder, self._ready, self._env = name, command, folder, ready, env
        self._process: TetheredProcess | None = None
        self.start()

    def start(self) -> None:
        self._process = TetheredProcess(self.name, self._command, self._folder / f"{self.name}.log", self._env)
        self._process.wait_until(self._ready, "ready", STARTS_IN_S)

    def kill(self) -> None:
        """It and its children at once."""
        assert self._process is not None
        for one in psutil.Process(self._process.pid).children(recursive=True):
            _kill(one)
        self._process.kill()

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop(30)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
        process.wait(30)
    except psutil.Error:
        pass


def program(name: str) -> str:
    """Its path. Debian has PostgreSQL's in a folder of each version."""
    places = [shutil.which(name), *sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))[-1:]]
    found = next((str(one) for one in places if one), None)
    if found is None:
        raise SystemExit(f"{name} is missing: apt-get install {NEEDED.get(name, name)}")
    return found


@contextmanager
def postgresql(folder: Path) -> Iterator[tuple[Server, str]]:
    """With an empty database, and its address without the driver. It refuses root: then its user is `nobody`."""
    initdb, postgres = (str(Path(program("postgres")).resolve().with_name(name)) for name in ("initdb", "postgres"))
    folder.mkdir(parents=True)
    data, port = folder / "data", free_port()
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = [program("setpriv"), "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        data.mkdir()
        shutil.chown(data, "nobody", "nogroup")
        for parent in (folder, *folder.parents):
            if parent.stat().st_mode & 0o001 == 0:
                parent.chmod(parent.stat().st_mode | 0o011)
    made = subprocess.run(
        [*as_user, initdb, "-D", str(data), "-U", _LOGIN, "--auth=trust", "--encoding=UTF8"],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    if made.returncode:
        raise ProcessTrouble(f"initdb: {made.stdout}{made.stderr}")
    command = [*as_user, postgres, "-D", str(data), "-p", str(port), "-k", "", "-h", "127.0.0.1", "-c", "max_connections=300"]
    database = f"{_LOGIN}@127.0.0.1:{port}/postgres"

    def ready() -> bool:
        asked = [str(Path(postgres).with_name("pg_isready")), "-h", "127.0.0.1", "-p", str(port)]
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0

    server = Server("postgresql", command, folder, ready)
    try:
        yield server, database
    finally:
        server.stop()


@contextmanager
def redis(folder: Path) -> Iterator[tuple[Server, str]]:
    """Each command is on disk before it is answered. With Celery's address of it."""
    folder.mkdir(parents=True)
    port = free_port()
    kept = ["--appendonly", "yes", "--appendfsync", "always", "--dir", str(folder), "--save", ""]
    command = [program("redis-server"), "--port", str(port), "--bind", "127.0.0.1", *kept]

    def ready() -> bool:
        asked = [program("redis-cli"), "-p", str(port), "ping"]
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() == "PONG"

    server = Server("redis", command, folder, ready)
    try:
        yield server, f"redis://127.0.0.1:{port}/0"
    finally:
        server.stop()


@contextmanager
def rabbitmq(folder: Path) -> Iterator[tuple[Server, str]]:
    """A node of its own, with an epmd of its own. With Celery's address of it."""
    folder.mkdir(parents=True)
    port, names, distribution = free_ports(3)
    environment = {
        **os.environ,
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"holdfast{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        "ERL_EPMD_PORT": str(names),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    (folder / "plugins").write_text("[].\n")
    home = Path(program("rabbitmq-server")).resolve()
    scripts = sorted(Path("/usr/lib/rabbitmq/lib").glob("*/sbin")) or [home.parent]  # the one on the path becomes another user

    def ready() -> bool:
        asked = [str(scripts[-1] / "rabbitmq-diagnostics"), "-q", "check_port_listener", str(port)]
        return subprocess.run(asked, capture_output=True, check=False, env=environment).returncode == 0

    server = Server("rabbitmq", [str(scripts[-1] / "rabbitmq-server")], folder, ready, environment)
    try:
        yield server, f"amqp://guest:guest@127.0.0.1:{port}//"
    finally:
        server.kill()
        _end_epmd(names)


def _end_epmd(port: int) -> None:
    """Erlang's name server outlives the node that started it."""
    for one in psutil.process_iter(["name", "environ"]):
        if one.info["name"] == "epmd" and (one.info["environ"] or {}).get("ERL_EPMD_PORT") == str(port):
            _kill(one)


BALANCED = """
defaults
  mode tcp
  retries 3
  option redispatch
  timeout connect 2s
  timeout client 10m
  timeout server 10m
frontend all
  bind 127.0.0.1:{port}
  default_backend each
backend each
  balance roundrobin
  default-server check inter 500ms
"""


@contextmanager
def load_balancer(folder: Path, port: int, behind: Sequence[int]) -> Iterator[Server]:
    """Connections to `port` go to the ports `behind` it by turns, where something listens there."""
    folder.mkdir(parents=True)
    lines = [f"  server at-{one} 127.0.0.1:{one}\n" for one in behind]
    (folder / "haproxy.cfg").write_text(BALANCED.format(port=port) + "".join(lines))
    command = [program("haproxy"), "-db", "-f", str(folder / "haproxy.cfg")]

    def ready() -> bool:
        with socket.socket() as here:
            return here.connect_ex(("127.0.0.1", port)) == 0

    server = Server("haproxy", command, folder, ready)
    try:
        yield server
    finally:
        server.stop()


BROKERS = {"redis": redis, "rabbitmq": rabbitmq}
