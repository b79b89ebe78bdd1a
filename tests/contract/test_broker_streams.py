"""Streams groups whose broker assigns, from real brokers with a real application: the Snapshot, and what lacking rights cost."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kafka.admin import ACLOperation, KafkaAdminClient, NewTopic, ResourceType
from tests.contract.conftest import GROUP as CLASSIC
from tests.contract.conftest import INPUT, PARTITIONS, PLAIN_GROUP, Cluster
from tests.harness.kafka.broker import Broker
from tests.harness.kafka.streams_app import Application, StreamsClient
from tests.harness.plans import RESTARTED_AT, restarted_in_lake
from tests.live.streams_group import LiveGroup

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.cli.main import holdfast
from holdfast.errors import ClusterTrouble, Unsupported
from holdfast.rollout.backtest import past_file
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.kinds import any_document, backtests
from holdfast.workflows import snapshots
from holdfast.workflows.collecting.collect_many import About, Wanted
from holdfast.workflows.collecting.collector import StatedByOperator
from holdfast.workflows.collecting.streams.settings import GroupSettings
from holdfast.workflows.deciding import assign_document

SHOP = "shop"
STANDBYS = "streams.num.standby.replicas"
TIMEOUT = "streams.session.timeout.ms"
STREAMS = {"group.protocol": "streams"}
THREADS = 2
PROCESSES = ("4b61083e-57d0-457d-951f-d06556c148ca", "9c2f6f0e-0f0c-4b0e-8a0b-2d4f5a9f1b11")
TOPICS = {INPUT, f"{SHOP}-counts-store-repartition", f"{SHOP}-counts-store-changelog"}
NOTHING = StatedByOperator(None, {}, {})
ATTEMPTS = 4
"""A restart whose threads leave with another member's heartbeat in between is not what a Change can say, and is tried again."""


def collected(connection: ClusterConnection, given: StatedByOperator = NOTHING) -> StreamsGroupSnapshot:
    found = wiring.collect_any(connection, SHOP, (), given, 60)
    assert isinstance(found, StreamsGroupSnapshot)
    return found


def until(ask: Callable[[], StreamsGroupSnapshot], good: Callable[[StreamsGroupSnapshot], bool]) -> StreamsGroupSnapshot:
    ends_at = time.monotonic() + 300
    while not good(found := ask()):
        assert time.monotonic() < ends_at, f"still {found}"
        time.sleep(0.5)
    return found


def settled(found: StreamsGroupSnapshot, clients: int) -> bool:
    return found.group_state == "Stable" and len({one.process_id for one in found.members}) == clients


def targets(found: StreamsGroupSnapshot) -> dict[str, Any]:
    document: Any = any_document.snapshot_to_json(found)
    return {name: member["target"] for name, member in document["members"].items()}


def assigned(found: StreamsGroupSnapshot, *settings: tuple[str, str]) -> dict[str, Any]:
    """What `holdfast assign` says of a Snapshot that was written and read."""
    answer: Any = assign_document(json.loads(json.dumps(any_document.snapshot_to_json(found))), None, settings)
    return dict(answer["members"])


def said(found: StreamsGroupSnapshot, what: str) -> str:
    return " | ".join(one.reason for one in found.unknown if one.what.startswith(what))


@dataclass
class Shop:
    cluster: Cluster
    without_rights: dict[str, Any]
    clients: dict[str, StreamsClient]

    @property
    def reader(self) -> ClusterConnection:
        return self.cluster.connection("reader")

    def holdfast(self, user: str, *command: str) -> Any:
        properties = self.cluster.broker.client_properties(user)
        path = self.cluster.client.folder / f"{user}.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()), encoding="utf-8")
        where = ["--bootstrap-server", self.cluster.broker.secured, "--command-config", str(path), "--group", SHOP]
        return CliRunner().invoke(holdfast, [command[0], *where, *command[1:]], standalone_mode=False)


@pytest.fixture(scope="module")
def shop(live_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Two clients; the rights are granted one after the other, and what is seen without the last one is kept."""
    broker, folder = live_cluster.broker, tmp_path_factory.mktemp("shop")
    application = Application("4.3.1", SHOP, broker.bootstrap, INPUT, STREAMS)
    first, second = (StreamsClient(application, folder / process[:8], threads=THREADS, process_id=process) for process in PROCESSES)
    with first, second:
        for client in (first, second):
            client.go()
        for client in (first, second):
            client.wait_running()
        until(lambda: collected(ClusterConnection.of(broker.bootstrap)), lambda found: settled(found, 2))
        for user in ("reader", "limited"):
            broker.grant(user, ACLOperation.DESCRIBE, ResourceType.GROUP, SHOP)
        broker.grant("reader", ACLOperation.DESCRIBE, ResourceType.TOPIC, f"{SHOP}-", prefixed=True)
        found = Shop(live_cluster, {}, {"first": first, "second": second})
        found.without_rights["configs"] = until(lambda: _when_allowed(found.reader), lambda one: settled(one, 2))
        found.without_rights["doctor"] = found.holdfast("reader", "doctor", "--json")
        broker.grant("reader", ACLOperation.DESCRIBE_CONFIGS, ResourceType.GROUP, SHOP)
        until(lambda: collected(found.reader), lambda one: not said(one, "config") or "not authorized" not in said(one, "config"))
        yield found


def _when_allowed(connection: ClusterConnection) -> StreamsGroupSnapshot:
    """Rights that were just granted take a moment."""
    ends_at = time.monotonic() + 300
    while True:
        try:
            return collected(connection)
        except ClusterTrouble:
            if time.monotonic() > ends_at:
                raise
            time.sleep(0.5)


class TestASnapshotWithTheLeastRights:
    def test_has_what_disks_and_changelogs_hold(self, shop: Shop) -> None:
        folders = [client.state_directory for client in shop.clients.values()]
        answer = shop.holdfast("reader", "snapshot", *(part for folder in folders for part in ("--state-dir", str(folder))))
        document = json.loads(answer.stdout)
        disks = {one["process_id"]: one for one in document["state_directories"]}
        assert disks.keys() == set(PROCESSES)
        for process, disk in disks.items():
            assert disk["lock"]["held"]
            owned = [one["assignment"] for one in document["members"].values() if one["process_id"] == process]
            assert {task for one in owned for task in one["active"] if task.startswith("1_")} <= disk["tasks"].keys()
        (changelog,) = (name for name in TOPICS if name.endswith("-changelog"))
        logs = document["topics"][changelog]["partitions"]
        assert [one["id"] for one in logs] == list(range(PARTITIONS))
        assert all(one["begin_offset"] == 0 <= one["end_offset"] for one in logs)

    def test_holds_the_group_as_it_is(self, shop: Shop) -> None:
        found = collected(shop.reader)
        document: Any = any_document.snapshot_to_json(found)
        assert (found.cluster, found.group_id, found.protocol, found.broker_release) == ("test", SHOP, "streams", "4.3")
        assert found.group_epoch == found.assignment_epoch
        assert {one.process_id for one in found.members} == set(PROCESSES)
        assert len(found.members) == 2 * THREADS
        assert {one.host for one in found.members} == {"127.0.0.1"}
        assert {one.name: one.partitions for one in found.topics} == dict.fromkeys(TOPICS, PARTITIONS)
        assert document["topology"]["subtopologies"]["1"]["changelog_topics"] == [f"{SHOP}-counts-store-changelog"]
        running = sorted(task for one in document["members"].values() for task in one["assignment"]["active"])
        assert running == sorted(f"{sub}_{number}" for sub in (0, 1) for number in range(PARTITIONS))
        assert dict(found.config)["streams.session.timeout.ms"] == 45000
        assert not said(found, "topics")

    def test_lists_members_as_the_coordinator_does_time_after_time(self, shop: Shop) -> None:
        assert [one.member_id for one in collected(shop.reader).members] == [
            one.member_id for one in collected(shop.reader).members
        ]

    def test_is_answered_with_the_target_that_the_group_has(self, shop: Shop) -> None:
        found = collected(shop.reader)
        assert assigned(found) == targets(found)

    def test_tells_the_target_that_the_broker_computes_next(self, shop: Shop) -> None:
        """A standby for each task, set on the group: the broker's new target is the one that was predicted."""
        before = collected(shop.reader)
        expected = assigned(before, (STANDBYS, "1"))
        with pytest.raises(ClusterTrouble, match="needs ALTER_CONFIGS on the group"):
            wiring.ClusterGroupSettings(shop.reader, 60).alter_group_configs(SHOP, {STANDBYS: "1"})
        operator = wiring.ClusterGroupSettings(ClusterConnection.of(shop.cluster.broker.bootstrap), 60)
        operator.alter_group_configs(SHOP, {STANDBYS: "1", TIMEOUT: "46000"})
        after = until(
            lambda: collected(shop.reader),
            lambda one: settled(one, 2) and (one.group_epoch or 0) > (before.group_epoch or 0),
        )
        operator.alter_group_configs(SHOP, {TIMEOUT: None})
        own = {one.name: one.value for one in operator.group_configs(SHOP) if one.of_group}
        assert own == {STANDBYS: "1"}, "other configs of the group stay, and one is the brokers' again"
        with pytest.raises(ClusterTrouble, match="setting configs of the group"):
            operator.alter_group_configs(SHOP, {STANDBYS: "many"})
        assert targets(after) == expected
        assert any(member["standby"] for member in expected.values())
        was, now = after.recorded_targets[-2:]
        assert (was.assignment_epoch, now.assignment_epoch) == (before.assignment_epoch, after.assignment_epoch)
        assert {one.member_id: one.active for one in was.members} == {
            one.member_id: None if one.target is None else one.target.active for one in before.members
        }
        assert {one.process_id for one in now.members} == set(PROCESSES)
        assert [dict(one.config) for one in (was, now)] == [{"num.standby.replicas": "0"}, {"num.standby.replicas": "1"}]
        assert was.computed_at < now.computed_at < str(after.captured_at)
        assert dict(after.config)[STANDBYS] == 1
        assert not said(after, f"config.{STANDBYS}")

    def test_is_what_the_command_prints(self, shop: Shop) -> None:
        done = shop.holdfast("reader", "snapshot")
        assert done.exception is None, done.exception
        document = json.loads(done.stdout)
        taken = collected(shop.reader)
        assert document["members"] == json.loads(json.dumps(any_document.snapshot_to_json(taken)))["members"]

    def test_and_what_a_collection_of_all_groups_writes(self, shop: Shop, tmp_path: Path) -> None:
        lake = FsspecLake(str(tmp_path))
        connection = ClusterConnection.of(shop.cluster.broker.bootstrap, name="test")
        wanted = Wanted({"*": About(NOTHING)})
        report, _ = wiring.collect_many(connection, wanted, lake, "run", 120, print, pauses_s=(1.0,))
        assert SHOP not in {one.group_id for one in report.unread}
        paths = sorted(Path(lake.url).glob("snapshots/*/*/*/*.json"))
        groups = {path.parent.name.removeprefix("group="): path for path in paths}
        assert {SHOP, CLASSIC, PLAIN_GROUP} <= groups.keys()
        kept = snapshots.load(lake, str(groups[SHOP].relative_to(lake.url)))
        assert isinstance(kept, StreamsGroupSnapshot)
        assert kept.members == collected(connection).members


class TestWhatCannotBeRead:
    def test_without_describe_configs_the_configs_are_unknown(self, shop: Shop) -> None:
        found = shop.without_rights["configs"]
        assert "DESCRIBE_CONFIGS" in said(found, "config")
        assert "newest recorded target" in said(found, f"config.{STANDBYS}")
        assert assigned(found) == targets(found)

    def test_doctor_names_that_right(self, shop: Shop) -> None:
        name = f"right: DESCRIBE_CONFIGS on the group {SHOP} (optional)"
        before, now = (
            {one["name"]: one for one in json.loads(done.stdout)["checks"]}
            for done in (shop.without_rights["doctor"], shop.holdfast("reader", "doctor", "--json"))
        )
        assert (before[name]["status"], "DescribeConfigs" in before[name]["remedy"]) == ("limited", True)
        sets = now.pop(f"right: ALTER_CONFIGS on the group {SHOP} (optional)")
        assert (sets["status"], "AlterConfigs" in sets["remedy"]) == ("limited", True)
        assert {one["status"] for what, one in now.items() if what.startswith(("right", "group"))} == {"ok"}

    def test_without_the_rights_on_its_topics_the_group_is_not_described(self, shop: Shop) -> None:
        with pytest.raises(ClusterTrouble, match="DESCRIBE on all topics of its topology"):
            collected(shop.cluster.connection("limited"))

    def test_without_the_right_on_the_group_there_is_no_snapshot(self, shop: Shop) -> None:
        with pytest.raises(ClusterTrouble, match="DESCRIBE on the group"):
            collected(shop.cluster.connection("nobody"))

    def test_a_collection_of_a_classic_group_refuses_it_by_name(self, shop: Shop) -> None:
        with pytest.raises(Unsupported, match="whose broker assigns"):
            wiring.collect_snapshot(shop.reader, SHOP, (), GroupSettings(), 30)


def test_a_restart_takes_the_course_that_was_forecast(shop: Shop, tmp_path: Path) -> None:
    """Every target that the broker records, the end, how long it takes and how long tasks have no owner. The client has a
    successor from here on."""
    broker = shop.cluster.broker
    group = LiveGroup(broker.bootstrap, broker.log, tmp_path, SHOP, INPUT, THREADS, late_s=40)
    group.clients |= shop.clients
    group.settled(2)

    def events(before: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"restart_client": {"process_id": group.process_of("first", before), "threads": THREADS}}]

    try:
        for _ in range(ATTEMPTS):
            step = group.change("restart", lambda: group.restart("first"), events)
            if not step.apart:
                break
    finally:
        group.clients["first"].stop()
    assert (step.apart, step.wrong) == (False, [])
    assert step.targets


def test_every_target_that_the_broker_recorded_is_decided_alike(shop: Shop, tmp_path: Path) -> None:
    """After the start, a change of the group's configs, and restarts; given is nothing but the broker."""
    connection = ClusterConnection.of(shop.cluster.broker.bootstrap)
    recorded = collected(connection).recorded_targets
    found = wiring.backtest(connection, SHOP, Given(), 60, 1, print).backtest

    (group,) = found.groups
    assert found.unread == ()
    standbys = int(dict(recorded[-1].config)["num.standby.replicas"])
    assert (group.protocol, group.standbys, group.not_recorded) == ("streams", standbys, 0)
    assert {one.releases for one in group.scores} == {("4.3.1",)}  # none newer runs
    assert {one.number for one in group.rebalances} >= {one.assignment_epoch for one in recorded}
    assert group.score.equal == len(group.rebalances) >= 1, group
    compared = [one for one in group.sequences if one.compared]
    assert compared, group
    assert all(one.end_equal and one.rounds_within and one.seconds_within for one in compared), compared

    lake = FsspecLake(str(tmp_path))
    restarted_in_lake(lake, "3ab16d9280bf5305", (collected(connection).cluster, SHOP), "m-3")
    kept = wiring.keep_past(connection, Wanted({SHOP: About(NOTHING)}), lake, "2026-11-20", 60)
    (file,) = tmp_path.rglob("*.records")
    header, entries, _ = past_file.read(file.read_bytes())
    assert (kept.files, header.brokers_newest) == (1, "4.3")
    assert "streams.heartbeat.interval.ms" in dict(header.group_configs)
    assert header.stopped == (("m-3", RESTARTED_AT),)
    judged = backtests.backtest(SHOP, entries, header.given)
    assert judged is not None
    assert judged.score == group.score  # at night as now


@pytest.mark.live
@pytest.mark.parametrize(("release", "minor", "assignor"), [("4.2.1", "4.2", None), ("4.4.0", "4.4", "sticky")])
def test_the_release_of_a_coordinator_is_told(release: str, minor: str, assignor: str | None, tmp_path: Path) -> None:
    """4.4 describes groups in version 1, which names the assignor."""
    with Broker(tmp_path / "broker", release=release) as broker:
        admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
        admin.create_topics([NewTopic(INPUT, PARTITIONS, 1)])
        admin.close()
        connection = ClusterConnection.of(broker.bootstrap)
        with KafkaSession(connection, Deadline(60)) as session, pytest.raises(ClusterTrouble, match="there is no group 'shop'"):
            KafkaCluster(session).group(SHOP)
        application = Application("4.3.1", SHOP, broker.bootstrap, INPUT, STREAMS)
        with StreamsClient(application, tmp_path / "client", threads=THREADS, process_id=None) as client:
            client.go()
            client.wait_running()
            found = until(lambda: collected(connection), lambda one: settled(one, 1))
    assert found.broker_release == minor
    assert dict(found.config).get("streams.assignor.name") == assignor
    assert assigned(found) == targets(found)


def test_the_doctor_of_settings_judges_the_running_groups(shop: Shop, tmp_path: Path) -> None:
    """One whose broker assigns and one whose leader does, each with the properties of its application."""
    for group in (SHOP, CLASSIC):
        properties = tmp_path / f"{group}.properties"
        properties.write_text(f"application.id={group}\nmax.poll.interval.ms=1000\nnum.stream.threads=2\n", encoding="utf-8")
        where = ["--bootstrap-server", shop.cluster.broker.bootstrap, "--group", group, "--app-config", str(properties)]
        done = CliRunner().invoke(holdfast, ["doctor", "--config", *where, "--json"], standalone_mode=False)

        assert done.exception is None, done.exception
        report = json.loads(done.stdout)
        assert (report["group_id"], report["application_properties"]) == (group, True)
        assert report["rules_judged"] > 30
        assert done.return_value == (1 if report["findings"] else 0)
