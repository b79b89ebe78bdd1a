"""A group of real consumers (`java/plain`), each a process of its own that can be closed or killed."""

from collections.abc import Mapping
from pathlib import Path

from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.kafka.maven import compile_java, java_tool, kafka_streams
from tests.harness.process import TetheredProcess

SESSION_S = 20
"""A pause that a busy machine makes must not expel a consumer; a test waits this long where one is killed."""
SOURCES = Path(__file__).with_name("java") / "plain"
_JVM = ("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_LOGGING = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true")
_OF_BROKERS = ("session.timeout.ms", "heartbeat.interval.ms")
"""Which a consumer of the new protocol may not set."""
_CLASSES = {
    "range": "RangeAssignor",
    "roundrobin": "RoundRobinAssignor",
    "sticky": "StickyAssignor",
    "cooperative-sticky": "CooperativeStickyAssignor",
}


class PlainGroup:
    """The consumers of one group, by the names that the test gives them."""

    def __init__(self, release: str, group_id: str, bootstrap: str, topics: Mapping[str, int], folder: Path) -> None:
        self.release, self.group_id, self.bootstrap = release, group_id, bootstrap
        self._topics, self._folder = dict(topics), folder
        self._processes: dict[str, TetheredProcess] = {}
        self.settings = {
            "bootstrap.servers": bootstrap,
            "group.id": group_id,
            "session.timeout.ms": f"{SESSION_S * 1000}",
            "heartbeat.interval.ms": "300",
            "auto.offset.reset": "earliest",
            "key.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
            "value.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
        }

    def create_topics(self, records_each: int = 10) -> None:
        """The topics, each partition with the given number of records."""
        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        try:
            admin.create_topics([NewTopic(name, count, 1) for name, count in self._topics.items()])
        finally:
            admin.close()
        producer = KafkaProducer(bootstrap_servers=self.bootstrap)
        try:
            for name, count in self._topics.items():
                for number in range(count * records_each):
                    producer.send(name, b"x", partition=number % count)
        finally:
            producer.close()

    def start(self, name: str, assignors: tuple[str, ...], instance: str | None = None) -> None:
        """One more consumer, whose client ID is `name`. `assignors` empty: of the new protocol, whose broker assigns."""
        own = {"client.id": name} | (
            {"partition.assignment.strategy": ",".join(map(_class, assignors))} if assignors else {"group.protocol": "consumer"}
        )
        properties = self._folder / f"{name}.properties"
        properties.parent.mkdir(parents=True, exist_ok=True)
        theirs = self.settings if assignors else {key: value for key, value in self.settings.items() if key not in _OF_BROKERS}
        settings = theirs | own | ({"group.instance.id": instance} if instance else {})
        properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
        jars = kafka_streams(self.release)
        command = [java_tool("java"), *_JVM, *_LOGGING, "-cp", f"{compile_java(SOURCES, jars)}:{jars}", "plain.PlainConsumer"]
        command += [str(properties), ",".join(self._topics)]
        self._processes[name] = TetheredProcess(f"{self.group_id}/{name}", command, self._folder / f"{name}.log")

    def wait_until_assigned(self, name: str, timeout_s: float = 300) -> None:
        """Return once this start of it was handed something."""
        process = self._processes[name]
        process.wait_until(lambda: "ASSIGNED" in process.log_text().rpartition("CLOSED")[2], "assigned", timeout_s)

    def close(self, name: str) -> None:
        """SIGTERM: the consumer is closed, and says so to the group unless it is static."""
        self._processes.pop(name).stop(timeout_s=120)

    def kill(self, name: str) -> None:
        """SIGKILL: the group has to find out."""
        self._processes.pop(name).kill()

    def stop(self) -> None:
        """All of them, at once."""
        for process in self._processes.values():
            process.kill()
        self._processes.clear()

    def log_tails(self) -> str:
        return "\n".join(process.log_tail() for process in self._processes.values())


def _class(assignor: str) -> str:
    return f"org.apache.kafka.clients.consumer.{_CLASSES[assignor]}"
