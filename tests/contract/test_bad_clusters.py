"""Addresses where no broker is, or one that does not answer: a clear message, exit status 1, in time, and no traceback."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka.protocol.admin import DescribeLogDirsRequest
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.echoing_broker import echoing_broker
from tests.harness.planted import Planted

from holdfast.adapters.broker.brokers import Brokers
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.errors import ClusterTrouble


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        taken: list[socket.socket] = []
        thread = threading.Thread(target=_take, args=(server, taken), daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        for each in taken:
            each.close()


def _take(server: socket.socket, taken: list[socket.socket]) -> None:
    while True:
        try:
            taken.append(server.accept()[0])
        except OSError:
            return


@pytest.fixture
def nobody() -> Iterator[str]:
    """It is bound, so that no other server gets it, and does not listen."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"


def holdfast(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, typed. It must end by itself."""
    command = [sys.executable, "-m", "holdfast.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2, done.stderr
    return done.stderr


def test_nobody_listens(nobody: str, tmp_path: Path) -> None:
    output = tmp_path / "snapshot.json"
    said = refused(holdfast("snapshot", "--bootstrap-server", nobody, "--group", "wc", "-o", str(output)))
    assert nobody in said
    assert "refused" in said
    assert not output.exists()


def test_a_host_that_does_not_exist() -> None:
    said = refused(holdfast("snapshot", "--bootstrap-server", "no-such-host.invalid:9092", "--group", "wc", "--timeout", "20"))
    assert "no-such-host.invalid:9092" in said


def test_a_broker_that_never_answers(silent: str) -> None:
    said = refused(holdfast("snapshot", "--bootstrap-server", silent, "--group", "wc", "--timeout", "3"))
    assert "did not answer as a Kafka broker within 3 s" in said


def test_a_broker_that_repeats_the_password(tmp_path: Path) -> None:
    planted = Planted()
    login = "org.apache.kafka.common.security.plain.PlainLoginModule"
    properties = tmp_path / "client.properties"
    properties.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
        f'sasl.jaas.config={login} required username="u" password="{planted("password")}";\n'
    )
    with echoing_broker() as broker:
        server = f"127.0.0.1:{broker.server_address[1]}"
        done = holdfast("snapshot", "--bootstrap-server", server, "--group", "wc", "--command-config", str(properties))
    assert broker.asked
    assert "the credentials were refused" in done.stderr
    assert "Traceback" not in done.stderr
    assert planted.labels_in((done.stdout + done.stderr).encode()) == set()


def test_the_doctor_says_it_too(silent: str) -> None:
    done = holdfast("doctor", "--bootstrap-server", silent, "--group", "wc", "--timeout", "3")
    assert done.returncode == 1
    assert "missing" in done.stdout
    assert "Java" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--group", "wc"), "--bootstrap-server"),
        (("--bootstrap-server", "nonsense", "--group", "wc"), "HOST:PORT"),
        (("--bootstrap-server", "127.0.0.1:1"), "--group"),
        (("--bootstrap-server", "127.0.0.1:1", "--group", "wc", "--command-config", "/no/such"), "/no/such"),
        (("--bootstrap-server", "127.0.0.1:1", "--group", "wc", "--app-config", "/no/such"), "/no/such"),
        (("--bootstrap-server", "127.0.0.1:1", "--group", "wc", "--kafka-release", "0.9"), "0.9"),
        (("--bootstrap-server", "127.0.0.1:1", "--group", "wc", "--set", "max.warmup.replicas=0"), "max.warmup.replicas"),
        (("--bootstrap-server", "127.0.0.1:1", "--group", "wc", "--set", "nonsense"), "KEY=VALUE"),
        (("--bootstrap-server", "127.0.0.1:1", "--group", "wc", "--timeout", "-1"), "--timeout"),
    ],
)
def test_wrong_options_are_said_before_anything_is_asked(arguments: tuple[str, ...], said: str) -> None:
    done = holdfast("snapshot", *arguments)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broker_that_stops_answering_in_between(tmp_path: Path) -> None:
    with Broker(tmp_path / "broker") as broker, KafkaSession(ClusterConnection.of(broker.bootstrap), Deadline(20)) as session:
        reader = KafkaCluster(session)
        assert reader.info().cluster_id
        with broker.frozen(), pytest.raises(ClusterTrouble, match="no answer within 20 s"):
            reader.group("wc")


def test_a_broker_that_does_not_answer_does_not_hold_up_the_others(tmp_path: Path) -> None:
    with Broker(tmp_path / "broker") as broker, KafkaSession(ClusterConnection.of(broker.bootstrap), Deadline(300)) as session:
        requests = {1: DescribeLogDirsRequest(topics=None), 99: DescribeLogDirsRequest(topics=None)}
        brokers = Brokers(session)
        answers, problems = brokers.ask_all("reading log sizes", requests, 10)
        assert (list(answers), list(problems)) == ([1], [99])
        with broker.frozen():
            answers, problems = brokers.ask_all("reading log sizes", requests, 2)
        assert answers == {}
        assert problems[1] == "broker 1 did not answer within 2 s"
        assert not session.deadline.passed()
