"""Healthy configurations of healthy groups have no finding, whatever the release."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.harness.groups_at_rest import Shape, by_broker, consumers, streams

from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams import config_check
from holdfast.rollout.kinds.settings import examined
from holdfast.rollout.settings import words
from holdfast.rollout.settings.table import RULES

BUGGY = {release for rule in RULES for release in rule.releases.only if release in RELEASES}
SOUND = [release for release in RELEASES if release not in BUGGY]
STATE_LOST = "state-lost-by-cache"


def _ms(*choices: int) -> st.SearchStrategy[str]:
    return st.sampled_from([str(one) for one in choices])


CHOICES: dict[str, st.SearchStrategy[str]] = {
    "num.standby.replicas": _ms(0, 1),
    "max.warmup.replicas": _ms(2, 3, 4, 8),
    "acceptable.recovery.lag": _ms(10_000, 20_000, 50_000, 100_000),
    "probing.rebalance.interval.ms": _ms(60_000, 120_000, 300_000, 600_000, 900_000),
    "num.stream.threads": _ms(1, 2, 4),
    "state.dir": st.sampled_from(["/var/lib/kafka-streams", "/data/state", "state", "/mnt/ssd0/streams", "/opt/tmp-app/state"]),
    "state.cleanup.delay.ms": _ms(600_000, 1_800_000, 86_400_000),
    "session.timeout.ms": _ms(15_000, 30_000, 45_000, 60_000, 120_000),
    "consumer.heartbeat.interval.ms": _ms(1_000, 3_000),
    "max.poll.interval.ms": _ms(120_000, 300_000, 600_000, 1_800_000),
    "max.poll.records": _ms(200, 500, 1_000, 5_000),
    "restore.consumer.max.poll.records": _ms(500, 1_000, 10_000),
    "commit.interval.ms": _ms(1_000, 5_000, 10_000, 30_000, 60_000),
    "replication.factor": st.sampled_from(["2", "3", "-1"]),
    "producer.acks": st.just("all"),
    "producer.linger.ms": _ms(0, 5, 100),
    "producer.batch.size": _ms(16_384, 65_536),
    "producer.compression.type": st.sampled_from(["lz4", "zstd", "none"]),
    "producer.max.request.size": _ms(1_048_576, 5_242_880),
    "producer.delivery.timeout.ms": _ms(120_000, 300_000),
    "request.timeout.ms": _ms(15_000, 30_000, 40_000, 60_000),
    "consumer.fetch.max.bytes": _ms(10_485_760, 52_428_800),
    "consumer.max.partition.fetch.bytes": _ms(524_288, 1_048_576, 4_194_304),
    "consumer.fetch.min.bytes": _ms(1, 1_024),
    "consumer.fetch.max.wait.ms": _ms(100, 500, 1_000),
    "metadata.max.age.ms": _ms(30_000, 60_000, 300_000, 600_000),
    "auto.offset.reset": st.sampled_from(["earliest", "latest"]),
    "cache.max.bytes.buffering": _ms(0, 10_485_760, 104_857_600),
    "topic.min.insync.replicas": st.just("1"),
    "topic.segment.bytes": _ms(52_428_800, 104_857_600),
    "topic.cleanup.policy": st.just("compact"),
    "rocksdb.config.setter": st.just("org.example.BoundedMemory"),
    "client.id": st.just("orders"),
    "client.rack": st.just("a"),
    "application.server": st.just("host-0:8080"),
    "topology.optimization": st.sampled_from(["all", "none"]),
    "metrics.recording.level": st.sampled_from(["INFO", "DEBUG"]),
    "security.protocol": st.sampled_from(["SSL", "SASL_SSL", "PLAINTEXT"]),
    "sasl.jaas.config": st.just('org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";'),
    "bootstrap.servers": st.just("b0:9092,b1:9092"),
    "default.key.serde": st.just("org.apache.kafka.common.serialization.Serdes$StringSerde"),
    "orders.topic.name": st.just("orders"),
    "spring.application.name": st.just("orders"),
}


@st.composite
def healthy(draw: st.DrawFn) -> dict[str, str]:
    chosen = draw(st.lists(st.sampled_from(sorted(CHOICES)), unique=True, max_size=20))
    return {key: draw(CHOICES[key]) for key in chosen}


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    return Shape(
        release=draw(st.sampled_from([*SOUND, None])),
        clients=draw(st.integers(2, 5)),
        threads=draw(st.integers(1, 4)),
        tasks=draw(st.integers(4, 16)),
        log=draw(st.integers(0, 20_000)),
        changelogs=draw(st.integers(1, 3)),
        static=(True,) * 5 if draw(st.booleans()) else (),
        replica_racks=draw(st.sampled_from([(None, None, None), ("a", "b", "c"), (None,)])),
        racks=("a", "b", "c", "a", "b"),
    )


@pytest.mark.thorough
@settings(max_examples=examples(150), deadline=None)
@given(shapes(), st.one_of(st.none(), healthy()))
def test_a_healthy_streams_group_has_no_finding(shape: Shape, properties: dict[str, str] | None) -> None:
    if properties is not None and shape.release is not None:
        properties = {key: value for key, value in properties.items() if config_check.accepts(shape.release, key, value)}
    if properties is not None and shape.static:
        properties = {key: value for key, value in properties.items() if key != "num.stream.threads"}  # fewer leave members behind
    report = examined(streams(shape), properties)

    assert [one.rule.name for one in report.findings] == [], words.title(report)


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(healthy(), st.sampled_from(SOUND))
def test_exactly_once_has_no_finding_either(properties: dict[str, str], release: str) -> None:
    guarantee = "exactly_once_v2" if release.split(".") >= ["3"] else "exactly_once"
    properties |= {"processing.guarantee": guarantee, "commit.interval.ms": "100", "producer.transaction.timeout.ms": "60000"}
    properties = {key: value for key, value in properties.items() if config_check.accepts(release, key, value)}
    report = examined(streams(Shape(release=release, racks=("a", "a", "a"))), properties)

    assert [one.rule.name for one in report.findings if one.rule.name != STATE_LOST] == []


OF_CONSUMERS: dict[str, st.SearchStrategy[str]] = {
    "session.timeout.ms": _ms(10_000, 30_000, 45_000, 120_000),
    "heartbeat.interval.ms": _ms(1_000, 3_000),
    "max.poll.interval.ms": _ms(60_000, 300_000, 1_800_000),
    "max.poll.records": _ms(50, 500, 2_000),
    "enable.auto.commit": st.sampled_from(["true", "false"]),
    "auto.offset.reset": st.sampled_from(["earliest", "latest", "none"]),
    "fetch.max.wait.ms": _ms(100, 500),
    "isolation.level": st.sampled_from(["read_committed", "read_uncommitted"]),
    "client.rack": st.just("a"),
}


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(sorted(OF_CONSUMERS)), st.data(), st.sampled_from(SOUND))
def test_a_healthy_consumer_group_has_no_finding(key: str, data: st.DataObject, release: str) -> None:
    other = data.draw(st.sampled_from(sorted(OF_CONSUMERS)))
    properties: dict[str, Any] = {one: data.draw(OF_CONSUMERS[one]) for one in (key, other)}

    assert examined(consumers(release=release), properties).findings == ()


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"streams.num.standby.replicas": 1},
        {"streams.session.timeout.ms": 60_000, "streams.heartbeat.interval.ms": 10_000},
        {"streams.initial.rebalance.delay.ms": 0, "streams.assignment.interval.ms": 0},
    ],
)
@pytest.mark.parametrize("properties", [None, {}, {"state.dir": "/data/state", "group.protocol": "streams"}])
def test_a_healthy_group_whose_broker_assigns_has_no_finding(config: dict[str, Any], properties: dict[str, str] | None) -> None:
    assert examined(by_broker(config), properties).findings == ()


@pytest.mark.parametrize("release", [*SOUND, *sorted(BUGGY)])
def test_defaults_in_a_small_group_have_no_finding_but_bugs_of_the_release(release: str) -> None:
    found = [one for properties in (None, {}) for one in examined(streams(Shape(release=release)), properties).findings]

    assert all(release in one.rule.releases.only for one in found)
    assert bool(found) == (release in BUGGY and release != "4.3.1")
