"""Everything between values and JSON text, under one name: `codec.loads`, `codec.snapshot_from_json`, `codec.fingerprint`, …

Strict both ways: what is not what the contract says is InvalidInput with every problem and its path, and the same value always
gives the same text.
"""

import hashlib
import json
from dataclasses import replace

from holdfast.rollout.codec.assignment import assignment_from_json, assignment_to_json
from holdfast.rollout.codec.change import assume_from_json, change_from_json
from holdfast.rollout.codec.change_writing import assume_to_json, change_to_json
from holdfast.rollout.codec.document import A_ROW, FORMAT_VERSION, LARGEST_DOCUMENT, dumps, loads
from holdfast.rollout.codec.forecast import Detail, forecast_to_json, summary_to_json
from holdfast.rollout.codec.snapshot import snapshot_from_json, unknown_from_json
from holdfast.rollout.codec.snapshot_writing import snapshot_to_json, unknown_to_json
from holdfast.rollout.snapshot import Evidence, Snapshot

__all__ = [
    "A_ROW",
    "FORMAT_VERSION",
    "LARGEST_DOCUMENT",
    "Detail",
    "assignment_from_json",
    "assignment_to_json",
    "assume_from_json",
    "assume_to_json",
    "change_from_json",
    "change_to_json",
    "dumps",
    "fingerprint",
    "forecast_to_json",
    "loads",
    "snapshot_fingerprint",
    "snapshot_from_json",
    "snapshot_to_json",
    "summary_to_json",
    "unknown_from_json",
    "unknown_to_json",
]


def fingerprint(document: object) -> str:
    """`sha256:` and 64 hexadecimal digits of the document. The order of an object's keys does not matter."""
    canonical = json.dumps(document, allow_nan=False, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return f"sha256:{hashlib.sha256(canonical.encode('ascii')).hexdigest()}"


def snapshot_fingerprint(snapshot: Snapshot) -> str:
    """The fingerprint of what a plan relies on: members, threads, process IDs, tasks, settings, who runs what.

    Not in it: lags, end offsets, times and evidence, which move every second and are what forecasts and verify are for.
    """
    evidence = {one.member_id: one for one in snapshot.evidence}
    clients = {
        str(client.process_id): {
            "host": client.host,
            "rack": client.rack,
            "client_tags": dict(client.client_tags),
            "consumers": {
                consumer.member_id: {
                    "metadata_version": consumer.metadata_version,
                    "owned": sorted([one.topic, one.partition] for one in consumer.owned),
                    "standby": _assigned_standby(evidence.get(consumer.member_id)),
                }
                for consumer in client.consumers
            },
        }
        for client in snapshot.clients
    }
    tasks = {
        str(task.id): {
            "partitions": sorted([one.topic, one.partition] for one in task.partitions),
            "changelogs": None if task.changelogs is None else sorted([one.topic, one.partition] for one in task.changelogs),
        }
        for task in snapshot.tasks
    }
    relied_on = replace(
        snapshot,
        captured_at=None,
        group_state=None,
        leader_process_id=None,
        tasks=(),
        clients=(),
        topics=(),
        evidence=(),
        state_directories=(),
        generations=(),
        unknown=(),
    )
    return fingerprint(snapshot_to_json(relied_on) | {"tasks": tasks, "clients": clients})


def _assigned_standby(evidence: Evidence | None) -> list[str] | None:
    if evidence is None or evidence.assigned_standby is None:
        return None
    return [str(task) for task in sorted(evidence.assigned_standby)]
