"""What Streams hands its clients, with prefixes and defaults, against each release's own StreamsConfig."""

import random
from typing import Any

import pytest
from tests.conformance.clients import record_classes
from tests.conformance.clients import record_defaults as record_client_defaults
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams.test_leader import JUDGED
from tests.harness.groups_at_rest import Shape, streams

from holdfast.kafka.clients import config_classes
from holdfast.kafka.clients import configs as client_configs
from holdfast.kafka.clients.configs import Client
from holdfast.kafka.clients.defaults import TABLE
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.kafka.streams.config_keys import MINORS
from holdfast.rollout.kinds.settings import examined

pytestmark = pytest.mark.jvm

CLIENTS = {
    "streams": Client.STREAMS,
    "main": Client.MAIN,
    "restore": Client.RESTORE,
    "global": Client.GLOBAL,
    "producer": Client.PRODUCER,
    "admin": Client.ADMIN,
}
NUMBERS = (
    *("request.timeout.ms", "metadata.max.age.ms", "session.timeout.ms", "heartbeat.interval.ms", "max.poll.records"),
    *("max.poll.interval.ms", "fetch.max.bytes", "receive.buffer.bytes", "default.api.timeout.ms", "linger.ms", "retries"),
    *("batch.size", "delivery.timeout.ms", "buffer.memory"),
)
TEXTS = {
    "auto.offset.reset": ("earliest", "latest", "none"),
    "isolation.level": ("read_committed", "read_uncommitted"),
    "enable.auto.commit": ("true", "false"),
    "enable.idempotence": ("true", "false"),
    "acks": ("0", "1", "all"),
    "allow.auto.create.topics": ("true", "false"),
}
PREFIXES = ("", "", "consumer.", "main.consumer.", "restore.consumer.", "global.consumer.", "producer.", "admin.")


def _given(chance: random.Random, newer: bool) -> dict[str, ConfigValue]:
    found: dict[str, ConfigValue] = {}
    for _ in range(chance.randrange(8)):
        key = chance.choice((*NUMBERS, *TEXTS))
        found[f"{chance.choice(PREFIXES)}{key}"] = chance.choice(TEXTS[key]) if key in TEXTS else str(chance.randrange(1, 90_000))
    if chance.random() < 0.4:
        found["processing.guarantee"] = "exactly_once_v2" if newer else "exactly_once"
    return found


@pytest.mark.parametrize("jvm", JUDGED, indirect=True)
def test_defaults_are_those_of_the_release(jvm: LeaderJvm) -> None:
    minor = MINORS.index(jvm.release.rpartition(".")[0])
    recorded = {}
    for line in TABLE.splitlines():
        key, clients, first, last, *value = line.split(" ", 4)
        if MINORS.index(first) <= minor <= MINORS.index(last):
            recorded |= {(client, key): "".join(value) for client in clients}
    assert recorded == {one: value.rstrip() for one, value in record_client_defaults.defaults_of(jvm).items()}


@pytest.mark.parametrize("jvm", [JUDGED[0], "3.0.2", "3.9.1", JUDGED[-1]], indirect=True)
def test_classes_are_those_of_the_release(jvm: LeaderJvm) -> None:
    theirs = record_classes.classes_of(jvm)
    for key, types in config_classes.TYPES.items():
        assert sorted(config_classes.fitting(key, jvm.release)) == sorted(name for kind, name in theirs if kind in types), key


@pytest.mark.parametrize("jvm", JUDGED, indirect=True)
def test_each_client_has_what_streams_hands_it(jvm: LeaderJvm) -> None:
    chance = random.Random(47)
    newer = int(jvm.release.partition(".")[0]) >= 3
    keys = [*NUMBERS, *TEXTS]
    cases = [_given(chance, newer) for _ in range(300)]
    answers = jvm.ask({"ask": "client configs", "keys": keys, "config": case} for case in cases)
    compared = 0
    for case, answer in zip(cases, answers, strict=True):
        if "error" in answer:
            continue  # what it refuses as a whole is for other tests
        for name, client in CLIENTS.items():
            for key, theirs in answer[name].items():
                ours = client_configs.of(jvm.release, client, key, case)
                assert ours is not None, f"{client} {key}"
                assert _as_java(ours.value) == _parsed(jvm.release, client, key, theirs), f"{jvm.release} {client} {key} of {case}"
                compared += 1
    assert compared > 10_000


def _as_java(value: ConfigValue) -> str:
    return str(value).lower()


def _parsed(release: str, client: Client, key: str, text: Any) -> str:
    form = config_check.form_of(release, key, "C" if client.value in "MRG" else client.value)
    assert form is not None
    return _as_java(config_check.parse(key, text, form))


REFUSED = {
    "exactly-once-in-flight": {"processing.guarantee": "exactly_once_v2", "producer.max.in.flight.requests.per.connection": "6"},
    "commit-interval-over-transaction-timeout": {"processing.guarantee": "exactly_once_v2", "commit.interval.ms": "30000"},
    "rack-tags-without-value": {"rack.aware.assignment.tags": "zone"},
    "value-refused": {"probing.rebalance.interval.ms": "1000"},
}
"""By rule of the doctor of settings: configurations with which an application does not start."""
NEWER = tuple(one for one in JUDGED if tuple(map(int, one.split(".")[:2])) >= (3, 2))


@pytest.mark.parametrize("jvm", NEWER, indirect=True)
def test_what_a_rule_calls_refused_is_refused_by_the_release(jvm: LeaderJvm) -> None:
    answers = jvm.ask({"ask": "client configs", "keys": [], "config": config} for config in REFUSED.values())
    for (name, config), answer in zip(REFUSED.items(), answers, strict=True):
        found = [one.rule.name for one in examined(streams(Shape(release=jvm.release)), config).findings]

        assert "error" in answer, f"{jvm.release} takes {config}"
        assert name in found


@pytest.mark.parametrize("jvm", NEWER, indirect=True)
def test_a_healthy_configuration_is_taken_by_the_release(jvm: LeaderJvm) -> None:
    config = {"processing.guarantee": "exactly_once_v2", "commit.interval.ms": "1000", "state.dir": "/var/lib/x", "acks": "all"}
    (answer,) = jvm.ask([{"ask": "client configs", "keys": [], "config": config}])

    assert "error" not in answer
    assert examined(streams(Shape(release=jvm.release)), config).findings == ()
