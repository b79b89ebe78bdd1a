"""A client with static membership that returns before its session times out (KIP-345): no rebalance, and the assignment it had.

The broker answers its JoinGroup with what it has stored; its new report, and a new process ID, wait for the next rebalance,
whatever causes that.
"""

from collections.abc import Iterable
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.streams.group import Client, Task
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId
from holdfast.rollout.contract.unknown import Unknown
from holdfast.rollout.streams.change.change import Batch, Change, ReplaceClient, RestartClient, SetConfig, SetRelease
from holdfast.rollout.streams.events.evolution import Reports
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

WAITS = (
    "{} takes effect only with the next rebalance, and static members that return in time cause none. The option"
    " then-a-rebalance triggers one."
)


def is_static(client: Client) -> bool:
    """Whether every one of its members has a `group.instance.id`."""
    return bool(client.consumers) and all(consumer.group_instance_id is not None for consumer in client.consumers)


def all_static(clients: Iterable[Client]) -> bool:
    """Whether everybody is static; nobody is not."""
    found = tuple(clients)
    return bool(found) and all(map(is_static, found))


def may_return(snapshot: Snapshot, change: Change) -> tuple[Unknown, ...]:
    """A static member that comes back in time gets its old assignment without a rebalance, whatever its process ID and disk."""
    restarting = [
        event.process_id
        for event in change.events
        if isinstance(event, ReplaceClient) or (isinstance(event, RestartClient) and not event.within_session)
    ]
    static = [
        client.process_id
        for client in snapshot.clients
        if client.process_id in restarting and any(consumer.group_instance_id is not None for consumer in client.consumers)
    ]
    return tuple(
        Unknown(
            "group_instance_id",
            f"the members of {process_id} are static: if they return with the same instance IDs within the session timeout, no"
            " rebalance happens then, and the next one, whatever triggers it, is the one forecast here",
        )
        for process_id in static
    )


def causes_no_rebalance(batch: Batch) -> bool:
    """Whether nothing happens in it but returns of static members, with whatever settings they come back."""
    returns = [event for _, event in batch.events if isinstance(event, RestartClient) and event.within_session]
    settings = [event for _, event in batch.events if isinstance(event, SetConfig | SetRelease)]
    return bool(returns) and len(returns) + len(settings) == len(batch.events)


def returned(old: Client, event: RestartClient, process_id: ProcessId, reports: Reports, tasks: tuple[Task, ...]) -> Client:
    """The client as it would report once it runs what it ran: those tasks are running again.

    A copy that was there for another reason stays as it was; without the state it is gone, for which of them were standbys, and how
    far those have come again, nobody can see.
    """
    dynamic = [consumer.member_id for consumer in old.consumers if consumer.group_instance_id is None]
    if dynamic:
        raise InvalidInput(
            f"{dynamic[0]} has no group.instance.id: whoever is not static joins anew, in a rebalance", "within_session"
        )
    if event.threads not in (None, len(old.consumers)) or event.member_ids is not None:
        raise InvalidInput("it returns with the members it had; leave `threads` and `member_ids` out", "within_session")
    stateful = {task.id: task.partitions for task in tasks if task.stateful}
    consumers = []
    for consumer in old.consumers:
        running = {task for task, partitions in stateful.items() if any(one in consumer.owned for one in partitions)}
        sums: dict[TaskId, int] = dict.fromkeys(running, LATEST_OFFSET)
        if event.keeps_state:
            sums = {task: reports.closed(task, total) for task, total in consumer.task_offset_sums} | sums
        consumers.append(replace(consumer, task_offset_sums=tuple(sorted(sums.items()))))
    return replace(old, process_id=process_id, consumers=tuple(consumers))
