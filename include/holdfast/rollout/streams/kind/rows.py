"""A Kafka Streams group as rows of tables. Plain values only."""

import zlib
from collections import Counter

from holdfast.kafka.java import LONG_MAX
from holdfast.kafka.streams.group import Client, Task
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.rollout.contract.client_figures import CopiesReported, Held
from holdfast.rollout.disks.rows import row_of
from holdfast.rollout.streams.cost.times_of_costs import times_of
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.relied_on import snapshot_fingerprint
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

Row = dict[str, object]


def decoded(snapshot: Snapshot) -> Row:
    return {
        "group": _group(snapshot),
        "clients": _clients(snapshot),
        "members": _members(snapshot),
        "tasks": _tasks(snapshot),
        "partitions": [],
        "state_directories": [row_of(one) for one in snapshot.state_directories],
    }


def targets(snapshot: Snapshot) -> list[Row]:
    """Where each stateful task is going, and whose it is now."""
    going = order.target(groups.any_group_of(snapshot))
    owner = dict(ownership.owners(snapshot))
    return [
        {
            "task_id": str(task),
            "owner": str(owner[task]) if task in owner else None,
            "target": str(process_id),
            "will_move": owner.get(task) != process_id,
        }
        for task, process_id in going
    ]


def held(snapshot: Snapshot) -> tuple[Held, ...]:
    """In process-ID order."""
    stateful = {task.id for task in snapshot.tasks if task.stateful}
    running = Counter(owner for task, owner in ownership.owners(snapshot) if task in stateful)
    return tuple(
        Held(str(one.process_id), one.host or "", running[one.process_id], _copies(one)["other_copies"])
        for one in sorted(snapshot.clients, key=lambda one: one.process_id)
    )


def copies_reported(snapshot: Snapshot) -> CopiesReported | None:
    """By the last JoinGroup of each member: a task that ran then lacks nothing, a copy what its sum of offsets lacks. One that a
    member was given only after it had joined has no report yet. None: no JoinGroup is known, or not which tasks are stateful."""
    process_of = {one.member_id: client.process_id for client in snapshot.clients for one in client.consumers}
    known = [one for one in snapshot.evidence if one.member_id in process_of and one.last_join.task_offset_sums is not None]
    if not known or any(task.changelogs is None for task in snapshot.tasks):
        return None
    ends = {task.id: task.end_offset_sum for task in snapshot.tasks if task.stateful}
    told: dict[tuple[ProcessId, TaskId], int] = {}
    for one in known:
        for task, total in one.last_join.task_offset_sums or ():
            place = process_of[one.member_id], task
            told[place] = LATEST_OFFSET if LATEST_OFFSET in (total, told.get(place)) else max(total, told.get(place, total))
    given = {
        (process_of[one.member_id], task)
        for one in snapshot.evidence
        if one.member_id in process_of
        for task in (*(one.assigned.active or ()), *(one.assigned.standby or ()))
        if task in ends
    }
    lags = [_lag(told.get(place), ends[place[1]]) for place in given]
    reported = [lag for lag in lags if lag is not None]
    digest = zlib.crc32(repr((sorted(told.items()), sorted(given))).encode())
    return CopiesReported(digest, len(given), len(reported), min(sum(reported), LONG_MAX))


def _lag(total: int | None, end: int | None) -> int | None:
    """None: unknown."""
    if total == LATEST_OFFSET:
        return 0
    return None if total is None or total < 0 or end is None else max(0, end - total)


def order_change(was: Snapshot, now: Snapshot) -> Row | None:
    """None: no client joined or left."""
    change = order.order_changes(was, now)
    if change.before == change.after:
        return None
    return {
        "protocol": now.protocol,
        "joined": [str(process_id) for process_id in change.joined],
        "left": [str(process_id) for process_id in change.left],
        "shifted": [str(process_id) for process_id in change.shifted],
        "moved": len(change.moved),
        "moved_between_survivors": len(change.moved_between_survivors),
        "moves": [
            {"task_id": str(move.task), "owner_before": str(move.before), "owner_after": str(move.after)} for move in change.moved
        ],
        "seeds": [{"lost": str(lost), "keeps_the_order": str(seed)} for lost, seed in change.seeds],
        "text_order_misleads": change.text_order_misleads,
    }


def option(plan: Plan, one: Considered) -> Row:
    """Of several outcomes the worst counts: it moves most, and takes longest."""
    worst = max(one.costs, key=lambda cost: (cost.moved, cost.longest_s), default=None)
    ends = None if worst is None else times_of(worst, plan.policy).rebalancing_ends
    return {
        "stateful_tasks": None if worst is None else worst.stateful_tasks,
        "moved": None if worst is None else worst.moved,
        "expected_moved": sum(cost.probability * cost.moved for cost in one.costs) if one.costs else None,
        "needless": None if worst is None else worst.needless,
        "rebalances_most": None if worst is None else worst.rebalances.high,
        "hours_most": None if ends is None else ends.high / 3600,
        "restored_records": None if worst is None else worst.restored_records,
    }


def _group(snapshot: Snapshot) -> Row:
    standbys = dict(snapshot.config).get("num.standby.replicas", 0)
    return {
        "protocol": snapshot.protocol,
        "group_state": snapshot.group_state,
        "kafka_release": snapshot.kafka_release,
        "task_assignor": snapshot.task_assignor,
        "leader_process_id": None if snapshot.leader_process_id is None else str(snapshot.leader_process_id),
        "clients": len(snapshot.clients),
        "threads": len(snapshot.consumers()),
        "threads_alike": len({len(client.consumers) for client in snapshot.clients}) <= 1,
        "tasks": len(snapshot.tasks),
        "stateful_tasks": sum(task.stateful for task in snapshot.tasks),
        "standbys": standbys if isinstance(standbys, int) else None,
        "unknown": [f"{unknown.what}: {unknown.reason}" for unknown in snapshot.unknown],
        "fingerprint": snapshot_fingerprint(snapshot),
        "members": len(snapshot.consumers()),
        "generation": snapshot.generations[-1].number if snapshot.generations else None,
        "copies_behind": _copies_behind(snapshot),
    }


def _copies_behind(snapshot: Snapshot) -> int | None:
    """Records that standbys, warm-ups and copies left on disks lack of their changelogs; None: no copy of which that is known."""
    ends = {task.id: task.end_offset_sum for task in snapshot.tasks if task.stateful}
    sums = [one for client in snapshot.clients for consumer in client.consumers for one in consumer.task_offset_sums]
    behind = [max(end - offset, 0) for task, offset in sums if offset >= 0 and (end := ends.get(task)) is not None]
    return sum(behind) if behind else None


def _clients(snapshot: Snapshot) -> list[Row]:
    return [
        {
            "process_id": str(client.process_id),
            "place_in_order": place,
            "host": client.host,
            "rack": client.rack,
            "client_tags": [f"{key}={value}" for key, value in client.client_tags],
            "threads": len(client.consumers),
            **_copies(client),
        }
        for place, client in enumerate(sorted(snapshot.clients, key=lambda one: one.process_id))
    ]


def _copies(client: Client) -> dict[str, int]:
    totals = [total for consumer in client.consumers for _, total in consumer.task_offset_sums]
    running = sum(total == LATEST_OFFSET for total in totals)
    return {"active_stateful": running, "other_copies": len(totals) - running}


def _members(snapshot: Snapshot) -> list[Row]:
    return [
        {
            "process_id": str(client.process_id),
            "member_id": consumer.member_id,
            "client_id": consumer.client_id,
            "group_instance_id": consumer.group_instance_id,
            "owned_partitions": len(consumer.owned),
            "active_stateful": sum(offset == LATEST_OFFSET for _, offset in consumer.task_offset_sums),
            "other_copies": sum(offset != LATEST_OFFSET for _, offset in consumer.task_offset_sums),
            "host": client.host,
            "rack": client.rack,
        }
        for client in snapshot.clients
        for consumer in client.consumers
    ]


def _tasks(snapshot: Snapshot) -> list[Row]:
    owner = dict(ownership.owners(snapshot))
    return [
        {
            "task_id": str(task.id),
            "subtopology": task.id.subtopology,
            "partition": task.id.partition,
            "stateful": None if task.changelogs is None else task.stateful,
            "end_offset_sum": task.end_offset_sum if task.stateful else None,
            "owner": str(owner[task.id]) if task.id in owner else None,
            "source_partitions": [str(partition) for partition in task.partitions],
            "changelogs": _changelogs(task),
        }
        for task in snapshot.tasks
    ]


def _changelogs(task: Task) -> list[Row]:
    return [
        {"topic": changelog.topic, "partition": changelog.partition, "end_offset": changelog.end_offset}
        for changelog in task.changelogs or ()
    ]
