"""The Snapshot and the Assignment of consumer groups, as JSON."""

import copy
from typing import Any

import pytest

from holdfast.errors import CannotPredict, HoldfastError
from holdfast.rollout.consumer.forecast.assignment_json import consumer_assignment_from_json, consumer_assignment_to_json
from holdfast.rollout.consumer.snapshot.json import consumer_snapshot_from_json, consumer_snapshot_to_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.workflows.deciding import assign_document

GROUP: dict[str, Any] = {
    "format_version": "1.0",
    "cluster": "local",
    "group_id": "orders",
    "captured_at": None,
    "protocol": "consumer-classic",
    "group_state": "Stable",
    "kafka_release": "3.9.1",
    "broker_release": None,
    "generation": 12,
    "leader_member_id": "b",
    "consumers": {
        "b": {
            "client_id": "app",
            "group_instance_id": None,
            "rack": None,
            "host": "app-0",
            "assignors": ["cooperative-sticky"],
            "subscription": ["orders", "returns"],
            "owned": [["orders", 1], ["orders", 0], ["gone", 7], ["orders", 2]],
            "owned_generation": 12,
        },
        "a": {
            "client_id": "app",
            "group_instance_id": None,
            "rack": "a",
            "host": None,
            "assignors": ["cooperative-sticky"],
            "subscription": ["orders", "returns"],
            "owned": [],
            "owned_generation": None,
        },
    },
    "topics": {
        "orders": {
            "partitions": [
                {"id": 0, "replica_racks": ["a", None], "begin_offset": 0, "end_offset": 90, "committed_offset": 80},
                {"id": 1, "replica_racks": []},
                {"id": 2, "replica_racks": []},
            ]
        }
    },
    "unknown": [{"what": "members", "reason": "assumed"}],
}


def _altered(path: list[str], value: object) -> dict[str, Any]:
    group = copy.deepcopy(GROUP)
    place: Any = group
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return group


def test_a_snapshot_comes_back_as_it_was_written() -> None:
    assert consumer_snapshot_to_json(consumer_snapshot_from_json(GROUP)) == GROUP


def test_an_assignment_says_what_is_handed_over_withheld_and_revoked() -> None:
    said = assign_document(GROUP, None, ())

    assert said == {
        "format_version": "1.0",
        "assignor": "cooperative-sticky",
        "consumers": {
            "b": {
                "partitions": [["orders", 0], ["orders", 1]],
                "withheld": [],
                "revoked": [["gone", 7], ["orders", 2]],
                "next_rebalance": "immediate",
            },
            "a": {"partitions": [], "withheld": [["orders", 2]], "revoked": [], "next_rebalance": "none"},
        },
    }
    assert consumer_assignment_to_json(consumer_assignment_from_json(said)) == said


def test_an_eager_member_gives_up_everything_before_it_joins() -> None:
    group = copy.deepcopy(GROUP)
    for member in group["consumers"].values():
        member["assignors"] = ["range"]

    said = assign_document(group, None, ())

    assert said["consumers"]["b"]["revoked"] == []  # type: ignore[index]
    assert said["consumers"]["b"]["partitions"] == [["orders", 1], ["orders", 2]]  # type: ignore[index]  # 0 is in the rack of a


def test_no_assignor_in_common_is_an_answer() -> None:
    said = assign_document(_altered(["consumers", "a", "assignors"], ["range"]), None, ())

    assert said.keys() == {"format_version", "error"}
    assert consumer_assignment_to_json(consumer_assignment_from_json(said)) == said


@pytest.mark.parametrize(("broker", "chosen"), [("3.9.1", "range"), ("4.0.0", "sticky")])
def test_a_tie_needs_the_brokers_release(broker: str, chosen: str) -> None:
    group = _altered(["consumers", "a", "assignors"], ["range", "sticky"])
    group["consumers"]["b"]["assignors"] = ["sticky", "range"]

    with pytest.raises(CannotPredict, match="broker_release"):
        assign_document(group, None, ())
    assert assign_document(group | {"broker_release": broker}, None, ())["assignor"] == chosen


def test_without_a_release_the_answer_is_that_of_all_or_none() -> None:
    unordered = _altered(["consumers", "b", "owned"], [["orders", 2], ["orders", 1], ["orders", 0]])
    for member in unordered["consumers"].values():
        member["assignors"] = ["sticky"]  # up to 3.7.0 it keeps what is first, later what has the lowest number

    assert assign_document(GROUP | {"kafka_release": None}, None, ())["assignor"] == "cooperative-sticky"
    with pytest.raises(CannotPredict, match="--kafka-release"):
        assign_document(unordered | {"kafka_release": None}, None, ())


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["consumers", "a", "assignors"], ["stickyy"], "did you mean 'sticky'"),
        (["consumers", "a", "assignors"], [], "one assignor or more"),
        (["consumers", "a", "subscription"], ["orders", "orders"], "twice"),
        (["consumers", "a", "owned_generation"], 2**31, "integer"),
        (["consumers"], {}, "one member or more"),
        (["consumers", "a", "owned"], [["orders", -1]], "-1"),
        (["leader_member_id"], "c", "not among the consumers"),
        (["broker_release"], "latest", "latest"),
        (["topics", "orders", "partitions"], [{"id": 1}], "numbered from 0"),
        (["topics", "orders", "partitions"], [{"id": 0}, {"id": 0}], "numbered from 0"),
        (["format_version"], "2.0", "2.0"),
        (["kafka_release"], "2.5.0", "2.5.0"),
        (["kafka_release"], "3.7", "3.7.0"),
    ],
)
def test_what_breaks_the_contract_is_refused(path: list[str], value: object, said: str) -> None:
    with pytest.raises(HoldfastError, match=said):
        assign_document(_altered(path, value), None, ())


def test_an_instance_id_stands_once() -> None:
    group = _altered(["consumers", "a", "group_instance_id"], "one")
    group["consumers"]["b"]["group_instance_id"] = "one"

    with pytest.raises(HoldfastError, match="is given twice"):
        consumer_snapshot_from_json(group)


def test_settings_decide_nothing_here() -> None:
    with pytest.raises(HoldfastError, match="no setting affects the assignment"):
        assign_document(GROUP, None, (("max.warmup.replicas", 2),))


def test_other_questions_about_these_groups_are_refused_by_name() -> None:
    with pytest.raises(HoldfastError, match="consumer-classic"):
        snapshot_from_json(GROUP)
