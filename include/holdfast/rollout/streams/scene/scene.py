"""A group between two rebalances, before and after each event of a Change."""

from dataclasses import dataclass
from typing import Self

from holdfast.kafka.streams.group import Client, Task
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.facts.notes import Note
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Scene:
    """A group between two rebalances. Clients report what they would if it rebalanced now; `config` keeps Kafka's names."""

    group_id: str
    clients: tuple[Client, ...]
    config: tuple[tuple[str, ConfigValue], ...]
    leader_process_id: ProcessId | None
    kafka_release: str | None = None
    """That of the leader; None: unknown."""
    tasks: tuple[Task, ...] = ()
    delay_s: float = 0
    """From the last events to the rebalance that they cause: the group notices some only after a time."""
    stopped: tuple[tuple[TaskId, float], ...] = ()
    """How long tasks were unavailable in that time, in seconds."""
    down: tuple[ProcessId, ...] = ()
    """The clients that are there now and did not run in that time."""
    disks: tuple[tuple[ProcessId, tuple[tuple[TaskId, int], ...]], ...] = ()
    """What a client that is started on a disk without a running client reports at first (`first_report`), by the process ID
    there."""
    away: tuple[Client, ...] = ()
    """Clients that are missed, and will be back: as they were when they stopped."""
    failure: str | None = None
    """Why the leader cannot decide any more, whichever member leads; None: it can."""
    notes: tuple[Note, ...] = ()
    """What is not certain about the events so far."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> Self:
        return cls(
            snapshot.group_id,
            snapshot.clients,
            snapshot.config,
            snapshot.leader_process_id,
            snapshot.kafka_release,
            snapshot.tasks,
            disks=tuple(
                (one.process_id, one.first_report.task_offset_sums)
                for one in snapshot.state_directories
                if one.process_id is not None and one.first_report is not None and snapshot.client(one.process_id) is None
            ),
        )
