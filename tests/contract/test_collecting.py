"""Collecting from a real, secured cluster: what is in the Snapshot, what Kafka's own tools say, what lacking rights cost."""

import json
import logging
import subprocess
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from kafka import KafkaConsumer
from tests.contract.conftest import GROUP, INPUT, PARTITIONS, PLAIN_GROUP, PROCESS_ID, RELEASE, Cluster
from tests.harness.kafka.maven import SIMPLE_LOGGING, classpath, java_tool
from tests.harness.kafka.secured_broker import password

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.cli.main import holdfast
from holdfast.errors import ClusterTrouble, HoldfastError, Unsupported
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows.collecting.streams.settings import GroupSettings

DIFFERENT_WORDS = 32
CHANGELOG = f"{GROUP}-counts-store-changelog"


@pytest.fixture(scope="module")
def settled(live_cluster: Cluster) -> Snapshot:
    """A Snapshot of the settled group, its state directory read."""
    ends_at = time.monotonic() + 300
    before = None
    while True:
        found = live_cluster.snapshot(state_dirs=(f"file://{live_cluster.client.state_directory}",))
        running = [task for each in found.evidence for task in each.assigned.active or ()]
        counted = sum(task.end_offset_sum or 0 for task in found.tasks)
        if (
            found.group_state == "Stable"
            and len(running) == 2 * PARTITIONS
            and counted >= DIFFERENT_WORDS
            and found.tasks == before
        ):
            return found
        assert time.monotonic() < ends_at, f"the group did not settle: {found.unknown}"
        before = found.tasks
        time.sleep(1.5)  # more than the application's commit interval: what is counted is in the changelog by then


def said(snapshot: Snapshot, what: str) -> str:
    return " | ".join(each.reason for each in snapshot.unknown if each.what.startswith(what))


def kafka_tool(name: str, *arguments: str) -> list[list[str]]:
    """The words of each line that one of Kafka's own tools prints."""
    jars = classpath("org.apache.kafka:kafka-tools:4.3.1", SIMPLE_LOGGING)
    command = [java_tool("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", jars, f"org.apache.kafka.tools.{name}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.split() for line in done.stdout.splitlines() if line.strip()]


class TestASnapshotWithTheLeastRights:
    def test_holds_the_group_as_it_is(self, settled: Snapshot) -> None:
        assert (settled.cluster, settled.group_id, settled.protocol) == ("test", GROUP, "streams-classic")
        assert [str(client.process_id) for client in settled.clients] == [PROCESS_ID]
        assert len(settled.clients[0].consumers) == 2
        assert str(settled.leader_process_id) == PROCESS_ID
        assert [str(task.id) for task in settled.tasks] == [f"{sub}_{number}" for sub in (0, 1) for number in range(PARTITIONS)]
        assert [task.stateful for task in settled.tasks] == [False] * PARTITIONS + [True] * PARTITIONS
        assert {log.topic for task in settled.tasks for log in task.changelogs or ()} == {CHANGELOG}

    def test_says_that_running_stateful_tasks_would_be_reported_as_running(self, settled: Snapshot) -> None:
        sums = {str(task): total for consumer in settled.consumers() for task, total in consumer.task_offset_sums}
        assert sums == {f"1_{number}": -2 for number in range(PARTITIONS)}

    def test_reads_the_state_directory(self, settled: Snapshot) -> None:
        (directory,) = settled.state_directories
        assert str(directory.process_id) == PROCESS_ID
        assert {str(task.task_id) for task in directory.tasks if task.non_empty} == {f"1_{number}" for number in range(PARTITIONS)}
        assert "kafka-streams-process-metadata" in {file.path for file in directory.files}

    def test_is_the_same_after_being_written_and_read(self, settled: Snapshot) -> None:
        assert snapshot_from_json(loads(dumps(snapshot_to_json(settled)))) == settled

    def test_agrees_with_kafkas_own_tools(self, live_cluster: Cluster, settled: Snapshot) -> None:
        where = ("--bootstrap-server", live_cluster.broker.bootstrap)
        lines = kafka_tool("consumer.group.ConsumerGroupCommand", *where, "--describe", "--group", GROUP, "--members", "--verbose")
        shown = {words[1]: _partitions(words) for words in lines if words[0] == GROUP}
        assert shown == {consumer.member_id: {str(each) for each in consumer.owned} for consumer in settled.consumers()}

        offsets = kafka_tool("GetOffsetShell", *where, "--topic", CHANGELOG)
        ends = {line[0] for line in offsets}
        ours = {f"{log.topic}:{log.partition}:{log.end_offset}" for task in settled.tasks for log in task.changelogs or ()}
        assert ours == ends

    def test_knows_what_the_changelogs_weigh_as_kafkas_own_tool_does(self, live_cluster: Cluster, settled: Snapshot) -> None:
        words = kafka_tool(
            "LogDirsCommand", "--bootstrap-server", live_cluster.broker.bootstrap, "--describe", "--topic-list", CHANGELOG
        )
        answer = json.loads(" ".join(words[-1]))
        shown = {each["partition"]: each["size"] for each in answer["brokers"][0]["logDirs"][0]["partitions"]}
        (changelog,) = (topic for topic in settled.topics if topic.name == CHANGELOG)
        assert {f"{CHANGELOG}-{each.id}": each.log_bytes for each in changelog.partitions} == shown
        assert all(size > 0 for size in shown.values())
        assert [each.begin_offset for each in changelog.partitions] == [0] * PARTITIONS


def _partitions(words: list[str]) -> set[str]:
    """The partitions in a line of `ConsumerGroupCommand`, which prints an assignment as `topic:0,1;topic:2`."""
    assignment = next(word for word in words if f"{INPUT}:" in word or "-repartition:" in word)
    topics = (part.rpartition(":") for part in assignment.split(";"))
    return {f"{topic}-{number}" for topic, _, numbers in topics for number in numbers.split(",")}


class TestLackingRights:
    def test_what_could_not_be_read_is_said(self, live_cluster: Cluster) -> None:
        found = live_cluster.snapshot("limited")
        assert "__consumer_offsets" in said(found, "generations")
        assert found.leader_process_id is None
        assert said(found, "leader_process_id")
        assert said(found, "tasks")
        assert CHANGELOG not in {topic.name for topic in found.topics}

    def test_without_the_right_on_the_group_there_is_no_snapshot(self, live_cluster: Cluster) -> None:
        with pytest.raises(ClusterTrouble, match="DESCRIBE on the group"):
            live_cluster.snapshot("nobody")

    def test_a_group_of_another_kind_is_refused_by_name(self, live_cluster: Cluster) -> None:
        with pytest.raises(Unsupported, match="is a consumer group"):
            live_cluster.snapshot(group=PLAIN_GROUP)

    def test_a_wrong_password_and_a_wrong_certificate_are_said_at_once(self, live_cluster: Cluster) -> None:
        broker = live_cluster.broker
        wrong = ClusterConnection.of(broker.secured, broker.client_properties("reader", "wrong"))
        distrusting = broker.client_properties("reader")
        del distrusting["ssl.truststore.location"]
        for connection, what in (
            (wrong, "credentials were refused"),
            (ClusterConnection.of(broker.secured, distrusting), "certificate"),
        ):
            with pytest.raises(ClusterTrouble, match=what):
                _snapshot_of(connection)


class TestOtherGroups:
    def test_a_group_that_everybody_has_left_is_a_snapshot_that_says_so(self, live_cluster: Cluster) -> None:
        bootstrap = live_cluster.broker.bootstrap
        consumer = KafkaConsumer(INPUT, bootstrap_servers=bootstrap, group_id="left", auto_offset_reset="earliest")
        while not consumer.poll(timeout_ms=500):
            pass
        consumer.commit()
        consumer.close()
        found = _snapshot_of(ClusterConnection.of(bootstrap), "left")
        assert (found.group_state, found.clients, found.tasks) == ("Empty", (), ())
        assert "no member is running" in said(found, "clients")

    def test_a_rebalance_is_waited_for_and_then_said(self, live_cluster: Cluster) -> None:
        """Its second member joins and never answers: the first one's rejoin completes, and the coordinator waits for the other."""
        bootstrap = live_cluster.broker.bootstrap
        first = KafkaConsumer(INPUT, bootstrap_servers=bootstrap, group_id="slow", max_poll_interval_ms=600_000)
        while not first.assignment():
            first.poll(timeout_ms=500)
        stop = threading.Event()
        second = threading.Thread(target=_join, args=(bootstrap, "slow", stop))
        second.start()  # the rebalance waits for the first member, which polls no more
        try:
            _until_rebalancing(bootstrap, "slow")
            found = wiring.collect_snapshot(ClusterConnection.of(bootstrap), "slow", (), GroupSettings(), 15)
        finally:
            stop.set()
            first.close()
            second.join(60)
        assert found.group_state in ("PreparingRebalance", "CompletingRebalance")
        assert "in the middle of a rebalance" in said(found, "clients")


def _join(bootstrap: str, group: str, stop: threading.Event) -> None:
    consumer = KafkaConsumer(INPUT, bootstrap_servers=bootstrap, group_id=group)
    while not stop.is_set():
        consumer.poll(timeout_ms=200)
    consumer.close()


def _until_rebalancing(bootstrap: str, group: str) -> None:
    ends_at = time.monotonic() + 300
    with KafkaSession(ClusterConnection.of(bootstrap), Deadline(60)) as session:
        while KafkaCluster(session).group(group).state == "Stable":
            assert time.monotonic() < ends_at, "the second member never joined"
            time.sleep(0.1)


def _snapshot_of(connection: ClusterConnection, group: str = GROUP) -> Snapshot:
    return wiring.collect_snapshot(connection, group, (), GroupSettings(), 30)


class TestTheCommands:
    @pytest.fixture
    def config(self, live_cluster: Cluster, tmp_path: Path):
        def write(user: str) -> str:
            path = tmp_path / f"{user} with space.properties"
            lines = [f"{key}={value}" for key, value in live_cluster.broker.client_properties(user).items()]
            path.write_text("# as Kafka's own tools take it\n" + "\n".join(lines) + "\n", encoding="utf-8")
            return str(path)

        return write

    def run(self, cluster: Cluster, command: str, config: str, *more: str) -> Result:
        where = ["--bootstrap-server", cluster.broker.secured, "--command-config", config, "--group", GROUP]
        return CliRunner().invoke(holdfast, [command, *where, *more], standalone_mode=False)

    def test_snapshot_writes_a_whole_file(self, live_cluster: Cluster, settled: Snapshot, config, tmp_path: Path) -> None:
        output = tmp_path / "snapshot.json"
        done = self.run(live_cluster, "snapshot", config("reader"), "--kafka-release", RELEASE, "-o", str(output))
        assert done.exception is None, done.exception
        written = snapshot_from_json(loads(output.read_bytes()))
        assert written.tasks == settled.tasks
        assert [path.name for path in tmp_path.glob("*.json*")] == ["snapshot.json"]

    def test_snapshot_prints_json_and_nothing_else(self, live_cluster: Cluster, config) -> None:
        done = self.run(live_cluster, "snapshot", config("reader"))
        assert json.loads(done.stdout)["group_id"] == GROUP

    @pytest.mark.parametrize(
        ("user", "status", "lacking"),
        [
            ("reader", 0, {}),
            (
                "limited",
                0,
                {
                    "right: READ on __consumer_offsets (optional)": "limited",
                    f"right: DESCRIBE on the topics {GROUP}-* and the source topics": "limited",
                    "right: DESCRIBE on the cluster (optional)": "limited",
                },
            ),
            ("nobody", 1, {f"right: DESCRIBE on the group {GROUP}": "missing"}),
        ],
    )
    def test_doctor_names_the_rights_that_are_missing(self, live_cluster: Cluster, config, user, status, lacking) -> None:
        done = self.run(live_cluster, "doctor", config(user), "--json")
        checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
        assert done.return_value == status
        assert {name: checks[name]["status"] for name in lacking} == lacking
        assert all("--operation" in checks[name]["remedy"] for name in lacking)
        rights = {check["status"] for name, check in checks.items() if name.startswith("right")}
        assert rights == {"ok"} or user != "reader"

    def test_doctor_prints_a_table(self, live_cluster: Cluster, config) -> None:
        assert "__consumer_offsets" in self.run(live_cluster, "doctor", config("nobody")).stdout.replace("\n", "")

    @pytest.mark.parametrize("user", ["reader", "nobody"])
    def test_no_secret_shows_anywhere(self, live_cluster: Cluster, config, caplog: pytest.LogCaptureFixture, user: str) -> None:
        with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, logger="kafka"):
            taken = self.run(live_cluster, "snapshot", config(user))
            seen = self.run(live_cluster, "doctor", config(user))
        everything = [taken.output, seen.output, repr(taken.exception), repr(live_cluster.connection(user)), caplog.text]
        assert caplog.text
        assert not [text for text in everything if password(user) in text]
        assert user == "reader" or isinstance(taken.exception, HoldfastError)
