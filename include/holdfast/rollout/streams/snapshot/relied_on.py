"""The fingerprint of the Snapshot data that a plan relies on."""

from dataclasses import replace

from holdfast.rollout.json.fingerprints import fingerprint
from holdfast.rollout.streams.snapshot.evidence import Evidence
from holdfast.rollout.streams.snapshot.json import snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


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
    if evidence is None or evidence.assigned.standby is None:
        return None
    return [str(task) for task in sorted(evidence.assigned.standby)]
