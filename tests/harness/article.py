"""The article's group as JSON documents: six word-count tasks, two threads a client, and fleets like it of any size."""

import copy
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

A = "4b61083e-57d0-457d-951f-d06556c148ca"
B = "7156cef1-307e-49c0-a5bb-0f11d26a4933"
C = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"
"""In Kafka's order: C, A, B."""
LAST = "7d9f2c5e-41b8-4a06-9c3d-5e8f0b7a6d21"
"""Sorts after all of them."""
END_OFFSETS = (2, 2, 8, 6, 4, 4)

BEFORE = {
    A: (("0_0", "0_4", "1_0", "1_4"), ("0_2", "1_2")),
    B: (("0_1", "0_5", "1_1", "1_5"), ("0_3", "1_3")),
}
"""Each thread's tasks before C has joined."""
AFTER = {
    A: (("0_1", "1_1"), ("0_4", "1_4")),
    B: (("0_2", "1_2"), ("0_5", "1_5")),
    C: (("0_0", "1_0"), ("0_3", "1_3")),
}
"""And once it is stable with C."""

Document = dict[str, Any]


def partition(task: str) -> list[object]:
    subtopology, number = task.split("_")
    return ["input" if subtopology == "0" else "repartition", int(number)]


def just_now(document: Document) -> Document:
    """The group as if its snapshot had been taken this minute: a plan's validity counts from its snapshot."""
    return document | {"captured_at": datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")}


def group(
    owned: Mapping[str, Sequence[Sequence[str]]],
    release: str | None = "2.7.2",
    config: Mapping[str, object] | None = None,
    leader: str | None = B,
) -> Document:
    """A Snapshot's JSON: `owned` has the tasks of each thread of each client, all of them running."""
    settings = {"acceptable.recovery.lag": 0, "probing.rebalance.interval.ms": 60000, "max.warmup.replicas": 2}
    return {
        "format_version": "1.0",
        "cluster": "local",
        "group_id": "streams-wordcount",
        "captured_at": "2026-11-20T13:48:02Z",
        "protocol": "streams-classic",
        "group_state": "Stable",
        "kafka_release": release,
        "task_assignor": "HighAvailabilityTaskAssignor",
        "leader_process_id": leader if leader in owned else None,
        "config": settings | dict(config or {}),
        "tasks": {
            f"{subtopology}_{number}": {
                "partitions": [partition(f"{subtopology}_{number}")],
                "changelogs": [["changelog", number, END_OFFSETS[number]]] if subtopology else [],
            }
            for subtopology in (0, 1)
            for number in range(6)
        },
        "clients": {process_id: client(process_id, threads) for process_id, threads in owned.items()},
        "unknown": [],
    }


def client(process_id: str, threads: Sequence[Sequence[str]]) -> Document:
    return {
        "host": f"app-{process_id[:4]}",
        "rack": None,
        "client_tags": {},
        "user_endpoint": None,
        "consumers": {
            f"streams-wordcount-{process_id}-StreamThread-{number}-consumer-0f6d8a3e-0000-4000-8000-00000000000{number}": {
                "client_id": f"streams-wordcount-{process_id}-StreamThread-{number}-consumer",
                "group_instance_id": None,
                "owned": [partition(task) for task in tasks],
                "task_offset_sums": {task: -2 for task in tasks if task.startswith("1_")},
            }
            for number, tasks in enumerate(threads, start=1)
        },
    }


def change(*events: object, **others: object) -> Document:
    return {"format_version": "1.0", "events": list(events)} | others


def fleet(hosts: int, tasks: int, seed: int, release: str = "3.9.1") -> tuple[Document, list[str]]:
    """A stable group of stateful tasks with Kafka's defaults, one thread a host, and its process IDs in Kafka's order."""
    chance = random.Random(seed)
    uuids = [UUID(int=chance.getrandbits(128), version=4) for _ in range(hosts)]
    ids = [str(one) for one in sorted(uuids, key=lambda one: (_signed(one.int >> 64), _signed(one.int & (2**64 - 1))))]
    document = group({}, release)
    document["config"] = {}
    document["tasks"] = {
        f"0_{number}": {"partitions": [["input", number]], "changelogs": [["changelog", number, 1_000_000]]}
        for number in range(tasks)
    }
    for index, process_id in enumerate(ids):
        mine = [f"0_{number}" for number in range(index, tasks, hosts)]
        document["clients"][process_id] = client(process_id, [mine])
        for consumer in document["clients"][process_id]["consumers"].values():
            consumer["task_offset_sums"] = dict.fromkeys(mine, -2)
    return document, ids


def _signed(half: int) -> int:
    return half - 2**64 if half >= 2**63 else half


def altered(document: Document, path: Sequence[str | int], value: object) -> Document:
    """A copy with another value at `path`."""
    whole = copy.deepcopy(document)
    place: Any = whole
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return whole
