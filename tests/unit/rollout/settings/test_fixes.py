"""A fix is enough for the amount that its finding names; another one that is offered (racks that are not wanted) ends it too."""

import pytest
from tests.harness.groups_at_rest import Shape, by_broker, streams
from tests.unit.rollout.settings.examples_of_rules import PAIRS
from tests.unit.rollout.settings.fixed import fixed

from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.kinds.settings import examined
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.findings import Finding

DEFAULT = Policy()
STATIC = (True, True, True)
POLL = "max.poll.interval.ms"
WITH_ANOTHER = (
    "rack-tags-alike",
    "rack-tags-without-standbys",
    "rack-strategy-without-client-rack",
    "rack-strategy-without-broker-racks",
    "rack-strategy-in-one-rack",
    "rack-costs-without-strategy",
)


def the(name: str, group: AnySnapshot, given: dict[str, str] | None = None, policy: Policy = DEFAULT) -> list[Finding]:
    return [one for one in examined(group, given, policy).findings if one.rule.name == name]


def number(found: Finding, key: str) -> int:
    return next(int(one.value or 0) for one in found.hit.fixes if one.key == key)


@pytest.mark.parametrize("records", [1_500_000, 4_000_000, 20_000_000, 90_000_000, 10**12])
def test_an_interval_of_polls_becomes_longer_than_the_restore_that_is_named(records: int) -> None:
    """At 10,000 records per second, up to years: what is more than Kafka takes is the most that it takes."""
    group, given = streams(Shape(log=records), {"num.standby.replicas": 1}), {POLL: "120000", "num.standby.replicas": "1"}
    (found,) = the("max-poll-interval-below-restore", group, given)
    restore_s = next(one.value for one in found.hit.figures if one.name == "restore")
    better = number(found, POLL)

    assert better >= min(1_000 * float(restore_s), 2**31 - 1 - 5_000)
    assert not any(one.rule.name.startswith("max-poll") for one in examined(group, given | {POLL: str(better)}).findings)


@pytest.mark.parametrize("start_up_s", [46, 55, 58, 120, 700, 1_700])
@pytest.mark.parametrize("by_brokers", [False, True])
def test_a_session_becomes_longer_than_the_start_up_that_is_named(start_up_s: int, *, by_brokers: bool) -> None:
    policy = Policy(start_up_s_least=1, start_up_s=start_up_s, start_up_s_most=start_up_s)
    group: AnySnapshot = by_broker(static=True, release="4.4.0") if by_brokers else streams(Shape(static=STATIC))
    name = "group-session-below-restart" if by_brokers else "static-session-below-restart"
    key = "streams.session.timeout.ms" if by_brokers else "session.timeout.ms"
    given = None if by_brokers else {key: "45000"}
    (found,) = the(name, group, given, policy)
    better = number(found, key)
    limits = [one for one in found.hit.fixes if one.key.endswith(f"max.{key.removeprefix('streams.')}")]

    assert better >= 1_000 * start_up_s + 3_000
    assert (limits == []) == (better <= (60_000 if by_brokers else 1_800_000))
    assert all(int(one.value or 0) >= better for one in limits)
    group, given = fixed(group, given or {}, found.hit.fixes)
    assert [one.rule.name for one in examined(group, None if by_brokers else given, policy).findings] == []


def test_heartbeats_of_a_short_session_have_room_in_it_after_the_fix() -> None:
    group = by_broker({"streams.session.timeout.ms": 12_000, "streams.heartbeat.interval.ms": 6_000})
    (found,) = the("group-heartbeat-over-a-third", group)

    assert [one.rule.name for one in examined(fixed(group, {}, found.hit.fixes)[0]).findings] == []


@pytest.mark.parametrize("name", WITH_ANOTHER)
def test_another_fix_ends_the_finding_too(name: str) -> None:
    group, given = PAIRS[name].group(), dict(PAIRS[name].bad)
    (found,) = the(name, group, given)

    assert found.hit.instead
    assert the(name, *fixed(group, given, found.hit.instead)) == []
