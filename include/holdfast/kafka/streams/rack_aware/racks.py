"""Whether tasks are placed by rack at all, and what it costs to run a task somewhere.

Java: `RackAwareTaskAssignor`, 3.6 to 4.3. Any rack that is missing turns it off for the whole group, in silence.
"""

from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.kafka import java
from holdfast.kafka.streams.board import Board
from holdfast.kafka.streams.group import Group
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
        self._sources = [_racks(replicas, task.partitions) for task in board.tasks]
        self._changelogs = [
            _racks(replicas, [TopicPartition(one.topic, one.partition) for one in task.changelogs or ()]) for task in board.tasks
        ]

    def cost(self, task: int, client: int, costs: Costs, *, there: bool, standby: bool) -> int:
        """An int as Java reckons it. `there`: the task is with this client already."""
        own = self.of_client[client]
        racks = self._changelogs[task] if standby else self._sources[task]
        elsewhere = sum(own not in one for one in racks)
        return java.signed_int(elsewhere * costs.traffic + (0 if there else costs.non_overlap))


def _racks(
    replicas: dict[TopicPartition, tuple[str | None, ...]], partitions: tuple[TopicPartition, ...] | list[TopicPartition]
) -> list[frozenset[str | None]]:
    return [frozenset(replicas.get(partition, ())) for partition in partitions]


def enabled(group: Group) -> bool:
    """Whether the leader places by rack: a strategy is set, every client has a rack and every broker that holds a partition.

    Raise CannotPredict where the group does not say where the replicas are.
    """
    if group.config.rack_aware_assignment_strategy == NONE or any(client.rack is None for client in group.clients):
        return False
    replicas = dict(group.replica_racks)
    if not _all_known(replicas, [partition for task in group.tasks for partition in task.partitions]):
        return False
    if group.config.num_standby_replicas == 0:
        return True
    topics = {changelog.topic: None for task in group.tasks for changelog in task.changelogs or ()}
    needed = [TopicPartition(one.topic, one.partition) for task in group.tasks for one in task.changelogs or ()]
    others = [partition for partition in replicas if partition.topic in topics]
    return _all_known(replicas, [*needed, *others])


def _all_known(replicas: dict[TopicPartition, tuple[str | None, ...]], partitions: list[TopicPartition]) -> bool:
    missing = next((partition for partition in partitions if partition not in replicas), None)
    if missing is not None:
        raise CannotPredict(
            f"The group places tasks by rack, and the racks of the replicas of {missing} are not known. Give the source topics, and"
            " with standbys the changelog topics too, in `topics`."
        )
    return all(replicas[partition] and None not in replicas[partition] for partition in partitions)
