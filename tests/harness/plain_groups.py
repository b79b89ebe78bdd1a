"""Small consumer groups as Snapshot JSON, for tests."""

import copy
from typing import Any

Document = dict[str, Any]


def member(*owned: int, generation: int | None = 12, **more: object) -> Document:
    """A consumer of `orders` under cooperative-sticky that owns these partitions of it."""
    return {
        "assignors": ["cooperative-sticky"],
        "subscription": ["orders"],
        "owned": [["orders", number] for number in owned],
        "owned_generation": generation,
    } | more


def group(consumers: dict[str, Document], partitions: int = 6, **more: object) -> Document:
    """A Snapshot of a group of Kafka 3.9.1 that reads `orders`."""
    document: Document = {
        "format_version": "1.0",
        "group_id": "billing",
        "protocol": "consumer-classic",
        "kafka_release": "3.9.1",
        "generation": 12,
        "consumers": consumers,
        "topics": {"orders": {"partitions": [{"id": number} for number in range(partitions)]}},
    }
    return copy.deepcopy(document | more)


def change(*events: object, **more: object) -> Document:
    return {"format_version": "1.0", "events": list(events)} | more


def handed(one: Document) -> dict[str, list[int]]:
    """Of one round: the partitions of `orders` that each member is handed."""
    return {name: [number for _, number in part["partitions"]] for name, part in one["assignment"]["consumers"].items()}
