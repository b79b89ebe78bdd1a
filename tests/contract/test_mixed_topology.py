"""An application with every kind of subtopology, all of one size: whose is which changelog?"""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient, NewTopic
from tests.contract.conftest import RELEASE, Cluster
from tests.harness.kafka.maven import compile_java, java_tool, kafka_streams
from tests.harness.process import TetheredProcess

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.errors import ClusterTrouble
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows.collecting.streams.settings import GroupSettings

APPLICATION = "mixed-app"
SOURCES = ("mixed-in", "mixed-table", "mixed-through", "mixed-keyed")
OWNERS = {
    0: {f"{APPLICATION}-direct-changelog"},
    1: {"mixed-table"},
    2: set(),
    3: set(),
    4: {f"{APPLICATION}-again-changelog"},
}


@pytest.fixture(scope="module")
def disk(live_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state directory of the running application."""
    bootstrap = live_cluster.broker.bootstrap
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.create_topics([NewTopic(topic, 2, 1) for topic in (*SOURCES, "mixed-out")])
    admin.close()
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for number in range(20):
        for topic in SOURCES:
            producer.send(topic, key=b"k%d" % number, value=b"v%d" % number, partition=number % 2)
    producer.flush()
    producer.close()
    folder = tmp_path_factory.mktemp("mixed")
    jars = kafka_streams(RELEASE)
    classes = compile_java(Path(__file__).parent / "java" / "mixed", jars)
    command = [java_tool("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", f"{classes}:{jars}", "mixed.Mixed"]
    with TetheredProcess("the mixed application", [*command, bootstrap, APPLICATION, str(folder)], folder / "log"):
        yield folder / APPLICATION


def taken(cluster: Cluster, *state_dirs: str, changelogs: tuple[tuple[int, str], ...] = ()) -> Snapshot:
    where = ClusterConnection.of(cluster.broker.bootstrap)
    settings = GroupSettings(kafka_release=RELEASE, changelogs=changelogs)
    return wiring.collect_snapshot(where, APPLICATION, state_dirs, settings, 60)


def owners(snapshot: Snapshot) -> dict[int, set[str] | None]:
    return {
        task.id.subtopology: None if task.changelogs is None else {log.topic for log in task.changelogs} for task in snapshot.tasks
    }


@pytest.fixture(scope="module")
def first(live_cluster: Cluster, disk: Path) -> Snapshot:
    """The group as soon as all tasks are handed out."""
    ends_at = time.monotonic() + 300
    while True:
        with contextlib.suppress(ClusterTrouble):  # it has not joined yet
            found = taken(live_cluster)
            if len([task for each in found.evidence for task in each.assigned.active or ()]) == 2 * len(OWNERS):
                return found
        assert time.monotonic() < ends_at, "the application did not get its tasks"
        time.sleep(0.5)


def test_what_is_said_without_its_disk_is_true_and_the_rest_is_not_guessed(first: Snapshot) -> None:
    """How much can be inferred depends on what its member happened to report in its first generations."""
    reasons = {each.what: each.reason for each in first.unknown}
    for subtopology, topics in owners(first).items():
        if topics is None:
            assert "--changelog" in reasons[f"tasks.{subtopology}_*.changelogs"]
        else:
            assert topics == OWNERS[subtopology]


def test_its_disk_tells(live_cluster: Cluster, first: Snapshot, disk: Path) -> None:
    found = _until_restored(live_cluster, disk)
    assert owners(found) == OWNERS
    assert not [each for each in found.unknown if each.what.startswith("tasks.")]


def test_the_operator_can_tell(live_cluster: Cluster, first: Snapshot) -> None:
    told = tuple((subtopology, topic) for subtopology, topics in OWNERS.items() for topic in topics)
    assert owners(taken(live_cluster, changelogs=told)) == OWNERS


def _until_restored(cluster: Cluster, disk: Path) -> Snapshot:
    """A snapshot with the checkpoint files that 3.9 writes at the end of each restoration."""
    ends_at = time.monotonic() + 300
    while True:
        found = taken(cluster, str(disk))
        written = [task for task in found.state_directories[0].tasks if task.checkpoint]
        if len(written) == 6:
            return found
        assert time.monotonic() < ends_at, f"checkpoint files of {written} only"
        time.sleep(0.5)
