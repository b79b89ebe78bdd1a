"""Our own Streams word count (`java/wordcount`) as a process: one client of a group, of any Kafka release, on a disk of its own.

A client is loaded (the JVM is up), then let go (it is made and joins), so that a test decides when it joins, and not the JVM.
"""

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

from tests.harness.kafka import class_data
from tests.harness.kafka.maven import compile_java, java_tool, kafka_streams
from tests.harness.process import TetheredProcess

_JAVA = Path(__file__).with_name("java")
PROCESS_METADATA = "kafka-streams-process-metadata"
STORE = "counts-store"
_JVM = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_LOGGING = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.streams.processor.internals.StreamsPartitionAssignor=info",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
)
SESSION_TIMEOUT_S = 45
"""After which the group takes a client that just ended for gone; Kafka's default. A busy machine may stop a client for
ten seconds, and a newcomer has taken 13 to join after the client that it replaces began to close."""
_CLOSES_IN_S = 120
_ARCHIVES_IN_S = 300
"""A JVM that makes an archive at its end."""
_TRIES_S = 5
_LOADED = "LOADED"
_RUNNING = "STATE RUNNING"


@dataclass(frozen=True, slots=True)
class Program:
    """What a client runs. `arguments` come between those that every one has: the properties file, and the file to wait for."""

    sources: tuple[Path, ...]
    main: str
    arguments: tuple[str, ...]


def drawn_program(parts: str) -> Program:
    """The application that builds its topology from JSON (`java/drawn`)."""
    return Program((_JAVA / "drawn", _JAVA / "launcher"), "drawn.Drawn", (parts,))


@dataclass(frozen=True, slots=True)
class Application:
    """What all clients of one group share."""

    release: str
    application_id: str
    bootstrap: str
    input_topic: str
    settings: Mapping[str, str] = field(default_factory=dict)
    """Kafka's own property names; put over the small settings below."""
    program: Program | None = None
    """None: the word count."""

    @property
    def runs(self) -> Program:
        return self.program or Program((_JAVA / "wordcount", _JAVA / "launcher"), "wordcount.WordCount", (self.input_topic, STORE))

    @property
    def repartition_topic(self) -> str:
        return f"{self.application_id}-{STORE}-repartition"

    @property
    def changelog_topic(self) -> str:
        return f"{self.application_id}-{STORE}-changelog"


class StreamsClient:
    """One client. `process_id` is pinned through Kafka's own file before the start; None: what the disk has, or a fresh one.

    `disk`: the folder of a client whose state directory it takes over. `instance`: the `group.instance.id` of a static member.
    `inside`: what its command begins with, and `own_disk`: where it finds its disk there. `options`: of its JVM, in the place of an
    archive of loaded classes.
    """

    def __init__(
        self,
        application: Application,
        folder: Path,
        *,
        threads: int,
        process_id: str | None,
        disk: Path | None = None,
        instance: str | None = None,
        inside: Sequence[str] = (),
        own_disk: Path | None = None,
        options: Sequence[str] | None = None,
    ) -> None:
        self.application = application
        self.folder = folder
        self.threads = threads
        self.process_id = process_id
        self.disk = disk or folder
        self._inside = inside
        self._options = options
        self._own_disk = own_disk or self.disk
        self.instance = instance
        self._process: TetheredProcess | None = None

    @property
    def state_directory(self) -> Path:
        """`<state.dir>/<application.id>`, as a state-directory URL names it."""
        return self.disk / "state" / self.application.application_id

    @property
    def log(self) -> Path:
        return self.folder / "client.log"

    @property
    def pid(self) -> int:
        """Of the process whose children are the client's."""
        return self._started.pid

    def load(self) -> None:
        """Start the JVM; the client is made when `go` is called."""
        assert self._process is None, "a client is started once"
        (self.folder / "tmp").mkdir(parents=True, exist_ok=True)
        self._pin_process_id()
        properties = self.folder / "streams.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self._properties().items()), encoding="utf-8")
        jars = kafka_streams(self.application.release)
        program = self.application.runs
        path = f"{class_data.jar_of(compile_java(program.sources, jars))}:{jars}"
        load = partial(_load, self.application.release, program)
        given = class_data.options(path, load) if self._options is None else self._options
        command = [*self._inside, java_tool("java"), *_JVM, *_LOGGING, *given, f"-Djava.io.tmpdir={self.folder / 'tmp'}"]
        command += ["-cp", path, program.main, str(properties), *program.arguments, str(self._go)]
        self._process = TetheredProcess(f"Streams {self.application.release} client {self.folder.name}", command, self.log)

    def wait_loaded(self, timeout_s: float = 300) -> None:
        self._started.wait_until(lambda: self._started.logged(_LOADED), "loaded", timeout_s)

    def go(self) -> None:
        """Let the loaded client join its group."""
        self.wait_loaded()
        self._go.touch()

    def wait_running(self, timeout_s: float = 300) -> None:
        """Return once the client has been RUNNING. Raise ProcessTrouble with its log otherwise."""
        self._started.wait_until(lambda: self._started.logged(_RUNNING), "running", timeout_s)

    def stop(self) -> None:
        """SIGTERM: the client closes cleanly, and (as Streams does) does not leave its group."""
        if self._process:
            self._process.stop(timeout_s=_CLOSES_IN_S if self._options is None else _ARCHIVES_IN_S)

    def kill(self) -> None:
        """SIGKILL: nothing is written any more."""
        if self._process:
            self._process.kill()

    def add_threads(self, count: int) -> None:
        """`KafkaStreams#addStreamThread`, the given number of times."""
        next_to_it = self._go.with_name(f"{self._go.name}.new")
        next_to_it.write_text(str(count), encoding="utf-8")
        next_to_it.rename(self._go.with_name(f"{self._go.name}.threads"))
        self.threads += count

    def log_tail(self) -> str:
        return self._process.log_tail() if self._process else f"{self.folder.name} was not started."

    def __enter__(self) -> Self:
        self.load()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _started(self) -> TetheredProcess:
        assert self._process is not None, "load() comes first"
        return self._process

    @property
    def _go(self) -> Path:
        return self.folder / "go"

    def _pin_process_id(self) -> None:
        if self.process_id is None:
            return
        self.state_directory.mkdir(parents=True, exist_ok=True)
        (self.state_directory / PROCESS_METADATA).write_text(
            json.dumps({"processId": self.process_id}, separators=(",", ":")), encoding="utf-8"
        )

    def _properties(self) -> dict[str, str]:
        small = {
            "bootstrap.servers": self.application.bootstrap,
            "application.id": self.application.application_id,
            "state.dir": str(self._own_disk / "state"),
            "num.stream.threads": str(self.threads),
            "replication.factor": "1",
            "commit.interval.ms": "1000",
            "session.timeout.ms": str(SESSION_TIMEOUT_S * 1000),
            "heartbeat.interval.ms": "2000",
            "auto.offset.reset": "earliest",
        }
        static = {} if self.instance is None else {"group.instance.id": self.instance}
        return small | static | dict(self.application.settings)


def _load(release: str, program: Program, options: Sequence[str]) -> None:
    """A client with these options that finds no broker for a while: what it has loaded then is most of what it ever loads."""
    nobody = Application(release, "nobody", "127.0.0.1:1", "nothing", program=program)
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-client-") as folder,
        StreamsClient(nobody, Path(folder), threads=1, process_id=None, options=options) as client,
    ):
        client.go()
        time.sleep(_TRIES_S)
