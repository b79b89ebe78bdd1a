"""A real broker of 2.8.2, without the batches of 3.0: both kinds of groups, one and many; and a lake that may only be read."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from kafka.structs import OffsetAndMetadata
from tests.harness import no_rights
from tests.harness.kafka import simulated_groups
from tests.harness.kafka.broker import Broker

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.cli.main import holdfast
from holdfast.workflows.collecting.collect_many import About, Wanted
from holdfast.workflows.collecting.collector import StatedByOperator

pytestmark = pytest.mark.live
STREAMS = 3
PARTITIONS, RECORDS, READ = 4, 10, 7


@dataclass
class Old:
    broker: Broker
    streams: tuple[str, ...]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Old]:
    """Three Streams groups, and one consumer that has read seven of ten records of each partition."""
    with Broker(tmp_path_factory.mktemp("old"), release="2.8.2", properties=simulated_groups.PROPERTIES) as broker:
        groups = simulated_groups.example("demo", STREAMS)
        simulated_groups.create_topics(broker.bootstrap, groups, replication=1)
        simulated_groups.join(broker.bootstrap, groups)
        admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
        admin.create_topics([NewTopic("orders", PARTITIONS, 1)])
        admin.close()
        producer = KafkaProducer(bootstrap_servers=broker.bootstrap, enable_idempotence=False)  # KRaft of 2.8 has none
        for number in range(PARTITIONS * RECORDS):
            producer.send("orders", b"-", partition=number % PARTITIONS)
        producer.flush(60)
        producer.close()
        stays = {"session_timeout_ms": 600_000, "max_poll_interval_ms": 3_600_000}  # it polls no more
        consumer = KafkaConsumer("orders", group_id="plain", bootstrap_servers=broker.bootstrap, enable_auto_commit=False, **stays)
        while not consumer.assignment():
            consumer.poll(200)
        consumer.commit({TopicPartition("orders", at): OffsetAndMetadata(READ, "", -1) for at in range(PARTITIONS)})
        try:
            yield Old(broker, tuple(group.group_id for group in groups))
        finally:
            consumer.close()


def test_all_of_its_groups_are_collected(old: Old, tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path))
    connection = ClusterConnection.of(old.broker.bootstrap, name="old")

    report, _ = wiring.collect_many(connection, Wanted({"*": About(StatedByOperator("2.8.2", {}, {}))}), lake, "run", 60, print)

    assert (report.taken, report.unread, report.unlisted) == (STREAMS + 1, (), ())
    found = {one["group_id"]: one for path in tmp_path.rglob("group=*/*.json") if (one := json.loads(path.read_text()))}
    for name in old.streams:
        assert (found[name]["protocol"], found[name]["group_state"]) == ("streams-classic", "Stable")
        assert len(found[name]["tasks"]) == 2 * simulated_groups.PARTITIONS
        assert sum(len(client["consumers"]) for client in found[name]["clients"].values()) == 6
        ends = [end for task in found[name]["tasks"].values() for *_, end in task["changelogs"]]
        assert len(ends) == simulated_groups.PARTITIONS
        assert None not in ends, found[name]["unknown"]
    orders = found["plain"]["topics"]["orders"]["partitions"]
    assert found["plain"]["protocol"] == "consumer-classic"
    assert [(one["end_offset"], one["committed_offset"]) for one in orders] == [(RECORDS, READ)] * PARTITIONS


@pytest.mark.parametrize("which", ["streams", "plain"])
def test_one_of_its_groups_is_read(old: Old, which: str) -> None:
    group = old.streams[0] if which == "streams" else "plain"

    done = CliRunner().invoke(holdfast, ["snapshot", "--bootstrap-server", old.broker.bootstrap, "--group", group])

    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (document["group_id"], document["group_state"]) == (group, "Stable")


def test_a_lake_that_cannot_be_written_to_is_refused_at_once(old: Old, tmp_path: Path) -> None:
    """By whom Airflow does not ask again: see tests/dags/test_dag_files.py."""
    script = """
import sys
from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import NotAllowed
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.collecting.collect_many import About, Wanted
wanted = Wanted({"*": About(StatedByOperator("2.8.2", {}, {}))})
try:
    wiring.collect_many(ClusterConnection.of(sys.argv[1], name="old"), wanted, FsspecLake(sys.argv[2]), "run", 60, print)
except NotAllowed as refusal:
    sys.exit(f"NotAllowed: {refusal}")
"""
    with no_rights.read_only(tmp_path):
        done = no_rights.run(sys.executable, "-c", script, old.broker.bootstrap, str(tmp_path))

    assert done.returncode == 1
    assert f"cannot be written to the lake {tmp_path}" in done.stderr
    assert "NotAllowed" in done.stderr
    assert "read and write permission on the whole lake" in done.stderr
    assert list(tmp_path.iterdir()) == []
