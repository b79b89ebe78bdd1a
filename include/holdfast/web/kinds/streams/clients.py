"""The clients of a Kafka Streams group on its page."""

from dataclasses import dataclass

from holdfast.kafka.vocabulary import LATEST_OFFSET, TaskId
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

MOST_COPIES = 12


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy on a client that does not run the task. `lag`: records behind the end; None: unknown."""

    task: str
    lag: int | None


@dataclass(frozen=True, slots=True)
class ClientView:
    """`at`: the rank of its process ID among all possible ones, 0 to 1000. `copies`: those that lag most come first."""

    place: int
    process_id: str
    host: str
    rack: str
    threads: int
    at: int
    active: tuple[str, ...]
    copies: tuple[Copy, ...]
    more_copies: int
    caught_up: int
    share: int


def clients(one: Snapshot) -> tuple[ClientView, ...]:
    """In process-ID order."""
    ends = {task.id: task.end_offset_sum for task in one.tasks}
    stateful = {task.id for task in one.tasks if task.stateful}
    runs: dict[str, list[TaskId]] = {}
    for task, owner in ownership.owners(one):
        if task in stateful:
            runs.setdefault(str(owner), []).append(task)
    most = max((len(tasks) for tasks in runs.values()), default=1)
    found = []
    for place, client in enumerate(sorted(one.clients, key=lambda client: client.process_id), start=1):
        active = tuple(sorted(runs.get(str(client.process_id), ())))
        totals = {task: total for consumer in client.consumers for task, total in consumer.task_offset_sums}
        copies = [Copy(str(task), _lag(ends.get(task), total)) for task, total in sorted(totals.items()) if total != LATEST_OFFSET]
        copies.sort(key=lambda copy: -1 if copy.lag is None else copy.lag, reverse=True)
        found.append(
            ClientView(
                place=place,
                process_id=str(client.process_id),
                host=client.host or "unknown host",
                rack=client.rack or "",
                threads=len(client.consumers),
                at=order.point(client.process_id) * 1000 >> 128,
                active=tuple(map(str, active)),
                copies=tuple(copies[:MOST_COPIES]),
                more_copies=max(0, len(copies) - MOST_COPIES),
                caught_up=sum(copy.lag == 0 for copy in copies),
                share=len(active) * 1000 // most,
            )
        )
    return tuple(found)


def _lag(end: int | None, total: int) -> int | None:
    return None if end is None or total < 0 else max(0, end - total)
