"""What the doctor finds about a streams group whose broker assigns: each finding with what to do."""

import shlex
from dataclasses import replace
from typing import Any

import pytest
from tests.fakes.cluster import FakeCluster
from tests.harness.kafka.described_groups import (
    CONFIGS,
    MEMBERS,
    PARTITIONS,
    SHOP,
    TOPOLOGY,
    group,
    member,
    observed,
    without_process,
)

from holdfast.ports import GroupConfig, ObservedGroup
from holdfast.workflows.doctor import Check, CheckStatus, examine_group

OK, LIMITED, MISSING = CheckStatus
STANDBYS, SESSION, INTERVAL = "streams.num.standby.replicas", "streams.session.timeout.ms", "streams.assignment.interval.ms"
RELEASE = "release of the coordinator"


def checks(found: ObservedGroup | None = None, configs: Any = CONFIGS, **more: Any) -> dict[str, Check]:
    fake = FakeCluster({SHOP: [found or observed()]}, PARTITIONS, group_settings={SHOP: configs}, **more)
    return {check.name: check for check in examine_group(fake, SHOP, servers="one:9092,two:9092")}


def with_config(key: str, value: int) -> Check:
    return checks(configs=(*(one for one in CONFIGS if one.name != key), GroupConfig(key, str(value), True)))[key]


def test_a_group_with_standbys_on_a_covered_release() -> None:
    found = checks()
    assert (found[RELEASE].status, found[RELEASE].found) == (OK, "4.3")
    assert found[STANDBYS].status is OK
    assert found[SESSION].status is OK
    assert "45 s" in found[SESSION].found
    assert f"topology of {SHOP}" not in found
    assert f"members of {SHOP}" not in found


@pytest.mark.parametrize(("version", "status"), [(None, LIMITED), (4711, LIMITED), (27, MISSING), (29, OK), (30, OK), (33, OK)])
def test_the_release(version: int | None, status: CheckStatus) -> None:
    found = checks(observed(metadata_version=version))
    assert found[RELEASE].status is status
    assert bool(found[RELEASE].remedy) is (status is not OK)
    assert (INTERVAL in found) is (version in (30, 33))  # KIP-1263


@pytest.mark.parametrize(
    ("key", "value", "status", "command"),
    [
        (STANDBYS, 0, LIMITED, "streams.num.standby.replicas=1"),
        (STANDBYS, 1, OK, None),
        (STANDBYS, 2, LIMITED, "streams.num.standby.replicas=1"),  # two clients
        (SESSION, 45_000, OK, None),
        (SESSION, 60_000, LIMITED, "streams.session.timeout.ms=45000"),
        (INTERVAL, 1_000, LIMITED, "streams.assignment.interval.ms=15000"),
        (INTERVAL, 15_000, OK, None),
    ],
)
def test_the_configs(key: str, value: int, status: CheckStatus, command: str | None) -> None:
    found = with_config(key, value)
    assert found.status is status
    commands = [shlex.split(line) for line in found.remedy.splitlines() if line.startswith("kafka-configs.sh")]
    if command is None:
        assert commands == []
        return
    assert commands[0] == [
        *("kafka-configs.sh", "--bootstrap-server", "one:9092,two:9092", "--alter"),
        *("--entity-type", "groups", "--entity-name", SHOP, "--add-config", command),
    ]
    assert len(commands) == (2 if key == INTERVAL else 1)  # and how to restore it


def test_a_group_without_state_needs_no_standbys() -> None:
    assert TOPOLOGY.subtopologies is not None
    stateless = replace(TOPOLOGY, subtopologies=TOPOLOGY.subtopologies[:1])
    found = checks(observed(group(topology=stateless)), configs=())
    assert STANDBYS not in found
    assert SESSION in found


def test_configs_that_may_not_be_read_are_named_once() -> None:
    found = checks(without_configs=frozenset({SHOP}))
    assert found[f"right: DESCRIBE_CONFIGS on the group {SHOP} (optional)"].status is LIMITED
    assert f"right: ALTER_CONFIGS on the group {SHOP} (optional)" in found
    assert STANDBYS not in found


@pytest.mark.parametrize("topology", [None, replace(TOPOLOGY, subtopologies=None)])
def test_a_topology_that_is_not_ready(topology: Any) -> None:
    found = checks(observed(group(state="NotReady", topology=topology)))[f"topology of {SHOP}"]
    assert found.status is MISSING
    assert "NotReady" in found.found


def test_members_of_another_version_without_process_or_static() -> None:
    other = replace(MEMBERS[0], topology_epoch=1)
    assert checks(observed(group((other, MEMBERS[1]))))[f"topology of {SHOP}"].found.startswith("1 of 2 members")
    bare = checks(observed(group((without_process(MEMBERS[0]), MEMBERS[1]))))[f"members of {SHOP}"]
    assert (bare.status, "no process ID" in bare.found) == (MISSING, True)
    static = checks(observed(group((replace(member("m", "p"), instance_id="i"),))))[f"members of {SHOP}"]
    assert (static.status, "static" in static.found) == (LIMITED, True)


def test_an_empty_group_has_no_findings() -> None:
    assert RELEASE not in checks(observed(group((), state="Empty")))
