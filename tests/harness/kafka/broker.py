"""A real single-node Kafka broker (KRaft, from the published jars) on free ports of 127.0.0.1, with a folder of its own.

    with Broker(folder) as broker:
        KafkaAdminClient(bootstrap_servers=broker.bootstrap)

A second broker joins the cluster of a first one: `Broker(another_folder, joins=broker, node_id=2)`. More listeners, server
properties and SCRAM users may be given. With `listeners=("PLAINTEXT", "SASL_SSL")` (a listener is named as its security
protocol), `broker.address("SASL_SSL")` says where the second one is. `release="2.8.2"` is the oldest: KRaft began there.
"""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Self

import psutil
from tests.harness.kafka import class_data
from tests.harness.kafka.maven import SIMPLE_LOGGING, classpath, java_tool
from tests.harness.process import ProcessTrouble, TetheredProcess, free_ports

RELEASE = "4.3.1"
_CLUSTER_ID = "aG9sZGZhc3QtdGVzdHMtMQ"
_JVM = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Djava.awt.headless=true")
_LOGGING = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info",
    "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.coordinator.group=info",
    "-Dorg.slf4j.simpleLogger.log.kafka.coordinator.group=info",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
)
_READY = "Kafka Server started"
_PORT_TAKEN = "Address already in use"
_START_ATTEMPTS = 3
_STOPS_IN_S = 120
_ARCHIVES_IN_S = 300
"""A JVM that makes an archive at its end."""

SMALL: Mapping[str, str] = {
    "num.partitions": "1",
    "auto.create.topics.enable": "false",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "1000",
    "group.min.session.timeout.ms": "1000",
    "num.network.threads": "2",
    "num.io.threads": "4",
    "num.recovery.threads.per.data.dir": "1",
    "log.cleaner.threads": "1",
    "log.cleaner.dedupe.buffer.size": "4194304",
    "log.index.size.max.bytes": "1048576",
    "controlled.shutdown.enable": "false",
}
"""What makes one broker enough, and small. The caller's properties win."""


class Broker:
    """A broker while the context is open. Its log is `<folder>/broker.log`; on failure its end is in the message."""

    def __init__(
        self,
        folder: Path,
        *,
        listeners: tuple[str, ...] = ("PLAINTEXT",),
        properties: Mapping[str, str] | None = None,
        scram_users: Mapping[str, str] | None = None,
        rack: str | None = None,
        joins: "Broker | None" = None,
        node_id: int = 1,
        release: str = RELEASE,
        start_timeout_s: float = 600,
        host: str = "127.0.0.1",
        options: Sequence[str] | None = None,
    ) -> None:
        """`options`: of its JVM, in the place of an archive of loaded classes."""
        self.folder = folder
        self._host = host
        self._listeners = listeners
        self._properties = dict(properties or {}) | ({"broker.rack": rack} if rack else {})
        self._scram_users = dict(scram_users or {})
        self._joins = joins
        self._node_id = node_id
        self._release = release
        self._start_timeout_s = start_timeout_s
        self._options = options
        self._ports: dict[str, int] = {}
        self._process: TetheredProcess | None = None

    @property
    def bootstrap(self) -> str:
        """`host:port` of the first listener."""
        return self.address(self._listeners[0])

    def address(self, listener: str) -> str:
        return f"{self._host}:{self._ports[listener]}"

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Its process neither runs nor ends."""
        stopped = [each for each in psutil.Process().children(recursive=True) if str(self.folder) in _command_line(each)]
        assert stopped, "the broker is a child of this process"
        for each in stopped:
            each.suspend()
        _until_stopped(stopped)
        try:
            yield
        finally:
            for each in stopped:
                each.resume()

    def log_tail(self) -> str:
        return self._process.log_tail() if self._process else "The broker was not started."

    def start(self) -> None:
        """Format and start, on other ports if the first were taken meanwhile. Raise ProcessTrouble if it does not get ready."""
        for attempt in range(1, _START_ATTEMPTS + 1):
            try:
                self._start_once()
            except ProcessTrouble as trouble:
                self.stop()
                if _PORT_TAKEN not in str(trouble) or attempt == _START_ATTEMPTS:
                    raise
            else:
                return

    def crash(self) -> None:
        """Kill it; `start_again` brings it back."""
        assert self._process is not None
        self._process.kill()

    def start_again(self) -> None:
        """On what its disk has, at the same ports."""
        self._start_process(self.folder / "server.properties")

    def stop(self) -> None:
        """Idempotent. Returns when the process is gone."""
        if self._process:
            self._process.stop(_STOPS_IN_S if self._options is None else _ARCHIVES_IN_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_once(self) -> None:
        self._ports = dict(zip((*self._listeners, "CONTROLLER"), free_ports(len(self._listeners) + 1), strict=True))
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        properties = self.folder / "server.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self._server_properties().items()), encoding="utf-8")
        self._format(properties)
        self._start_process(properties)

    def _start_process(self, properties: Path) -> None:
        log = self.folder / "broker.log"
        log.unlink(missing_ok=True)
        self._process = TetheredProcess("the broker", [*java(self._release, self._options), "kafka.Kafka", str(properties)], log)
        self._process.wait_until(
            lambda: self._process is not None and self._process.logged(_READY), "started", self._start_timeout_s
        )

    def _format(self, properties: Path) -> None:
        archived = None if self._options is None else ()
        command = [*java(self._release, archived), "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", str(properties)]
        for user, password in self._scram_users.items():
            command += ["--add-scram", f"SCRAM-SHA-256=[name={user},password={password}]"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=self._start_timeout_s, check=False)
        if done.returncode:
            raise ProcessTrouble(f"The broker's storage could not be formatted:\n{done.stdout}{done.stderr}")

    def _server_properties(self) -> dict[str, str]:
        names = (*self._listeners, "CONTROLLER")
        first = self._joins or self
        protocols = [f"{name}:{'PLAINTEXT' if name == 'CONTROLLER' else name}" for name in names]
        own = {
            "process.roles": "broker,controller" if first is self else "broker",
            "node.id": str(self._node_id),
            "controller.quorum.voters": f"1@{first.address('CONTROLLER')}",
            "controller.listener.names": "CONTROLLER",
            "listeners": ",".join(f"{name}://{self.address(name)}" for name in (names if first is self else self._listeners)),
            "advertised.listeners": ",".join(f"{name}://{self.address(name)}" for name in self._listeners),
            "listener.security.protocol.map": ",".join(protocols),
            "inter.broker.listener.name": self._listeners[0],
            "log.dirs": str(self.folder / "data"),
        }
        return dict(SMALL) | own | self._properties


def java(release: str, options: Sequence[str] | None = None) -> list[str]:
    """The command of a JVM with this release. `options`: in the place of an archive of loaded classes."""
    jars = classpath(f"org.apache.kafka:kafka_2.13:{release}", SIMPLE_LOGGING)
    given = class_data.options(jars, partial(_load, release)) if options is None else options
    return [java_tool("java"), *_JVM, *_LOGGING, *given, "-cp", jars]


def _load(release: str, options: Sequence[str]) -> None:
    """Start a broker with these options, and end it."""
    with tempfile.TemporaryDirectory(prefix="holdfast-broker-") as folder, Broker(Path(folder), release=release, options=options):
        pass


def _until_stopped(processes: Sequence[psutil.Process]) -> None:
    """On a busy machine the thread that takes the signal waits for a core, and the others run on until it has one."""
    deadline = time.monotonic() + _STOPS_IN_S
    while any(each.status() != psutil.STATUS_STOPPED for each in processes):
        if time.monotonic() > deadline:
            raise ProcessTrouble(f"the broker's process did not stop within {_STOPS_IN_S} s")
        time.sleep(0.01)


def _command_line(process: psutil.Process) -> str:
    """Empty if the process has ended: another test's may be a zombie."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
