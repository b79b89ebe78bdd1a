"""Kafka's settings with values that name nothing are kept, others are left out."""

import pytest

from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.redaction import settings
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names


def redacted(*given: tuple[str, ConfigValue]) -> settings.Settings:
    found = Found("payments", streams=True)
    settings.take(found, given)
    return settings.redacted(given, Names(found))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num.standby.replicas", 1),
        ("num.standby.replicas", "1"),
        ("processing.guarantee", "exactly_once_v2"),
        ("auto.offset.reset", "by_duration:P1DT2H"),
        ("consumer.session.timeout.ms", 45_000),
        ("partition.assignment.strategy", ("org.apache.kafka.clients.consumer.RangeAssignor",)),
        ("task.assignor.class", "org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor"),
        ("streams.num.standby.replicas", 2),
        ("group.initial.rebalance.delay.ms", 3000),
        ("auto.commit.interval.ms", None),
    ],
)
def test_what_names_nothing_is_kept(key: str, value: ConfigValue) -> None:
    assert redacted((key, value)) == ((key, value),)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("bootstrap.servers", "kafka.example.com:9092"),
        ("client.id", "payments"),
        ("client.rack", "eu-1a"),
        ("state.dir", "/data/payments"),
        ("application.server", "host:8080"),
        ("client.tag.zone", "a"),
        ("main.consumer.interceptor.classes", ("com.example.Ours",)),
        ("sasl.jaas.config", "secret"),
        ("payments.own.key", 17),
    ],
)
def test_what_names_something_is_left_out(key: str, value: ConfigValue) -> None:
    assert redacted((key, value)) == ()


def test_a_value_that_decides_is_never_left_out() -> None:
    assert redacted(("task.assignor.class", "com.example.Ours")) == (("task.assignor.class", "redacted"),)
    assert redacted(("num.standby.replicas", "many")) == (("num.standby.replicas", "redacted"),)


def test_the_keys_of_tags_are_replaced_as_on_the_clients() -> None:
    key = "rack.aware.assignment.tags"
    given = ((key, ("zone", "cluster")),)
    found = Found("payments", streams=True)
    settings.take(found, given)
    found.add(Role.TAG, "zone")
    names = Names(found)

    assert settings.redacted(given, names) == ((key, ("tag-02", "tag-01")),)
    assert names.of(Role.TAG, "zone") == "tag-02"
    assert redacted((key, "zone,cluster")) == ((key, "tag-02,tag-01"),)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (None, None),
        ("HighAvailabilityTaskAssignor", "HighAvailabilityTaskAssignor"),
        ("org.apache.kafka.streams.X", "org.apache.kafka.streams.X"),
        ("com.example.Ours", "redacted"),
    ],
)
def test_an_assignor_of_kafka_keeps_its_name(name: str | None, kept: str | None) -> None:
    assert settings.assignor(name) == kept
