"""Every cluster keeps the promises of `ports.ClusterReader`: the fake, and a real one with the least rights over SASL and TLS."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tests.contract.conftest import GROUP, INPUT, PARTITIONS, PLAIN_GROUP, PROCESS_ID, Cluster
from tests.fakes.cluster import BROKER, THE_CLUSTER, FakeCluster, streams_member

from holdfast.adapters.broker.kafka_cluster import KafkaCluster
from holdfast.adapters.broker.session import KafkaSession
from holdfast.adapters.deadline import Deadline
from holdfast.errors import ClusterTrouble
from holdfast.kafka.streams import membership
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire import consumer_protocol
from holdfast.ports import ClusterReader, ObservedGroup
from holdfast.rollout.streams.snapshot.snapshot import Generation, GenerationMember

INPUTS = tuple(TopicPartition(INPUT, number) for number in range(PARTITIONS))
CHANGELOG = f"{GROUP}-counts-store-changelog"


def _fake() -> FakeCluster:
    tasks = {f"0_{number}": ((INPUT, number),) for number in range(PARTITIONS)}
    streams = streams_member(GROUP, PROCESS_ID, active=tasks)
    subscription = consumer_protocol.encode_subscription(consumer_protocol.ConsumerProtocolSubscription(1, ("plain-in",)))
    assignment = consumer_protocol.encode_assignment(
        consumer_protocol.ConsumerProtocolAssignment(1, (TopicPartition("plain-in", 0),))
    )
    plain = GenerationMember("kafka-python-1", "kafka-python", "/127.0.0.1", None, subscription, assignment)
    return FakeCluster(
        views={
            GROUP: [ObservedGroup(GROUP, "Stable", "consumer", "stream", (streams,))],
            PLAIN_GROUP: [ObservedGroup(PLAIN_GROUP, "Stable", "consumer", "range", (plain,))],
        },
        partitions={INPUT: PARTITIONS, "plain-in": 1, CHANGELOG: PARTITIONS, "secret": 1, "__consumer_offsets": 4},
        ends=dict.fromkeys(INPUTS, 10),
        sizes=dict.fromkeys(INPUTS, 800),
        committed={PLAIN_GROUP: {TopicPartition("plain-in", 0): 30}},
        history={GROUP: (Generation(1, "2026-11-20T12:00:00Z", streams.member_id, "stream", (streams,)),)},
        without_configs=frozenset({GROUP}),
        forbidden=frozenset({"secret"}),
    )


@pytest.fixture(params=["fake", "real"])
def reader(request: pytest.FixtureRequest) -> Iterator[ClusterReader]:
    if request.param == "fake":
        yield _fake()
        return
    cluster: Cluster = request.getfixturevalue("live_cluster")
    with KafkaSession(cluster.connection("reader"), Deadline(60)) as session:
        yield KafkaCluster(session)


@pytest.fixture(params=["fake", "real"])
def without_the_cluster(request: pytest.FixtureRequest) -> Iterator[ClusterReader]:
    """For a user who may not describe the cluster."""
    if request.param == "fake":
        yield replace(_fake(), forbidden=frozenset({THE_CLUSTER}))
        return
    cluster: Cluster = request.getfixturevalue("live_cluster")
    with KafkaSession(cluster.connection("limited"), Deadline(60)) as session:
        yield KafkaCluster(session)


def _until(ask: Callable, good: Callable):
    """The answer, once it is good: a real group needs a moment to get there."""
    ends_at = time.monotonic() + 300
    while not good(answer := ask()):
        assert time.monotonic() < ends_at, f"still {answer}"
        time.sleep(0.3)
    return answer


def test_a_streams_group_comes_with_its_members_bytes(reader: ClusterReader) -> None:
    group = _until(lambda: reader.group(GROUP), lambda found: found.state == "Stable")
    members = [membership.decode(each.member_id, each.subscription, each.assignment) for each in group.members]

    assert (group.protocol_type, group.protocol) == ("consumer", "stream")
    assert {str(member.process_id) for member in members} == {PROCESS_ID}
    assert {partition for member in members for partition in member.partitions} >= set(INPUTS)
    assert all(each.client_host == "/127.0.0.1" for each in group.members)


def test_a_plain_group_is_described_as_what_it_is(reader: ClusterReader) -> None:
    group = _until(lambda: reader.group(PLAIN_GROUP), lambda found: found.state == "Stable")

    assert (group.protocol_type, group.protocol) == ("consumer", "range")
    handed = consumer_protocol.decode_assignment(group.members[0].assignment)
    assert handed.partitions == (TopicPartition("plain-in", 0),)


def test_a_group_that_is_not_there_is_refused(reader: ClusterReader) -> None:
    with pytest.raises(ClusterTrouble, match="nobody-home"):
        reader.group("nobody-home")


def test_a_classic_group_has_no_recorded_targets(reader: ClusterReader) -> None:
    assert reader.group(GROUP).described is None
    assert reader.recorded_targets(GROUP) == ((), ())


def test_configs_that_may_not_be_described_are_refused(reader: ClusterReader) -> None:
    with pytest.raises(ClusterTrouble, match="DESCRIBE_CONFIGS"):
        reader.group_configs(GROUP)
    assert "DESCRIBE_CONFIGS" not in reader.group_rights(GROUP)


def test_names_are_sorted_and_only_those_that_may_be_described(reader: ClusterReader) -> None:
    groups, topics = reader.group_ids(), reader.topic_names()

    assert {GROUP, PLAIN_GROUP} <= set(groups)
    assert list(groups) == sorted(groups)
    assert {INPUT, CHANGELOG} <= set(topics)
    assert "secret" not in topics
    assert list(topics) == sorted(topics)


def test_a_topic_that_cannot_be_described_does_not_hide_the_others(reader: ClusterReader) -> None:
    found, unknown = reader.topics((INPUT, "gone", "secret"))

    assert [(topic.name, [each.id for each in topic.partitions]) for topic in found] == [(INPUT, list(range(PARTITIONS)))]
    assert found[0].partitions[0].replica_racks == (None,)
    assert [each.leader for each in found[0].partitions] == [BROKER] * PARTITIONS
    assert [each.what for each in unknown] == ["topics.gone", "topics.secret"]
    assert all(each.reason for each in unknown)


def test_end_offsets_of_what_is_there(reader: ClusterReader) -> None:
    found, unknown = reader.end_offsets((*INPUTS, TopicPartition(INPUT, 99), TopicPartition("secret", 0)))

    assert found == tuple((partition, 10) for partition in INPUTS)
    assert [each.what for each in unknown] == ["end_offset.secret-0", f"end_offset.{INPUT}-99"]
    assert reader.end_offsets(()) == ((), ())


def test_begin_offsets_of_what_is_there(reader: ClusterReader) -> None:
    found, unknown = reader.begin_offsets((*INPUTS, TopicPartition(INPUT, 99), TopicPartition("secret", 0)))

    assert found == tuple((partition, 0) for partition in INPUTS)
    assert [each.what for each in unknown] == ["begin_offset.secret-0", f"begin_offset.{INPUT}-99"]
    assert reader.begin_offsets(()) == ((), ())


def test_log_sizes_of_what_is_there(reader: ClusterReader) -> None:
    found, unknown = reader.log_bytes((*INPUTS, TopicPartition(INPUT, 99), TopicPartition("secret", 0)))

    assert [partition for partition, _ in found] == list(INPUTS)
    assert all(size > 10 * len("word0 and again") for _, size in found)
    assert [each.what for each in unknown] == ["log_bytes.secret", f"log_bytes.{INPUT}"]
    assert all(each.reason and each.about_log_sizes for each in unknown)
    assert reader.log_bytes(()) == ((), ())


def test_without_the_right_no_log_size_is_known_and_it_is_said_once_a_topic(without_the_cluster: ClusterReader) -> None:
    found, unknown = without_the_cluster.log_bytes(INPUTS)

    assert found == ()
    assert [each.what for each in unknown] == [f"log_bytes.{INPUT}"]
    assert "DESCRIBE on the cluster" in unknown[0].reason
    assert "DESCRIBE" not in without_the_cluster.cluster_rights()
    assert without_the_cluster.begin_offsets(INPUTS)[1] == ()


def test_committed_offsets(reader: ClusterReader) -> None:
    found = _until(lambda: reader.committed_offsets(PLAIN_GROUP), lambda offsets: offsets == ((TopicPartition("plain-in", 0), 30),))

    assert found
    assert reader.committed_offsets("nobody-home") == ()


def test_generations_are_in_order_and_name_their_leader(reader: ClusterReader) -> None:
    generations, unknown = reader.generations(GROUP)

    assert unknown == ()
    assert [each.number for each in generations] == sorted(each.number for each in generations)
    last = generations[-1]
    assert last.protocol == "stream"
    assert last.leader_member_id in {member.member_id for member in last.members}
    assert all(member.assignment for member in last.members)
    assert last.completed_at.endswith("Z")
    assert reader.generations("nobody-home") == ((), ())


def test_rights(reader: ClusterReader) -> None:
    assert "DESCRIBE" in reader.group_rights(GROUP)
    rights = dict(reader.topic_rights((INPUT, "secret", "__consumer_offsets")))
    assert "DESCRIBE" in rights[INPUT]
    assert rights["secret"] == frozenset()
    assert "READ" in rights["__consumer_offsets"]
    assert "DESCRIBE" in reader.cluster_rights()


def test_the_cluster_says_which_it_is(reader: ClusterReader) -> None:
    info = reader.info()
    assert info.cluster_id
    assert info.broker_version == "4.3"
