"""Snapshots of groups of every kind, for one lake and one run of all jobs."""

import json
from dataclasses import replace
from pathlib import Path

from tests.harness.kafka.described_groups import CONFIGS, MEMBERS, PARTITIONS, group, member
from tests.harness.plain_groups import Document
from tests.harness.plain_groups import group as plain_group
from tests.harness.plain_groups import member as plain_member
from tests.unit.rollout.broker_consumer import groups as broker_consumers

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.broker_streams.snapshot.described import snapshot_of
from holdfast.rollout.kinds import any_document
from holdfast.workflows import snapshots

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DAY = "2026-11-21"
PLAIN_CLUSTER, BROKER_CLUSTER = "local", "by-broker"
BEHIND = {"orders": {"partitions": [{"id": one, "end_offset": 90, "committed_offset": 80 - one} for one in range(6)]}}
EAGER = {"assignors": ["range"], "owned": [], "owned_generation": None, "host": "app-0"}


def at(time: str, document: Document) -> Document:
    return document | {"cluster": PLAIN_CLUSTER, "captured_at": f"{DAY}T{time}Z"}


def eager(*assigned: int) -> Document:
    return plain_member(**(EAGER | {"assigned": [["orders", number] for number in assigned]}))


PLAIN = (
    at("12:00:00", plain_group({"a": eager(0, 1), "b": eager(2, 3), "c": eager(4, 5)}, generation=7)),
    at("13:00:00", plain_group({"b": eager(0, 1), "c": eager(2, 3), "d": eager(4, 5)}, generation=12, topics=BEHIND)),
    at("12:30:00", plain_group({"a": plain_member(0, 1, 2), "b": plain_member(3, 4, 5)}, group_id="cooperative")),
    at(
        "12:30:00",
        plain_group({"a": plain_member(0), "b": plain_member(1, assignors=["sticky"])}, group_id="nothing in common"),
    ),
)
"""Consumer groups."""
STREAMS = json.loads((EXAMPLES / "streams-wordcount" / "snapshot.json").read_text()) | {"captured_at": f"{DAY}T13:00:00Z"}
"""A Streams group whose leader assigns, in the same cluster."""
BEFORE = snapshot_of(
    group(),
    PARTITIONS,
    cluster=BROKER_CLUSTER,
    captured_at=f"{DAY}T12:00:00Z",
    broker_release="4.3",
    config=tuple((one.name, one.value) for one in CONFIGS if one.name.startswith("streams.")),
)
"""A Streams group whose broker assigns, in a cluster of its own."""
JOINED = snapshot_of(group((*MEMBERS, member("m-c", "third"))), PARTITIONS)
AFTER = replace(BEFORE, captured_at=f"{DAY}T13:00:00Z", members=JOINED.members)
UNREADY = replace(BEFORE, group_id="unready", group_state="NotReady")
CONSUMER_CLUSTER = "consumers-by-broker"
CONSUMERS = tuple(
    broker_consumers.group(assignor)
    | {"group_id": assignor, "cluster": CONSUMER_CLUSTER, "captured_at": f"{DAY}T12:00:00Z", "group_state": "Stable"}
    for assignor in ("range", "uniform")
)
"""Consumer groups whose broker assigns, in a cluster of their own."""


def keep(lake: FsspecLake) -> None:
    """All of them, as collecting does."""
    for snapshot in (*map(any_document.snapshot_from_json, (*PLAIN, STREAMS, *CONSUMERS)), BEFORE, AFTER, UNREADY):
        snapshots.keep(lake, snapshot)
