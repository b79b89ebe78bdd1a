"""A fleet of which half has moved to the new protocol: three hundred groups on a real broker, in a few requests."""

from pathlib import Path

import pytest
from kafka.admin import KafkaAdminClient, NewTopic
from tests.harness.kafka import simulated_groups, simulated_streams_groups
from tests.harness.kafka.broker import Broker

from holdfast import wiring
from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.workflows import snapshots
from holdfast.workflows.collecting.collect_many import About, Wanted
from holdfast.workflows.collecting.collector import StatedByOperator

pytestmark = pytest.mark.live
OF_EACH = 150
PARTITIONS = 4
PROPERTIES = {"offsets.topic.num.partitions": "6"} | simulated_groups.PROPERTIES | simulated_streams_groups.PROPERTIES


def test_half_classic_and_half_streams_groups(tmp_path: Path) -> None:
    with Broker(tmp_path / "broker", properties=PROPERTIES) as broker:
        classic = simulated_groups.example("demo", OF_EACH)
        simulated_groups.create_topics(broker.bootstrap, classic[:1], replication=1)
        admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
        admin.create_topics([NewTopic("orders", PARTITIONS, 1)])
        admin.close()
        simulated_groups.join(broker.bootstrap, classic)
        names = [f"shop-{number:03}" for number in range(OF_EACH)]
        simulated_streams_groups.join(broker.bootstrap, names, "orders")
        lake = FsspecLake(str(tmp_path / "lake"))
        wanted = Wanted({"demo-*": About(StatedByOperator("3.9.1", {}, {})), "*": About(StatedByOperator(None, {}, {}))})
        connection = ClusterConnection.of(broker.bootstrap, name="one")

        report, requests = wiring.collect_many(connection, wanted, lake, "run", 600, print, pauses_s=(1.0,))

        print(f"{report.taken} groups, {requests} requests, {report.seconds:.1f} s")
        assert (report.taken, report.unread, report.left_out) == (2 * OF_EACH, (), ())
        assert requests < OF_EACH
        for name in (names[0], names[-1]):
            (path,) = Path(lake.url).glob(f"snapshots/*/*/group={name}/*.json")
            found = snapshots.load(lake, str(path.relative_to(lake.url)))
            assert isinstance(found, StreamsGroupSnapshot)
            assert (found.group_state, found.broker_release) == ("Stable", "4.3")
            assert [one.assignment_epoch for one in found.recorded_targets] == [found.assignment_epoch]
            (member,) = found.members
            assert member.target is not None
            assert member.target == member.assignment
            assert member.target.active == (("0", tuple(range(PARTITIONS))),)
