"""Plans of the article's group, made at a fixed moment."""

import copy
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from tests.harness.article import AFTER, LAST, C, Document, change, group

from holdfast.ports import Lake
from holdfast.rollout.journal.acted import Acted, ClientProcess, Does, ProcessState
from holdfast.rollout.journal.journal import JournalEntry, JournalEvent
from holdfast.rollout.journal.lease import LeaseOwner
from holdfast.rollout.journal.seal import NO_KEYS
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.json import snapshot_from_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows import journals
from holdfast.workflows import plan as workflow
from holdfast.workflows.leases import Leases

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
REPLACE_FIRST = {"replace_client": {"process_id": C, "by": {"process_id": LAST, "threads": 2, "host": "app-new"}, "state": "empty"}}
"""The article's case: the first in process-ID order is replaced by one that sorts last."""


def read(document: Document) -> Snapshot:
    return snapshot_from_json(document)


def planned(document: Document, *events: object, policy: Policy | None = None, **others: object) -> Plan:
    return workflow.make(read(document), change_from_json(change(*events, **others)), policy or Policy(), NOON)


REMEDIES_BY_FILE = ("copy-process-metadata", "copy-state-directory", "seed-process-id")


def raised_plan(captured_at: str | None = None, **limits: Any) -> Plan:
    """The same where only a roll of settings is left that saves time: probing rebalances come every ten minutes."""
    document = copy.deepcopy(group(AFTER))
    document["captured_at"] = captured_at or document["captured_at"]
    document["config"]["probing.rebalance.interval.ms"] = 600_000
    policy = Policy(exclude=(*REMEDIES_BY_FILE, "probe-more-often"), time_to_stable_s_most=1_000, rebalances_most=20, **limits)
    return planned(document, REPLACE_FIRST, policy=policy)


@lru_cache(maxsize=8)
def article_plan(policy: Policy | None = None) -> Plan:
    return planned(group(AFTER), REPLACE_FIRST, policy=policy)


def measured(document: Document, *, begin: int = 0, bytes_per_offset: int = 1_500) -> Document:
    """The group with the sizes of its changelogs."""
    found = copy.deepcopy(document)
    logs = [log for task in found["tasks"].values() for log in task["changelogs"] or ()]
    for topic, number, end in logs:
        partitions = found.setdefault("topics", {}).setdefault(topic, {"partitions": []})["partitions"]
        partitions.append({"id": number, "begin_offset": begin, "log_bytes": bytes_per_offset * (end - begin)})
    return found


def without_client(document: Document, process_id: str) -> Document:
    """The group after a client has left."""
    left = copy.deepcopy(document)
    del left["clients"][process_id]
    if left["leader_process_id"] == process_id:
        left["leader_process_id"] = None
    return left


def with_client(document: Document, process_id: str, client: Mapping[str, object]) -> Document:
    joined = copy.deepcopy(document)
    joined["clients"][process_id] = copy.deepcopy(dict(client))
    return joined


def restarted(document: Document, *process_ids: str) -> Document:
    """The group after these clients, or all, have restarted: other member IDs, all else as it was."""
    found = copy.deepcopy(document)
    for process_id in process_ids or found["clients"]:
        consumers = found["clients"][process_id]["consumers"]
        found["clients"][process_id]["consumers"] = {
            member.replace("0f6d8a3e-0000", "77777777-0000"): consumer for member, consumer in consumers.items()
        }
    return found


RESTARTED_AT = "2026-11-23T14:57:03Z"


def restarted_in_lake(lake: Lake, plan_id: str, group: tuple[str, str], member: str) -> None:
    """A plan that restarted the client of this member (`RESTARTED_AT`). `group`: cluster and ID."""
    ann, now = LeaseOwner("ann", "host-a", 11, "m-1"), datetime.fromisoformat(RESTARTED_AT).astimezone(UTC)
    lake.write(("plans", plan_id, "approval.json"), b"{}")
    lease = Leases(lake, plan_id, group, NO_KEYS, ann, lambda _: False, lambda: now).take()
    acted = Acted(Does.RESTART, "a", ClientProcess(ProcessState.RUNNING, "p"), (member,))
    entry = JournalEntry(RESTARTED_AT, "1", JournalEvent.BEGUN, "holdfast", "", acted=acted)
    journals.append(lake, journals.read(lake, plan_id), entry)
    lease.release()
