"""The JSON of a consumer group whose broker assigns."""

import json
from typing import Any

import pytest

from holdfast.errors import InvalidInput
from holdfast.rollout.kinds import any_document, registry

TOPIC_ID = "ZkFtL0R4T3-9bXq0Qw4nUg"


def document() -> dict[str, Any]:
    return {
        "format_version": "1.0",
        "cluster": "local",
        "group_id": "shop",
        "captured_at": "2026-11-22T05:00:00Z",
        "protocol": "consumer",
        "broker_release": "4.3.1",
        "group_state": "Stable",
        "group_epoch": 12,
        "assignment_epoch": 12,
        "assignor": "uniform",
        "config": {"consumer.session.timeout.ms": 45000},
        "topics": {
            "orders": {
                "id": TOPIC_ID,
                "partitions": [
                    {"id": 0, "replica_racks": ["a", "b"], "end_offset": 90, "committed_offset": 80},
                    {"id": 1, "replica_racks": []},
                ],
            }
        },
        "members": {
            "m1": {
                "client_id": "app",
                "host": "app-0",
                "instance_id": None,
                "rack": None,
                "member_epoch": 12,
                "member_type": "consumer",
                "subscription": ["orders"],
                "subscription_regex": None,
                "assignment": [["orders", 1]],
                "target": [["orders", 1], ["orders", 0]],
            }
        },
        "unknown": [],
    }


def changed(path: tuple[str, ...], value: object) -> dict[str, Any]:
    found = document()
    at = found
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return found


def test_it_is_written_as_it_was_read_and_keeps_the_order_of_the_broker() -> None:
    text = json.dumps(document())

    for snapshot in (any_document.snapshot_from_text(text), registry.decider_of(document()).snapshot_from_json(document())):
        assert json.loads(json.dumps(any_document.snapshot_to_json(snapshot))) == document()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (changed(("topics", "orders", "id"), "orders"), "topics.orders.id: a topic ID of Kafka"),
        (changed(("topics", "orders", "id"), "ZkFtL0R4T3-9bXq0Qw4nUh"), "topics.orders.id: a topic ID of Kafka"),
        (changed(("topics", "orders", "id"), None), "topics.orders.id"),
        (changed(("topics", "clicks"), {"id": TOPIC_ID, "partitions": []}), "have the same ID"),
        (changed(("members", "m1", "target"), [["orders", 0], ["orders", 0]]), "members.m1.target: .*given twice"),
        (changed(("members", "m1", "target"), [["orders", -1]]), "members.m1.target"),
        (changed(("members", "m1", "subscription"), ["orders", "orders"]), "a topic is given twice"),
        (changed(("topics", "orders", "partitions"), [{"id": 1}]), "numbered from 0"),
        (changed(("members", "m1", "member_epoch"), "x"), "members.m1.member_epoch"),
        (changed(("members",), []), "members"),
    ],
)
def test_what_breaks_the_contract_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        registry.decider_of(wrong).snapshot_from_json(wrong)


def test_an_instance_has_one_member() -> None:
    twice = document()
    twice["members"]["m1"]["instance_id"] = "host-1"
    twice["members"]["m2"] = {"instance_id": "host-1"}

    with pytest.raises(InvalidInput, match="instance ID 'host-1' is given twice"):
        registry.decider_of(twice).snapshot_from_json(twice)


def test_a_snapshot_is_of_its_kind() -> None:
    snapshot = any_document.snapshot_from_json(document())

    assert registry.kind_of(snapshot).protocol == "consumer"
