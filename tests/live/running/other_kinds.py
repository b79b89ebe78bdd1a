"""Clients of groups of other kinds on machines: consumers, of both protocols, and Streams clients whose broker assigns; and what
such a group is moved through."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.kafka.maven import compile_java, java_tool, kafka_streams
from tests.harness.kafka.plain_app import SOURCES
from tests.harness.kafka.streams_app import Application, StreamsClient
from tests.harness.process import TetheredProcess
from tests.live.running.machines import Machine

Event = dict[str, object]
PARTITIONS = 12
CONSUMER_SESSION_S = 20
"""Long enough for a process to start again on a busy machine."""
ASSIGNOR = "cooperative-sticky"
_JVM = ("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_DESERIALIZER = "org.apache.kafka.common.serialization.ByteArrayDeserializer"
BY_BROKER = "4.3.1"
"""The release of groups whose broker assigns."""


class Client(Protocol):
    """A process that is loaded, and later let go."""

    def load(self) -> None: ...

    def wait_loaded(self, timeout_s: float = 120) -> None: ...

    def go(self) -> None: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...


class Consumer:
    """A consumer on a machine: its process starts when it is let go. It leaves its group when it is stopped."""

    def __init__(self, release: str, folder: Path, settings: Mapping[str, str], topic: str, inside: Sequence[str]) -> None:
        self._release, self._folder, self._settings = release, folder, settings
        self._topic, self._inside = topic, inside
        self._process: TetheredProcess | None = None

    def load(self) -> None:
        self._folder.mkdir(parents=True)

    def wait_loaded(self, timeout_s: float = 120) -> None:
        """It is."""

    def go(self) -> None:
        properties = self._folder / "consumer.properties"
        properties.write_text("".join(f"{key}={value}\n" for key, value in self._settings.items()), encoding="utf-8")
        jars = kafka_streams(self._release)
        command = [*self._inside, java_tool("java"), *_JVM, "-cp", f"{compile_java(SOURCES, jars)}:{jars}", "plain.PlainConsumer"]
        command += [str(properties), self._topic]
        self._process = TetheredProcess(f"consumer {self._folder.name}", command, self._folder / "log")

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop(timeout_s=30)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()


class Consumers:
    """A consumer group, one member on each of the first machines. They are static, so that restarts cause no rebalance; the restart
    of a dynamic one is in `tests/live/test_plain_groups.py`."""

    group_id, topic = "billing", "orders"
    exclude: tuple[str, ...] = ()
    reads_disks = False

    def __init__(self, release: str, bootstrap: str, folder: Path) -> None:
        self.release, self.bootstrap, self.folder = release, bootstrap, folder
        self.ever: list[Client] = []
        self.settings = {
            "bootstrap.servers": bootstrap,
            "group.id": self.group_id,
            "client.id": self.group_id,
            "session.timeout.ms": f"{CONSUMER_SESSION_S * 1000}",
            "heartbeat.interval.ms": "500",
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
            "key.deserializer": _DESERIALIZER,
            "value.deserializer": _DESERIALIZER,
        }

    def about(self, folder: Path) -> list[str]:
        """What `holdfast snapshot` is given about the application."""
        properties = folder / "application.properties"
        given = self.settings | {"partition.assignment.strategy": ASSIGNOR}
        properties.write_text("".join(f"{key}={value}\n" for key, value in given.items()), encoding="utf-8")
        return ["--kafka-release", self.release, "--app-config", str(properties)]

    def prepare(self) -> None:
        """The topic, with records."""
        _filled(self.bootstrap, self.topic)

    def on(self, machine: Machine, _process_id: str | None = None) -> Client:
        folder = self.folder / f"client-{len(self.ever) + 1}-{machine.address}"
        found = Consumer(self.release, folder, self.settings_on(machine), self.topic, machine.inside)
        self.ever.append(found)
        found.load()
        return found

    def settings_on(self, machine: Machine) -> Mapping[str, str]:
        return self.settings | {"group.instance.id": _instance(machine.address)}

    def restart(self, member: str, number: int) -> Event:
        return {"restart_consumer": {"member_id": member, "new_member_id": f"new-{number}", "within_session": True}}

    def replacement(self, member: str, host: str) -> list[Event]:
        """A static one does not leave: its session times out."""
        new = {"member_id": "new", "assignors": [ASSIGNOR], "subscription": [self.topic], "host": host}
        comes = {"add_consumer": new | {"group_instance_id": _instance(host), "client_id": self.group_id}}
        return [{"remove_consumer": {"member_id": member}}, {"then": "stable"}, comes]


class ConsumersByBroker(Consumers):
    """A consumer group whose broker assigns, one member on each of the first machines. They are dynamic: each start makes a new
    member, which is given partitions anew."""

    exclude = ("within-interval", "make-static", "other-assignor")
    """Of these a person has steps."""

    def __init__(self, release: str, bootstrap: str, folder: Path) -> None:
        super().__init__(release, bootstrap, folder)
        of_classic = ("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy")
        self.settings = {key: value for key, value in self.settings.items() if key not in of_classic}
        self.settings["group.protocol"] = "consumer"

    def about(self, _folder: Path) -> list[str]:
        return []

    def settings_on(self, machine: Machine) -> Mapping[str, str]:
        return self.settings | {"client.id": f"{self.group_id}-{machine.address}"}

    def restart(self, member: str, _number: int) -> Event:
        return {"restart_consumer": {"member_id": member}}

    def replacement(self, member: str, host: str) -> list[Event]:
        comes = {"member_id": None, "subscription": [self.topic], "host": host, "client_id": f"{self.group_id}-{host}"}
        return [{"remove_consumer": {"member_id": member}}, {"then": "stable"}, {"add_consumer": comes}]


class ByBroker:
    """Streams clients of a group whose broker assigns, one on each of the first machines."""

    group_id, topic = "streams-by-broker", "streams-by-broker-input"
    exclude: tuple[str, ...] = (
        "within-interval",
        "within-interval-from-the-first",
        "standbys-first",
        "other-order",
        "static-members",
    )
    """What has steps that must happen within the assignment interval is a person's."""
    reads_disks = False

    def __init__(self, release: str, bootstrap: str, folder: Path) -> None:
        assert release == BY_BROKER, f"groups whose broker assigns: {BY_BROKER}, found {release}"
        self.release, self.bootstrap, self.folder = release, bootstrap, folder
        self.application = Application(release, self.group_id, bootstrap, self.topic, {"group.protocol": "streams"})
        self.ever: list[Client] = []

    def about(self, _folder: Path) -> list[str]:
        return []

    def prepare(self) -> None:
        _filled(self.bootstrap, self.topic)

    def on(self, machine: Machine, _process_id: str | None = None) -> Client:
        folder = self.folder / f"client-{len(self.ever) + 1}-{machine.address}"
        found = StreamsClient(
            self.application,
            folder,
            threads=1,
            process_id=None,
            disk=machine.disk,
            inside=machine.inside,
            own_disk=machine.own_disk,
        )
        self.ever.append(found)
        found.load()
        return found

    def restart(self, member: str, _number: int) -> Event:
        return {"restart_client": {"process_id": member}}

    def replacement(self, member: str, host: str) -> list[Event]:
        """`replace_client` must happen within the assignment interval, so that it is a person's."""
        return [
            {"remove_client": {"process_id": member}},
            {"then": "stable"},
            {"add_client": {"process_id": None, "threads": 1, "host": host}},
        ]


def _instance(address: str) -> str:
    return f"i-{address}"


KINDS: dict[str, type[Consumers] | type[ByBroker]] = {
    "consumer": Consumers,
    "consumer-by-broker": ConsumersByBroker,
    "by-broker": ByBroker,
}


def _filled(bootstrap: str, topic: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])
    admin.close()
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for number in range(PARTITIONS * 5):
        producer.send(topic, f"word{number}".encode(), partition=number % PARTITIONS)
    producer.flush()
    producer.close()
