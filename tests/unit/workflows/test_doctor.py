"""What the doctor finds: rights, group, machine and folders, over fakes of the ports."""

import json
import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes.cluster import THE_CLUSTER, FakeCluster, FakeStateDirectories, streams_member
from tests.fakes.machine import FakeMachine

from holdfast.ports import ObservedGroup
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows import doctor
from holdfast.workflows.doctor import CheckStatus

A = "4b61083e-57d0-457d-951f-d06556c148ca"
EVERYTHING = {"wc-counts-changelog": 1, "in": 1, "__consumer_offsets": 4}


def group(**more: str) -> ObservedGroup:
    member = streams_member("wc", A, active={"0_0": (("in", 0),)})
    return ObservedGroup(
        **({"group_id": "wc", "state": "Stable", "protocol_type": "consumer", "protocol": "stream"} | more), members=(member,)
    )


def statuses(found: ObservedGroup | None, partitions=EVERYTHING, forbidden=()) -> list[CheckStatus]:
    views = {} if found is None else {"wc": [found]}
    fake = FakeCluster(views, partitions, forbidden=frozenset(forbidden))
    return [check.status for check in doctor.examine_group(fake, "wc")]


OK, LIMITED, MISSING = CheckStatus


@pytest.mark.parametrize(
    ("found", "partitions", "forbidden", "expected"),
    [
        (group(), EVERYTHING, (), [OK, OK, OK, OK, OK]),
        (group(), EVERYTHING, ("__consumer_offsets",), [OK, OK, OK, LIMITED, OK]),
        (group(), EVERYTHING, (THE_CLUSTER,), [OK, OK, OK, OK, LIMITED]),
        (group(), EVERYTHING, ("wc-counts-changelog",), [OK, OK, LIMITED, OK, OK]),
        (group(), EVERYTHING, ("in",), [OK, OK, MISSING, OK, OK]),
        (group(), EVERYTHING, ("wc",), [MISSING, MISSING, OK, OK, OK]),
        (group(protocol="range"), EVERYTHING, (), [OK, OK, OK, OK, OK]),
        (group(protocol="range"), {"in": 1, "__consumer_offsets": 4}, (), [OK, OK, OK, OK, OK]),
        (group(protocol="their-own"), EVERYTHING, (), [OK, MISSING, OK, OK, OK]),
        (group(protocol_type="connect"), EVERYTHING, (), [OK, MISSING, OK, OK, OK]),
        (None, EVERYTHING, (), [OK, MISSING, OK, OK, OK]),
    ],
)
def test_the_group_and_the_rights(found, partitions, forbidden, expected) -> None:
    assert statuses(found, partitions, forbidden) == expected


def test_an_empty_group_limits() -> None:
    empty = ObservedGroup("wc", "Empty", "consumer", "", ())
    assert statuses(empty) == [OK, LIMITED, OK, OK, OK]


@pytest.mark.parametrize(("java", "expected"), [(None, LIMITED), (11, LIMITED), (17, OK), (21, OK)])
def test_java(java: int | None, expected: CheckStatus) -> None:
    assert doctor.examine_machine(FakeMachine(java), ())[0].status is expected


def test_spark_and_folders() -> None:
    machine = FakeMachine(packages={}, problems={"/read-only": "Permission denied"})
    checks = doctor.examine_machine(machine, ("/fine", "/read-only"))
    assert [check.status for check in checks[1:]] == [LIMITED, OK, MISSING]
    assert "Permission denied" in checks[3].found


def test_a_state_directory_that_cannot_be_read_limits() -> None:
    (check,) = doctor.examine_state_directories(FakeStateDirectories(), ("/gone",))
    assert check.status is LIMITED
    assert "/gone" in check.found


def test_hosts_are_those_of_the_members_and_a_false_one_is_named() -> None:
    members = [replace(group().members[0], client_host=host) for host in ("/10.0.0.2", "..")]
    found = doctor.hosts_of(FakeCluster({"wc": [replace(group(), members=tuple(members))]}, EVERYTHING), "wc")

    assert found.names == ("10.0.0.2",)
    (check,) = doctor.examine_host_names(found)
    assert (check.status, "'..'" in check.found) == (LIMITED, True)
    assert doctor.examine_host_names(doctor.hosts_of(FakeCluster({}, EVERYTHING), "wc")) == ()


def test_a_client_that_dies_again_and_again_limits() -> None:
    recorded = Path(__file__).resolve().parents[1] / "recorded" / "crash-loop-3.9.1.json"
    loop = snapshot_from_json(json.loads(recorded.read_text())).generations
    fake = FakeCluster({"wc": [group()]}, EVERYTHING, history={"wc": loop})
    checks = [check for check in doctor.examine_group(fake, "wc") if "stay up" in check.name]

    assert [check.status for check in checks] == [LIMITED]
    assert "was started 7 times" in checks[0].found
    assert "elete" not in checks[0].remedy
    assert not [check for check in doctor.examine_group(fake, "wc", datetime.now(UTC)) if "stay up" in check.name]


def test_its_commands_can_be_pasted() -> None:
    """Whole, with the brokers and the topics that are meant, whatever these are called."""
    fake = FakeCluster({"wc": [group()]}, EVERYTHING, forbidden=frozenset({"in", "__consumer_offsets", THE_CLUSTER}))
    table = [check.remedy for check in doctor.examine_group(fake, "wc", servers="one:9092,two:9092") if check.remedy]
    commands = [shlex.split(line) for remedy in table for line in remedy.splitlines()]

    assert len(commands) == 4
    for command in commands:
        assert command[:3] == ["kafka-acls.sh", "--bootstrap-server", "one:9092,two:9092"]
        assert "…" not in " ".join(command)
    assert [command[-1] for command in commands] == ["prefixed", "in", "__consumer_offsets", "--cluster"]


def test_a_hostile_topic_is_one_word_of_a_command() -> None:
    (_, line) = doctor._describe_topics("wc", ["in; rm -rf ~"], "one:9092").splitlines()

    assert shlex.split(line)[-1] == "in; rm -rf ~"
