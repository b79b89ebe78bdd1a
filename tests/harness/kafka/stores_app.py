"""An application that keeps state in every kind of store (`java/stores`): one client, started and stopped on one disk.

Each start is a process with a log of its own, so that the awaited lines are those of this start.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.kafka.maven import compile_java, java_tool, kafka_streams
from tests.harness.process import TetheredProcess

SOURCES = Path(__file__).with_name("java") / "stores"
TOPICS = ("disk", "windows", "memory", "both", "table", "global")
RECORDS: Mapping[str, int] = {"disk": 20, "windows": 8, "memory": 6, "both": 4, "table": 10, "global": 5}
_JVM = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_LOGGING = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true")
_WINDOWS_APART_MS = 150_000  # so that the eight records of the windows fall into three segments of ten minutes
_DATA_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Kind:
    """Which Kafka Streams, and with which guarantee (Kafka's own name)."""

    release: str
    guarantee: str

    @property
    def application_id(self) -> str:
        return f"stores-{self.release}-{self.guarantee}"


class StoresClient:
    """One client of the application, on the disk `folder`. `settings` are put over its own."""

    def __init__(self, kind: Kind, name: str, bootstrap: str, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self._settings = dict(settings or {})
        self.application_id = f"{kind.application_id}-{name}"
        self._prefix = f"{self.application_id}."
        self._kind = kind
        self.bootstrap = bootstrap
        self._folder = folder
        self._starts = 0
        self._process: TetheredProcess | None = None

    @property
    def state_directory(self) -> Path:
        """`<state.dir>/<application.id>`."""
        return self._folder / "state" / self.application_id

    @property
    def pid(self) -> int:
        """The JVM's: a child of the process that holds it on a tether."""
        (child,) = psutil.Process(self._started.pid).children()
        return int(child.pid)

    def create_topics(self) -> None:
        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        try:
            admin.create_topics([NewTopic(self._prefix + name, num_partitions=1, replication_factor=1) for name in TOPICS])
        finally:
            admin.close()

    def start(self, release: str | None = None) -> None:
        """Start it, on this disk, with its own release or another (an upgrade)."""
        self._starts += 1
        (self._folder / "tmp").mkdir(parents=True, exist_ok=True)
        properties = self._folder / "streams.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self._properties().items()), encoding="utf-8")
        jars = kafka_streams(release or self._kind.release)
        command = [java_tool("java"), *_JVM, *_LOGGING, f"-Djava.io.tmpdir={self._folder / 'tmp'}"]
        command += ["-cp", f"{compile_java(SOURCES, jars)}:{jars}", "stores.AllStores", str(properties), self._prefix]
        log = self._folder / f"client-{self._starts}.log"
        self._process = TetheredProcess(f"{self.application_id}, start {self._starts}", command, log)

    def wait_running(self, timeout_s: float = 300) -> None:
        self._started.wait_until(lambda: self._started.logged("STATE RUNNING"), "running", timeout_s)

    def stop(self) -> None:
        """SIGTERM: it closes cleanly."""
        self._started.stop(timeout_s=120)

    def kill(self) -> None:
        """SIGKILL: nothing is written any more. May be called at any time, and again."""
        if self._process:
            self._process.kill()

    def stores(self) -> dict[int, tuple[str, ...]]:
        """The stores of each subtopology, by its number."""
        lines = [line.split() for line in self._started.log_text().splitlines() if line.startswith("SUBTOPOLOGY ")]
        return {int(words[1]): tuple(words[2].split(",")) for words in lines if len(words) == 3}

    def errors(self) -> tuple[str, ...]:
        """What the last start logged as errors."""
        return tuple(line for line in self._started.log_text().splitlines() if " ERROR " in line)

    def feed(self, times: int = 1) -> None:
        """Write the records for the `times`-th time, and return once the application has committed them."""
        now = int(time.time() * 1000)
        producer = KafkaProducer(bootstrap_servers=self.bootstrap)
        try:
            for topic, number in RECORDS.items():
                for each in range(number):
                    moment = now - (number - 1 - each) * _WINDOWS_APART_MS
                    producer.send(self._prefix + topic, key=b"k%d" % each, value=b"v", timestamp_ms=moment)
        finally:
            producer.close()
        consumer = KafkaConsumer(bootstrap_servers=self.bootstrap, group_id=self.application_id, enable_auto_commit=False)
        expected = {name: times * number for name, number in RECORDS.items() if name != "global"}
        deadline = time.monotonic() + _DATA_TIMEOUT_S
        try:
            while True:
                done = {name: consumer.committed(TopicPartition(self._prefix + name, 0)) or 0 for name in expected}
                if all(done[name] >= expected[name] for name in expected):  # exactly-once: markers count, too
                    return
                if time.monotonic() > deadline:
                    raise TimeoutError(f"committed {done} of {expected}\n{self._started.log_tail()}")
                time.sleep(0.3)
        finally:
            consumer.close()

    @property
    def _started(self) -> TetheredProcess:
        assert self._process is not None, "start() comes first"
        return self._process

    def _properties(self) -> dict[str, str]:
        return {
            "bootstrap.servers": self.bootstrap,
            "application.id": self.application_id,
            "state.dir": str(self._folder / "state"),
            "num.stream.threads": "1",
            "replication.factor": "1",
            "processing.guarantee": self._kind.guarantee,
            "topology.optimization": "all",
            "commit.interval.ms": "500",
            "session.timeout.ms": "15000",
            "heartbeat.interval.ms": "1000",
            "auto.offset.reset": "earliest",
            "default.key.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
            "default.value.serde": "org.apache.kafka.common.serialization.Serdes$StringSerde",
        } | self._settings
