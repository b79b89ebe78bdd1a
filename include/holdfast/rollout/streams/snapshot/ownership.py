"""Which client runs which task, as a snapshot or what members report shows it."""

from collections.abc import Iterable

from holdfast.kafka.streams.group import Client, Task
from holdfast.kafka.vocabulary import LATEST_OFFSET, ProcessId, TaskId, TopicPartition
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


def owners(snapshot: Snapshot) -> tuple[tuple[TaskId, ProcessId], ...]:
    """Which client runs each task now: the one that owns its partitions, or else reports it as running. In task order."""
    return owners_among(snapshot.clients, snapshot.tasks)


def owners_among(clients: Iterable[Client], tasks: Iterable[Task]) -> tuple[tuple[TaskId, ProcessId], ...]:
    """The same of clients that are in no Snapshot."""
    owning: dict[TopicPartition, ProcessId] = {}
    running: dict[TaskId, ProcessId] = {}
    for client in clients:
        for consumer in client.consumers:
            owning.update(dict.fromkeys(consumer.owned, client.process_id))
            running.update({task: client.process_id for task, total in consumer.task_offset_sums if total == LATEST_OFFSET})
    found: dict[TaskId, ProcessId] = {}
    for task in tasks:
        owner = next((owning[one] for one in task.partitions if one in owning), running.get(task.id))
        if owner is not None:
            found[task.id] = owner
    return tuple(sorted(found.items(), key=lambda item: item[0]))
