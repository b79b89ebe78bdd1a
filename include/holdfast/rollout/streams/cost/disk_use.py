"""State-store disk usage of each client: now, at most in between, and when the group is stable.

The size of a store is assumed to be that of its changelogs on a broker. That is an estimate: RocksDB keeps several versions of a
record until it compacts them, so does the broker, and each in its own time. At most in between: everything that was ever there,
because Kafka Streams deletes what a client no longer runs only after `state.cleanup.delay.ms`. At the end: what the client runs.
"""

from collections.abc import Iterable, Mapping

from holdfast.kafka.streams.group import ClientAssignment
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.disks.logs import TaskLogs, total_or_none
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost.evaluation import ClientDisk
from holdfast.rollout.streams.cost.stateful_tasks import StatefulTasks
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.forecast.amounts import Amount
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.scene.reports import reported
from holdfast.rollout.streams.snapshot import changelog_sizes
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

_Tasks = dict[TaskId, None]


def disks(
    snapshot: Snapshot, change: Change, outcome: Outcome, changed: Iterable[Iterable[ClientAssignment]], stateful: StatefulTasks
) -> tuple[ClientDisk, ...]:
    """By client, those that are there at the end and hold any state meanwhile. `changed`: see `changed_shares`."""
    ends = stateful.ends
    logs = changelog_sizes.task_logs(snapshot)
    elsewhere = _on_another_disk(change)
    now = {one: tasks for one, tasks in _now(snapshot, ends).items() if one not in elsewhere}
    most, end = _meanwhile(outcome, changed, stateful)
    free = {one.process_id: one.free_bytes for one in snapshot.state_directories if one.process_id not in elsewhere}
    return tuple(
        ClientDisk(
            one,
            _amount(now.get(one, {}), ends, logs),
            _amount({**now.get(one, {}), **dict.fromkeys(most.get(one, ()))}, ends, logs),
            _amount(end.get(one, {}), ends, logs),
            free.get(one),
        )
        for one in outcome.process_ids
        if now.get(one) or most.get(one)
    )


def _now(snapshot: Snapshot, stateful: Mapping[TaskId, int]) -> dict[ProcessId, _Tasks]:
    """What clients report, and what their disks were observed to hold."""
    found = {client.process_id: dict.fromkeys(one for one in reported(client) if one in stateful) for client in snapshot.clients}
    for directory in snapshot.state_directories:
        if directory.process_id in found:
            seen = (one.task_id for one in directory.tasks if one.non_empty and one.task_id in stateful)
            found[directory.process_id] |= dict.fromkeys(seen)
    return found


def _meanwhile(
    outcome: Outcome, changed: Iterable[Iterable[ClientAssignment]], stateful: StatefulTasks
) -> tuple[dict[ProcessId, set[TaskId]], dict[ProcessId, _Tasks]]:
    """What each client was ever handed or reports at last; and what it has in the end."""
    most = {client.process_id: {one for one in reported(client) if one in stateful.ends} for client in outcome.clients}
    last: dict[ProcessId, ClientAssignment] = {}
    for shares in changed:
        for client in shares:
            most.setdefault(client.process_id, set()).update(stateful.among(client.active), stateful.among(client.standby))
            last[client.process_id] = client
    end = {one: dict.fromkeys(stateful.among((*client.active, *client.standby))) for one, client in last.items()}
    return most, end


def _on_another_disk(change: Change) -> Mapping[ProcessId | None, None]:
    """Clients that start on a disk that was not observed, possibly with the ID of one that was."""
    return {one: None for item in change.events if isinstance(item, Event) for one in item.on_another_disk()}


def _amount(tasks: Iterable[TaskId], ends: Mapping[TaskId, int], logs: Mapping[TaskId, TaskLogs]) -> Amount:
    held = list(tasks)
    sizes = (None if ends[task] and task not in logs else logs[task].size if task in logs else 0 for task in held)
    return Amount(sum(ends[task] for task in held), total_or_none(sizes))
