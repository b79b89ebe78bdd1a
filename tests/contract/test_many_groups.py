"""Sixty groups on three real brokers, one of which stops answering: what is with it is named, the others land, and later it too."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.harness.kafka import simulated_groups
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.simulated_groups import SimulatedGroup

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import HoldfastError
from holdfast.kafka.wire.group_metadata import partition_for
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.tables.collection_report import CollectionReport
from holdfast.workflows import snapshots
from holdfast.workflows.collecting.collect_many import About, Wanted
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.collecting.streams import settings

pytestmark = pytest.mark.live
OFFSET_PARTITIONS = 6
GROUPS, WITH_TOPICS = 60, 3
RELEASE = "3.9.1"
PROPERTIES = {"offsets.topic.num.partitions": str(OFFSET_PARTITIONS)} | simulated_groups.PROPERTIES


@dataclass
class Cluster:
    """Its third broker is no controller, and may be stopped."""

    brokers: tuple[Broker, Broker, Broker]
    groups: tuple[SimulatedGroup, ...]

    @property
    def connection(self) -> ClusterConnection:
        return ClusterConnection.of(self.brokers[0].bootstrap, name="three")

    def collect(self, lake: FsspecLake, run: str, wanted: dict[str, About] | None = None) -> CollectionReport:
        about = wanted or {"demo-*": About(StatedByOperator(RELEASE, {}, {}))}
        return wiring.collect_many(self.connection, Wanted(about), lake, run, 120, print, pauses_s=(1.0,))[0]

    def homes(self) -> dict[str, int]:
        """Each group's coordinator."""
        with KafkaSession(self.connection, Deadline(30)) as session:
            reader = KafkaCluster(session)
            topic = reader.topics(("__consumer_offsets",))[0][0]
            leaders = {each.id: each.leader or 0 for each in topic.partitions}
            return {group.group_id: leaders[partition_for(group.group_id, OFFSET_PARTITIONS)] for group in self.groups}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("three brokers")
    with Broker(folder / "1", properties=PROPERTIES) as first, ExitStack() as others:
        second, third = (Broker(folder / str(number), properties=PROPERTIES, joins=first, node_id=number) for number in (2, 3))
        with ThreadPoolExecutor() as side_by_side:
            list(side_by_side.map(others.enter_context, (second, third)))
        groups = simulated_groups.example("demo", GROUPS)
        simulated_groups.create_topics(first.bootstrap, groups[:WITH_TOPICS], replication=1)
        simulated_groups.join(first.bootstrap, groups)
        yield Cluster((first, second, third), groups)


def in_the_lake(lake: FsspecLake) -> dict[str, list[str]]:
    """Snapshot IDs by group."""
    root = Path(lake.url)
    found: dict[str, list[str]] = {}
    for path in sorted(root.glob("snapshots/*/*/*/*.json")):
        found.setdefault(path.parent.name.removeprefix("group="), []).append(str(path.relative_to(root)))
    return found


def told(snapshot: Snapshot) -> tuple[object, ...]:
    """All but the moment."""
    return tuple(getattr(snapshot, name) for name in snapshot.__slots__ if name != "captured_at")


def test_all_of_them_are_read_as_each_would_be_alone(cluster: Cluster, tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path))

    report = cluster.collect(lake, "run")

    found = in_the_lake(lake)
    assert (report.groups, report.taken, report.unread, report.unlisted) == (GROUPS, GROUPS, (), ())
    assert {name: len(ids) for name, ids in found.items()} == {group.group_id: 1 for group in cluster.groups}
    for group in (cluster.groups[0], cluster.groups[-1]):
        about = settings.read(group.group_id, RELEASE, {}, {}, ())
        alone = wiring.collect_snapshot(cluster.connection, group.group_id, (), about)
        together = snapshots.load(lake, found[group.group_id][0])
        assert told(together) == told(snapshot_from_json(loads(dumps(snapshot_to_json(alone)))))
        assert len(together.clients) == 3
        assert str(together.leader_process_id) in {str(client.process_id) for client in together.clients}
    with_state = snapshots.load(lake, found[cluster.groups[0].group_id][0])
    assert any(one.log_bytes is not None for topic in with_state.topics for one in topic.partitions)


def test_it_takes_a_few_requests(cluster: Cluster, tmp_path: Path) -> None:
    wanted = Wanted({"demo-*": About(StatedByOperator(RELEASE, {}, {}))})

    _, requests = wiring.collect_many(cluster.connection, wanted, FsspecLake(str(tmp_path)), "run", 120, print)

    assert requests < GROUPS


def test_a_broker_that_stops_answering_costs_its_own_groups_only(cluster: Cluster, tmp_path: Path) -> None:
    lake = FsspecLake(str(tmp_path))
    homes = cluster.homes()
    lost = {group_id for group_id, node in homes.items() if node == 3}
    assert 0 < len(lost) < GROUPS
    by_name = {group.group_id: About(StatedByOperator(RELEASE, {}, {})) for group in cluster.groups}
    with cluster.brokers[2].frozen():
        report = cluster.collect(lake, "run", by_name)

    assert {one.group_id for one in report.unread} == lost
    assert all(one.why == "not read" and one.problem for one in report.unread)
    assert set(in_the_lake(lake)) == set(homes) - lost

    ends_at = time.monotonic() + 300
    while (again := cluster.collect(lake, "run", by_name)).unread and time.monotonic() < ends_at:
        time.sleep(1)  # a broker that was away for long may take a moment until it answers and coordinates again

    assert (again.taken, again.unread) == (GROUPS, ())
    assert {name: len(ids) for name, ids in in_the_lake(lake).items()} == dict.fromkeys(homes, 1)


def test_a_group_that_is_not_there_is_named(cluster: Cluster, tmp_path: Path) -> None:
    about = About(StatedByOperator(RELEASE, {}, {}))

    report = cluster.collect(FsspecLake(str(tmp_path)), "run", {cluster.groups[1].group_id: about, "gone": about})

    assert report.taken == 1
    assert [(one.group_id, "there is no group 'gone'" in one.problem) for one in report.unread] == [("gone", True)]


def test_one_question_about_many_answers_each(cluster: Cluster) -> None:
    names = [group.group_id for group in cluster.groups]
    with KafkaSession(cluster.connection, Deadline(60)) as session:
        reader = KafkaCluster(session, among=lambda _: True)
        described, commits, histories = reader.groups([*names, "gone"]), reader.commits(names), reader.histories([*names, "gone"])
        listed, problems = reader.listed()
        reader.close()

    assert isinstance(described.pop("gone"), HoldfastError)
    assert [len(one.members) for one in described.values() if not isinstance(one, HoldfastError)] == [6] * GROUPS
    assert commits == dict.fromkeys(names, ())
    assert histories.pop("gone") == ((), ())
    assert [len(history[0]) for history in histories.values() if not isinstance(history, HoldfastError)] == [1] * GROUPS
    assert ([one.group_id for one in listed], problems) == (sorted(names), ())
