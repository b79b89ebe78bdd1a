"""One cluster for the tests of collecting: TLS, SCRAM, ACLs, a Streams application and a consumer group.

It ends with the last test of this folder, so that what comes after has the processor for itself.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from kafka import KafkaConsumer, KafkaProducer
from kafka.admin import ACLOperation, KafkaAdminClient, NewTopic, ResourceType
from tests.harness.kafka.secured_broker import SecuredBroker
from tests.harness.kafka.streams_app import Application, StreamsClient
from tests.harness.s3 import servers
from tests.harness.s3.servers import S3Server

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows.collecting.streams.settings import GroupSettings

RELEASE = "3.9.1"
GROUP = "wordcount"
PLAIN_GROUP = "plain"
INPUT = "words-in"
PROCESS_ID = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
PARTITIONS = 3


@dataclass
class Cluster:
    """`reader` has the least rights that collecting needs; `limited` lacks the optional ones and changelogs; `nobody` has none."""

    broker: SecuredBroker
    client: StreamsClient
    ends: dict[int, int] = field(default_factory=dict)

    def connection(self, user: str) -> ClusterConnection:
        return ClusterConnection.of(self.broker.secured, self.broker.client_properties(user), "test")

    def snapshot(self, user: str = "reader", **more: object) -> Snapshot:
        given = {"group": GROUP, "state_dirs": (), "settings": GroupSettings(kafka_release=RELEASE), "timeout_s": 60.0} | more
        return wiring.collect_snapshot(self.connection(user), **given)


@pytest.fixture(scope="package")
def live_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder: Path = tmp_path_factory.mktemp("cluster with spaces")
    with SecuredBroker(folder / "broker", users=("reader", "limited", "nobody")) as broker:
        _fill(broker)
        _grant(broker)
        application = Application(RELEASE, GROUP, broker.bootstrap, INPUT)
        stop = threading.Event()
        plain = threading.Thread(target=_consume, args=(broker.bootstrap, stop))
        plain.start()
        try:
            with StreamsClient(application, folder / "client", threads=2, process_id=PROCESS_ID) as client:
                client.go()
                client.wait_running()
                yield Cluster(broker, client)
        finally:
            stop.set()
            plain.join(30)


def _fill(broker: SecuredBroker) -> None:
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    admin.create_topics([NewTopic(INPUT, PARTITIONS, 1), NewTopic("plain-in", 1, 1), NewTopic("secret", 1, 1)])
    admin.close()
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap)
    for number in range(30):
        producer.send(INPUT, f"word{number} and again".encode(), partition=number % PARTITIONS)
        producer.send("plain-in", b"x")
    producer.flush()
    producer.close()


def _grant(broker: SecuredBroker) -> None:
    for user in ("reader", "limited"):
        for group in (GROUP, PLAIN_GROUP, "nobody-home"):
            broker.grant(user, ACLOperation.DESCRIBE, ResourceType.GROUP, group)
        for topic in (INPUT, "plain-in", f"{GROUP}-counts-store-repartition"):
            broker.grant(user, ACLOperation.DESCRIBE, ResourceType.TOPIC, topic)
    broker.grant("reader", ACLOperation.DESCRIBE, ResourceType.TOPIC, f"{GROUP}-", prefixed=True)
    broker.grant("reader", ACLOperation.READ, ResourceType.TOPIC, "__consumer_offsets")
    broker.grant("reader", ACLOperation.DESCRIBE, ResourceType.CLUSTER, "kafka-cluster")


def _consume(bootstrap: str, stop: threading.Event) -> None:
    consumer = KafkaConsumer("plain-in", bootstrap_servers=bootstrap, group_id=PLAIN_GROUP, auto_offset_reset="earliest")
    while not stop.is_set():
        if consumer.poll(timeout_ms=200):
            consumer.commit()
    consumer.close()


@pytest.fixture(scope="package")
def s3proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with servers.s3proxy(tmp_path_factory.mktemp("s3proxy")) as server:
        yield server


@pytest.fixture(scope="package")
def s3mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with servers.s3mock(tmp_path_factory.mktemp("s3mock")) as server:
        yield server
