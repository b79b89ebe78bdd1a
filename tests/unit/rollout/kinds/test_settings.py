"""The doctor of settings over any group: silencing, what is not judged, what is refused, what is hostile."""

import json
import random
from dataclasses import replace

import pytest
from tests.harness.groups_at_rest import Shape, by_broker, consumers, streams

from holdfast.errors import InvalidInput
from holdfast.kafka.properties import parse
from holdfast.kafka.streams import config_check
from holdfast.rollout.kinds.settings import examined
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.policy import Policy, Silence
from holdfast.rollout.settings import words
from holdfast.rollout.settings.json import report_to_json
from holdfast.rollout.text.document_blocks import to_markdown, to_text

BAD = {"state.dir": "/tmp/state", "producer.acks": "1"}
SECRET = "hunter2hunter2"


def _names(properties: dict[str, str]) -> list[str]:
    return [one.rule.name for one in examined(streams(), properties).findings]


def test_a_policy_silences_by_rule_with_its_reason() -> None:
    policy = policy_from_json({"format_version": "1.0", "silenced": [{"rule": "state-dir-temporary", "reason": "a test bed"}]})
    report = examined(streams(), BAD, policy)

    assert _names(BAD) == ["state-dir-temporary", "acks-of-the-leader-alone"]
    assert [one.rule.name for one in report.findings] == ["acks-of-the-leader-alone"]
    assert [(one.finding.rule.name, one.reason) for one in report.silenced] == [("state-dir-temporary", "a test bed")]
    assert "a test bed" in to_text(tuple(words.blocks(report)))
    assert report_to_json(report)["silenced"][0]["reason"] == "a test bed"  # type: ignore[index]


@pytest.mark.parametrize(
    ("silenced", "problem"),
    [
        ([{"rule": "state-dir-temporary"}], "reason"),
        ([{"rule": "state-dir-temporary", "reason": " "}], "empty reason"),
        ([{"rule": "a", "reason": "b"}, {"rule": "a", "reason": "c"}], "twice"),
    ],
)
def test_a_silence_needs_a_reason_and_is_given_once(silenced: list[dict[str, str]], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        policy_from_json({"format_version": "1.0", "silenced": silenced})


def test_a_silence_of_an_unknown_rule_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match="state-dir-temporary"):
        examined(streams(), BAD, replace(Policy(), silenced=(Silence("state-dir-temporar", "why"),)))


def test_policies_without_it_are_written_as_before() -> None:
    assert "silenced" not in policy_to_json(Policy())


def test_the_properties_of_another_application_are_refused() -> None:
    with pytest.raises(InvalidInput, match="those of 'other'"):
        examined(streams(), {"application.id": "other"})
    with pytest.raises(InvalidInput, match="those of 'other'"):
        examined(consumers(), {"group.id": "other"})


def test_keys_that_kafka_has_not_are_not_judged_and_named() -> None:
    report = examined(streams(), {"orders.topic": "x", "state.dir": "${STATE_DIR}"})

    assert report.findings == ()
    assert report.unknown_keys == ("orders.topic",)
    assert report.basis is not None
    assert report.basis.filled_in == ("state.dir",)
    assert "orders.topic" in to_text(tuple(words.blocks(report)))


def test_what_the_snapshot_says_otherwise_is_named_and_the_properties_count() -> None:
    snapshot = streams(Shape(), {"acceptable.recovery.lag": 0, "num.standby.replicas": 0})
    report = examined(snapshot, {"acceptable.recovery.lag": "10000", "num.standby.replicas": "0"})

    assert report.basis is not None
    assert report.basis.differs == ("acceptable.recovery.lag",)
    assert report.findings == ()
    assert [one.rule.name for one in examined(snapshot).findings] == ["recovery-lag-zero"]


def test_without_properties_only_the_settings_of_the_snapshot_are_judged() -> None:
    report = examined(streams(Shape(log=20_000_000)))

    assert [one.rule.name for one in report.findings] == ["no-standbys"]
    assert "--app-config" in to_text(tuple(words.blocks(report)))


def test_rules_about_a_release_are_left_out_where_it_is_unknown() -> None:
    known, unknown = streams(), replace(streams(), kafka_release=None)

    assert examined(unknown).judged < examined(known).judged
    assert "release unknown" in to_text(tuple(words.blocks(examined(unknown))))


def test_a_group_that_cannot_be_forecast_has_findings_by_their_sources_alone() -> None:
    snapshot = replace(streams(Shape(log=20_000_000)), group_state="PreparingRebalance")
    report = examined(snapshot, BAD | {"max.warmup.replicas": "1"})

    assert [one.rule.name for one in report.findings] == ["state-dir-temporary", "acks-of-the-leader-alone"]
    assert report.findings[0].not_priced
    assert "no-standbys" in [rule.name for rule, _ in report.not_judged]
    assert "No forecast" in to_markdown(tuple(words.blocks(report)))


HOSTILE = f"""
sasl.jaas.config=org.example.Login required username="u" password="{SECRET}";
producer.ssl.key.password={SECRET}
ssl.keystore.password = {SECRET}
sasl.jaas.confi={SECRET}
my.api.token={SECRET}
max.warmup.replicas=https://user:{SECRET}@host/
num.standby.replicas=password={SECRET}
state.dir=/tmp/https://user:{SECRET}@host/
probing.rebalance.interval.ms=1000
topic.cleanup.policy=token={SECRET}
num.stream.threads=\\u001b[31m900
rack.aware.assignment.tags=secret={SECRET}
group.instance.id=https://a:{SECRET}@b/
upgrade.from=Bearer {SECRET}{SECRET}
"""


@pytest.mark.parametrize("group", [streams, by_broker, consumers])
def test_nothing_of_a_secret_is_in_a_report(group: object) -> None:
    report = examined(group(), parse(HOSTILE))  # type: ignore[operator]
    blocks = tuple(words.blocks(report))
    shown = to_text(blocks) + to_markdown(blocks) + json.dumps(report_to_json(report))

    assert report.findings
    assert SECRET not in shown
    assert "\x1b" not in to_text(blocks)


@pytest.mark.thorough
def test_a_huge_file_is_judged_within_bounds() -> None:
    chance = random.Random(1)
    properties = {f"x{number}.{chance.random()}": "y" * 500 for number in range(20_000)}
    properties |= {f"producer.batch.siz{number}": "1" for number in range(5_000)}
    properties |= {f"consumer.max.poll.records{' ' * number}": "x" for number in range(50)}
    report = examined(consumers(), properties)

    assert len(report.unknown_keys) == 100
    assert len(report.findings) <= 300


@pytest.mark.thorough
@pytest.mark.parametrize("value", ["", " ", "0x10", "9" * 400, "-1", "٣", "1e9", "NaN", "null", "true", "\x00"])
def test_no_value_breaks_a_rule(value: str) -> None:
    prefixes = ("", "consumer.", "producer.", "topic.", "restore.consumer.", "admin.")
    keys = [key for key in config_check.known_keys() if key not in ("application.id", "group.id")]
    properties = {f"{prefix}{key}": value for prefix in prefixes for key in keys}
    for group in (streams(Shape(tasks=3)), by_broker(), consumers()):
        report = examined(group, properties)
        assert to_text(tuple(words.blocks(report)))
        assert json.dumps(report_to_json(report))


@pytest.mark.parametrize("release", ["2.5.0", "9.9.9", "4.4.0"])
def test_a_release_that_is_not_covered_is_judged_by_what_is_known(release: str) -> None:
    snapshot = replace(streams(), kafka_release=release)

    assert [one.rule.name for one in examined(snapshot, BAD).findings] == ["state-dir-temporary", "acks-of-the-leader-alone"]
