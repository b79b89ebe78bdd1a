"""The small streams group with measured changelogs and state directories, as its documents."""

from typing import Any

from tests.unit.rollout.broker_streams.streams_groups import Case, snapshot

RECORDS, BYTES = 1_000, 50_000
"""Of each changelog partition."""
UUIDS = {name: f"{number}a61083e-57d0-457d-951f-d06556c148ca" for number, name in enumerate("abc")}


def measured(**differs: Any) -> Case:
    """Each changelog partition begins at 500 and has 1,000 offsets in 50,000 bytes. Process IDs are UUIDs."""
    document = snapshot(cluster="prod", captured_at="2026-11-23T11:59:00Z")
    for one in document["topics"]["counts"]["partitions"]:
        one |= {"begin_offset": 500, "end_offset": 500 + RECORDS, "log_bytes": BYTES}
    for one in document["members"].values():
        one["process_id"] = UUIDS[one["process_id"]]
    return document | differs


def disk(client: str, free_bytes: int | None = None, **offsets: int | None) -> Case:
    """`t1_4=899`: the offset in the checkpoint of task 1_4; None: it has no checkpoint."""
    tasks: Case = {}
    for name, offset in offsets.items():
        task = name.removeprefix("t")
        checkpoint = None if offset is None else [["counts", int(task.partition("_")[2]), offset]]
        tasks[task] = {"checkpoint": checkpoint, "non_empty": True}
    found = {"url": f"dir-{client}", "process_id": UUIDS[client], "tasks": tasks}
    return found if free_bytes is None else found | {"free_bytes": free_bytes}
