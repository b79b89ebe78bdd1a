"""A case as a contract Snapshot, and the contract's Assignment in the driver's form: the same comparison, through the command."""

from typing import Any

from tests.conformance.streams.groups import Case, tasks_of

UNSAYABLE_OF_A_MEMBER = ("latest",)
"""What a Snapshot has no word for."""


def sayable(case: Case) -> bool:
    """A leader of no member's process is not in a Snapshot either."""
    if all(case["leader"] != member["process"] for member in case["members"]):
        return False
    return not any(key in member for member in case["members"] for key in UNSAYABLE_OF_A_MEMBER)


def snapshot_of(case: Case, release: str) -> Case:
    """The leader's own client tags are not in it."""
    config = {key: value for key, value in case["config"].items() if not key.startswith("client.tag.")}
    if "rack.aware.assignment.tags" in config:
        config["rack.aware.assignment.tags"] = config["rack.aware.assignment.tags"].split(",")
    snapshot: Case = {
        "format_version": "1.0",
        "cluster": "random",
        "group_id": "app",
        "captured_at": "2026-11-20T13:48:02Z",
        "protocol": "streams-classic",
        "group_state": "Stable",
        "kafka_release": release,
        "leader_process_id": case["leader"],
        "config": config,
        "tasks": {task: {"partitions": sources, "changelogs": logs} for task, sources, logs in _tasks(case)},
        "clients": _clients(case),
        "unknown": [],
    }
    if "missing" in case:
        snapshot["missing_topics"] = list(case["missing"])
    if "replicas" in case:
        snapshot["topics"] = {
            topic: {"partitions": [{"id": number, "replica_racks": racks} for number, racks in enumerate(partitions)]}
            for topic, partitions in case["replicas"].items()
        }
    return snapshot


def _tasks(case: Case) -> list[tuple[str, list[Any], list[Any]]]:
    found = []
    for task, sources, changelogs in tasks_of(case["subtopologies"]):
        partition = int(task.partition("_")[2])
        found.append((task, sources, [[topic, partition, case["ends"][topic][partition]] for topic in changelogs]))
    return found


def _clients(case: Case) -> Case:
    clients: Case = {}
    for member in case["members"]:
        client = clients.setdefault(
            member["process"],
            {
                "host": None,
                "rack": member.get("rack"),
                "client_tags": member.get("tags", {}),
                "user_endpoint": None,
                "consumers": {},
            },
        )
        consumer = {
            "client_id": member["id"][:-37],
            "group_instance_id": member.get("instance"),
            "owned": member["owned"],
            "task_offset_sums": member["sums"],
        }
        if "version" in member:
            consumer["metadata_version"] = member["version"]
        if "code" in member:
            consumer["error_code"] = member["code"]
        client["consumers"][member["id"]] = consumer
    return clients


def answer_of(assignment: Case) -> Case:
    """What the command printed, as the driver would say it."""
    if "error" in assignment or "error_code" in assignment:
        return {key: assignment[key] for key in ("error", "error_code") if key in assignment}
    return {
        "probing": assignment["probing_rebalance_needed"],
        "clients": {
            process: {kind: sorted(tasks) for kind, tasks in client.items()} for process, client in assignment["clients"].items()
        },
        "consumers": {
            member: {
                "active": sorted(consumer["active"]),
                "standby": sorted(consumer["standby"]),
                "withheld": sorted(consumer["withheld"]),
                "next": consumer["next_rebalance"],
                "code": 0,
            }
            for member, consumer in assignment["consumers"].items()
        },
    }
