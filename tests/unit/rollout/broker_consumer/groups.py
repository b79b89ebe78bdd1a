"""A small consumer group whose broker assigns."""

from typing import Any

from tests.unit.rollout.broker_consumer.snapshot.test_broker_consumer_snapshot import TOPIC_ID

A, B, C, NEW = "0pTh3bWlTqSg1sYb5rT1zw", "6xWoaDM3c1X_bdpqRBHJpg", "YpTh3bWlTqSg1sYb5rT1zw", "hqTh3bWlTqSg1sYb5rT1zw"


def group(assignor: str = "range", release: str = "4.3.1", **instances: str) -> dict[str, Any]:
    """Three members with two partitions each, in the order of their IDs. `instances`: of a, b, c."""
    members = {
        member_id: {
            "subscription": ["orders"],
            "instance_id": instances.get(name),
            "host": f"app-{name}",
            "client_id": "shop",
            "assignment": [["orders", 2 * number], ["orders", 2 * number + 1]],
            "target": [["orders", 2 * number], ["orders", 2 * number + 1]],
        }
        for number, (name, member_id) in enumerate(zip("abc", (A, B, C), strict=True))
    }
    partitions = [{"id": number, "committed_offset": 80, "end_offset": 90} for number in range(6)]
    return {
        "format_version": "1.0",
        "protocol": "consumer",
        "group_id": "shop",
        "broker_release": release,
        "assignor": assignor,
        "group_epoch": 7,
        "assignment_epoch": 7,
        "topics": {"orders": {"id": TOPIC_ID, "partitions": partitions}},
        "members": {one: members[one] for one in (B, A, C)},
    }
