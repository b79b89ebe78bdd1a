"""A group as Kafka 4.3.1 described it becomes a Snapshot that `holdfast assign` answers."""

import base64
from dataclasses import replace

import pytest

from holdfast.errors import CannotPredict
from holdfast.kafka.wire import streams_group_description as description
from holdfast.rollout.broker_streams.snapshot.described import snapshot_of, topics_of
from holdfast.rollout.broker_streams.snapshot.snapshot import SNAPSHOT
from holdfast.workflows.deciding import assign_document

DESCRIBED = (
    "AAAAAAIAAAAFc2hvcAdTdGFibGUAAAACAAAAAgEAAAAAAgIwAghpbnB1dC0wAQISc3RvcmUtMC1jaGFuZ2Vsb2cAAAAAAAABAAEAAAIDbTEAAAACAAAHY2xpZW50FGxv"
    "Y2FsaG9zdC8xMjcuMC4wLjEAAAAAA3Ax/wEBAQICMAMAAAAAAAAAAQABAQACAjADAAAAAAAAAAEAAQEAAACAAAAAAAA="
)
(GROUP,) = description.decode_response(base64.b64decode(DESCRIBED))
PARTITIONS = {"input-0": 2, "store-0-changelog": 2, "not-ours": 9}


def test_a_described_group_is_a_snapshot() -> None:
    snapshot = snapshot_of(
        GROUP, PARTITIONS, cluster="local", broker_release="4.3.1", config=(("streams.num.standby.replicas", "0"),)
    )
    document = SNAPSHOT.write(snapshot)
    assert SNAPSHOT.read(document) == snapshot
    assert topics_of(GROUP) == ("input-0", "store-0-changelog")
    assert document["topology"] == {
        "subtopologies": {
            "0": {
                "source_topics": ["input-0"],
                "repartition_source_topics": [],
                "repartition_sink_topics": [],
                "changelog_topics": ["store-0-changelog"],
            }
        },
        "epoch": 0,
    }
    assert assign_document(document, None, ())["members"] == {"m1": {"active": ["0_0", "0_1"], "standby": [], "warmup": []}}


def test_a_topic_that_is_not_there_is_not_guessed() -> None:
    document = SNAPSHOT.write(snapshot_of(GROUP, {}, broker_release="4.3.1"))
    with pytest.raises(CannotPredict, match=r"topics\.input-0"):
        assign_document(document, None, ())


def test_a_topology_that_the_coordinator_could_not_configure_is_not_known() -> None:
    unconfigured = replace(GROUP, topology=description.DescribedTopology(0, None))
    assert snapshot_of(unconfigured, PARTITIONS).topology is None
    assert snapshot_of(replace(GROUP, topology=None), PARTITIONS).topology is None
