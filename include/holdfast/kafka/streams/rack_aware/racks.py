"""Whether tasks are placed by rack at all, and what it costs to run a task somewhere.

Java: `RackAwareTaskAssignor`, 3.6 to 4.3. Any rack that is missing turns it off for the whole group, in silence.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.streams.config import TaskAssignor
from holdfast.kafka.streams.group import Group, Task
from holdfast.kafka.streams.leader_state import Board
from holdfast.kafka.vocabulary import TopicPartition

NONE, MIN_TRAFFIC, BALANCE_SUBTOPOLOGY = "none", "min_traffic", "balance_subtopology"


@dataclass(frozen=True, slots=True)
class Costs:
    """What a partition read across racks costs, and a task that is not where it was (`rack.aware.assignment.*_cost`)."""

    traffic: int
    non_overlap: int


STATELESS = Costs(1, 0)


class Racks:
    """The racks of a group, by the numbers of a Board. `partitions`: those of each task that are read where it runs."""

    def __init__(self, board: Board, group: Group) -> None:
        replicas = dict(group.replica_racks)
        rack_of = {client.process_id: client.rack for client in group.clients}
        self.of_client = [rack_of[client.process_id] or "" for client in board.clients]
        self._read = [_racks(replicas, _read(task, group)) for task in board.tasks]
        self._changelogs = [_racks(replicas, _changelogs(task)) for task in board.tasks]

    def cost(self, task: int, client: int, costs: Costs, *, there: bool, standby: bool) -> int:
        """An int as Java reckons it. `there`: the task is with this client already."""
        own = self.of_client[client]
        racks = self._changelogs[task] if standby else self._read[task]
        elsewhere = sum(own not in one for one in racks)
        return java.signed_int(elsewhere * costs.traffic + (0 if there else costs.non_overlap))


def _read(task: Task, group: Group) -> Iterable[TopicPartition]:
    """What traffic counts for where a task is active: its sources; with a public assignor its changelogs too (KIP-924)."""
    if group.config.task_assignor is TaskAssignor.PUBLIC_STICKY:
        return dict.fromkeys((*task.partitions, *_changelogs(task)))
    return task.partitions


def _changelogs(task: Task) -> list[TopicPartition]:
    return [TopicPartition(one.topic, one.partition) for one in task.changelogs or ()]


def _racks(
    replicas: dict[TopicPartition, tuple[str | None, ...]], partitions: Iterable[TopicPartition]
) -> list[frozenset[str | None]]:
    return [frozenset(replicas.get(partition, ())) for partition in partitions]


def enabled(group: Group) -> bool:
    """Whether the leader places by rack: a strategy is set, every client has a rack and every broker that holds a partition.

    Raise CannotPredict where the group does not say where the replicas are.
    """
    if group.config.rack_aware_assignment_strategy == NONE or any(client.rack is None for client in group.clients):
        return False
    replicas = dict(group.replica_racks)
    sources = [partition for task in group.tasks for partition in task.partitions]
    changelogs = [partition for task in group.tasks for partition in _changelogs(task)]
    if group.config.task_assignor is TaskAssignor.PUBLIC_STICKY:  # one replica of each whose rack is known will do
        _refuse_missing(replicas, [*sources, *changelogs])
        return all(any(rack is not None for rack in replicas[partition]) for partition in (*sources, *changelogs))
    if not _all_known(replicas, sources):
        return False
    if group.config.num_standby_replicas == 0:
        return True
    topics = {partition.topic: None for partition in changelogs}
    others = [partition for partition in replicas if partition.topic in topics]
    return _all_known(replicas, [*changelogs, *others])


def _all_known(replicas: dict[TopicPartition, tuple[str | None, ...]], partitions: list[TopicPartition]) -> bool:
    _refuse_missing(replicas, partitions)
    return all(replicas[partition] and None not in replicas[partition] for partition in partitions)


def _refuse_missing(replicas: dict[TopicPartition, tuple[str | None, ...]], partitions: list[TopicPartition]) -> None:
    missing = next((partition for partition in partitions if partition not in replicas), None)
    if missing is not None:
        raise CannotPredict(
            f"The group places tasks by rack, and the racks of the replicas of {missing} are unknown. Give the source topics, and"
            " with standbys or a public assignor the changelog topics too, in `topics`."
        )
