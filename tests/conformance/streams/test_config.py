"""The table of configuration keys, and what is made of values, against each release's own ConfigDef."""

from typing import Any

import pytest
from tests.conformance.jvm import LeaderJvm
from tests.conformance.streams import record_config_keys
from tests.conformance.streams.test_leader import JUDGED

from holdfast.errors import InvalidInput
from holdfast.kafka.streams import config, config_check
from holdfast.kafka.streams.config_keys import MINORS, TABLE

pytestmark = pytest.mark.jvm

OURS = {
    "num.standby.replicas": "num_standby_replicas",
    "max.warmup.replicas": "max_warmup_replicas",
    "acceptable.recovery.lag": "acceptable_recovery_lag",
    "probing.rebalance.interval.ms": "probing_rebalance_interval_ms",
}
VALUES = (
    *("0", "1", "2", " 7 ", "+3", "-1", "60000", "59999", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808"),
    *("", "x", "1.0", "1e3", "1_000", "0x10", "true"),
)


@pytest.mark.parametrize("jvm", JUDGED, indirect=True)
def test_keys_and_values_are_those_of_the_release(jvm: LeaderJvm) -> None:
    release = jvm.release
    assert _table(release) == record_config_keys.keys_of(jvm)
    assert _answers(jvm, {}) == _ours(release, {})
    for key in OURS:
        for value in VALUES:
            assert _answers(jvm, {key: value}) == _ours(release, {key: value}), f"{key}={value!r}"


def _table(release: str) -> dict[tuple[str, str], tuple[str, str]]:
    minor = MINORS.index(release.rpartition(".")[0])
    found = {}
    for line in TABLE.splitlines():
        key, homes, first, last, kind, *valid = line.split(" ", 5)
        if MINORS.index(first) <= minor <= MINORS.index(last):
            found.update({(home, key): (kind, "".join(valid)) for home in homes})
    return found


def _answers(jvm: LeaderJvm, given: dict[str, str]) -> dict[str, str] | str:
    answer: dict[str, Any] = jvm.ask([{"ask": "config", "config": given, "keys": list(OURS)}])[0]
    return "refused" if answer.get("error", "").startswith("ConfigException") else answer


def _ours(release: str, given: dict[str, str]) -> dict[str, str] | str:
    try:
        read = config.read(release, given)
    except InvalidInput:
        return "refused"
    return {key: str(getattr(read, name)) for key, name in OURS.items()}


def test_every_known_key_is_known_behind_its_prefix() -> None:
    assert config_check.is_known("producer.acks")
    assert config_check.is_known("main.consumer.max.poll.records")
    assert config_check.is_known("topic.cleanup.policy")
    assert config_check.is_known("client.tag.zone")
    assert not config_check.is_known("cleanup.policy")
    assert not config_check.is_known("producer.max.poll.records")
