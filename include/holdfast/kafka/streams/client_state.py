"""The leader's books during one assignment: what each client had, lags, and is given.

Java: `ClientState`, `StreamsPartitionAssignor.populateClientStatesMap` and `computeEndOffsetSumsByTask`, 2.6 to 4.3. Tasks and
clients are numbers here, counted in the order of TaskId and of process ID, so that comparing numbers compares as Java compares.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.group import Client, Consumer, Group, Task
from holdfast.kafka.vocabulary import LATEST_OFFSET, UNKNOWN_OFFSET_SUM, ProcessId, TaskId, TopicPartition

FIRST_VERSION_WITH_OFFSET_SUMS = 7
"""Members of an older metadata version name their tasks without offsets (KIP-441)."""

FIRST_VERSION_WITH_TAGS = 11
"""Members of an older metadata version cannot tell their client tags (KIP-708)."""


class LeaderThrows(Exception):
    """The leader's own class would throw: the rebalance fails, and the answer is a LeaderFailure."""


@dataclass(slots=True)
class ConsumerState:
    """A member of a client. `reported` holds the stateful tasks it reported, `reports_unknown` whether it reported others too."""

    member_id: str
    reported: tuple[int, ...]
    reports_unknown: bool


@dataclass(slots=True)
class ClientState:
    """One client: its consumers in member-ID order, what it had, and what it is given (`active`, `standby`).

    `lags` holds stateful tasks that it reported; the lag of any other task is the task's end-offset sum. `owners` says which
    consumer owned a partition.
    """

    process_id: ProcessId
    consumers: tuple[ConsumerState, ...]
    lags: dict[int, int]
    owners: dict[TopicPartition, str]
    previous_active: frozenset[TaskId]
    previous_standby: frozenset[TaskId]
    tags: dict[str, str] = field(default_factory=dict)
    active: set[int] = field(default_factory=set)
    standby: set[int] = field(default_factory=set)

    @property
    def capacity(self) -> int:
        return len(self.consumers)

    def blank(self) -> "ClientState":
        """What was read of it, and nothing given yet."""
        read = self.lags, self.owners, self.previous_active, self.previous_standby, self.tags
        return ClientState(self.process_id, self.consumers, *read)

    def holds(self, task: int) -> bool:
        return task in self.active or task in self.standby


class Board:
    """Every task and client of one assignment. Made at its beginning, changed by its phases, and never returned.

    `load_order` ranks clients as Kafka's queues do: by tasks per thread, then by process ID.
    """

    def __init__(self, group: Group, line: Behaviour, readings: "Readings | None" = None) -> None:
        readings = readings or Readings()
        topology = readings.topology(group, line)
        self.tasks: tuple[Task, ...] = topology.tasks
        self.clients: tuple[ClientState, ...] = tuple(
            readings.client(client, group) for client in sorted(group.clients, key=lambda client: client.process_id)
        )
        self.stateful: tuple[int, ...] = tuple(number for number, task in enumerate(self.tasks) if task.stateful)
        self.stateless: tuple[int, ...] = tuple(number for number, task in enumerate(self.tasks) if not task.stateful)
        self.load_order: list[tuple[float, int]] = [(0.0, number) for number in range(len(self.clients))]
        self.ends_known = topology.ends_known
        """Whether there is anything to measure lags against; else the leader falls back."""
        self._ends = topology.ends
        self._reporters: list[list[int]] = [[] for _ in self.tasks]
        for number, client in enumerate(self.clients):
            for task in client.lags:
                self._reporters[task].append(number)
        self.reported_by_some = frozenset(task for task, reporters in enumerate(self._reporters) if reporters)
        self._everybody = frozenset(range(len(self.clients)))

    def give_active(self, client: int, task: int) -> None:
        self.clients[client].active.add(task)
        self._weigh(client)

    def take_active(self, client: int, task: int) -> None:
        self.clients[client].active.remove(task)
        self._weigh(client)

    def give_standby(self, client: int, task: int) -> None:
        self.clients[client].standby.add(task)
        self._weigh(client)

    def take_standby(self, client: int, task: int) -> None:
        self.clients[client].standby.remove(task)
        self._weigh(client)

    def _weigh(self, client: int) -> None:
        state = self.clients[client]
        self.load_order[client] = ((len(state.active) + len(state.standby)) / len(state.consumers), client)

    def lag(self, client: int, task: int) -> int:
        """How far the client's copy is behind: -2 an active that was running, -3 unknown, the end-offset sum without a copy."""
        return self.clients[client].lags.get(task, self._ends[task])

    def caught_up(self, task: int, acceptable_recovery_lag: int) -> frozenset[int]:
        """The clients that could take the task over at once."""
        reporters = self._reporters[task]
        found = [client for client in reporters if _acceptable(self.clients[client].lags[task], acceptable_recovery_lag)]
        if not _acceptable(self._ends[task], acceptable_recovery_lag):
            return frozenset(found)
        return self._everybody if len(found) == len(reporters) else self._everybody.difference(reporters).union(found)

    def least_lag(self, task: int) -> int:
        reporters = self._reporters[task]
        lags = [self.clients[client].lags[task] for client in reporters]
        if len(reporters) < len(self.clients):
            lags.append(self._ends[task])
        return min(lags)

    def clients_by_lag(self, task: int) -> list[int]:
        return sorted(range(len(self.clients)), key=lambda client: (self.lag(client, task), client))

    def ids(self, tasks: Iterable[int]) -> tuple[TaskId, ...]:
        """The tasks' IDs, ascending."""
        return tuple(self.tasks[task].id for task in sorted(tasks))


def _acceptable(lag: int, acceptable_recovery_lag: int) -> bool:
    return lag == LATEST_OFFSET or acceptable_recovery_lag == java.LONG_MAX or 0 <= lag <= acceptable_recovery_lag


class _Topology:
    """The tasks in TaskId order, and the end-offset sums that lags are measured against.

    One end offset that could not be had makes all of them unknown (`StreamsPartitionAssignor.populateClientStatesMap`).
    """

    def __init__(self, group: Group, line: Behaviour) -> None:
        self.tasks = tuple(sorted(group.tasks, key=lambda task: task.id))
        self.number_of = {task.id: number for number, task in enumerate(self.tasks) if task.stateful}
        """Of stateful tasks."""
        self.task_of = {partition: task.id for task in self.tasks for partition in task.partitions}
        sums = [task.end_offset_sum for task in self.tasks]
        self.ends_known = None not in sums
        self.ends = [UNKNOWN_OFFSET_SUM if total is None or not self.ends_known else total for total in sums]
        self._running_counts = self.ends_known or line.running_counts_without_end_offsets

    def lag(self, number: int, offset_sum: int) -> int:
        """A sum beyond the end means a copy that cannot be right: it counts as none. Java: `ClientState.computeTaskLags`."""
        end = self.ends[number]
        if offset_sum == UNKNOWN_OFFSET_SUM or (offset_sum == LATEST_OFFSET and self._running_counts):
            return offset_sum
        return end if end < offset_sum else java.signed_long(end - offset_sum)


class Readings:
    """What was read of a group, for its next rebalances: a client that reports the same (the same object) is not read again.

    Only for one group whose members, tasks, release and settings stay as they are.
    """

    def __init__(self) -> None:
        self._topology: _Topology | None = None
        self._clients: dict[ProcessId, tuple[Client, ClientState]] = {}

    def topology(self, group: Group, line: Behaviour) -> _Topology:
        if self._topology is None:
            self._topology = _Topology(group, line)
        return self._topology

    def client(self, client: Client, group: Group) -> ClientState:
        assert self._topology is not None, "tasks are read before clients"
        known = self._clients.get(client.process_id)
        if known is None or known[0] is not client:
            known = self._clients[client.process_id] = client, _client_state(client, group, self._topology)
        return known[1].blank()


def _client_state(client: Client, group: Group, topology: _Topology) -> ClientState:
    sums: dict[TaskId, int] = {}
    owners: dict[TopicPartition, str] = {}
    for consumer in _as_read(client, group):
        if consumer.task_offset_sums:
            sums.update(_reported(consumer))
        if consumer.owned:
            owners.update(dict.fromkeys(consumer.owned, consumer.member_id))
    number_of = topology.number_of
    owned = frozenset(topology.task_of[partition] for partition in owners if partition in topology.task_of)
    if owners and not owned:
        raise LeaderThrows(
            "IllegalStateException: none of the partitions that the members of client "
            f"{client.process_id} own belongs to a task of the leader's topology"
        )
    return ClientState(
        process_id=client.process_id,
        consumers=tuple(
            _consumer_state(consumer, topology)
            for consumer in sorted(client.consumers, key=lambda consumer: java.string_order(consumer.member_id))
        ),
        lags={number: topology.lag(number, sums[task]) for task in sums if (number := number_of.get(task)) is not None},
        owners=owners,
        previous_active=owned | {task for task, offsets in sums.items() if offsets == LATEST_OFFSET},
        previous_standby=frozenset(task for task, offsets in sums.items() if offsets != LATEST_OFFSET) - owned,
        tags=_tags(client, group),
    )


def _consumer_state(consumer: Consumer, topology: _Topology) -> ConsumerState:
    if not consumer.task_offset_sums:
        return ConsumerState(consumer.member_id, (), reports_unknown=False)
    number_of = topology.number_of
    known = tuple(number_of[task] for task, _ in consumer.task_offset_sums if task in number_of)
    return ConsumerState(consumer.member_id, known, reports_unknown=len(known) < len(consumer.task_offset_sums))


def _reported(consumer: Consumer) -> tuple[tuple[TaskId, int], ...]:
    """What the leader decodes: an older member's copies have no offsets."""
    if consumer.metadata_version is None or consumer.metadata_version >= FIRST_VERSION_WITH_OFFSET_SUMS:
        return consumer.task_offset_sums
    return tuple((task, offsets if offsets == LATEST_OFFSET else UNKNOWN_OFFSET_SUM) for task, offsets in consumer.task_offset_sums)


def _tags(client: Client, group: Group) -> dict[str, str]:
    """The client's tags as the first of its members that the leader reads tells them; older members have none to tell."""
    versions = [consumer.metadata_version for consumer in client.consumers]
    if all(version is None or version >= FIRST_VERSION_WITH_TAGS for version in versions):
        return dict(client.client_tags)
    first = _in_hash_order(client, group)[0].metadata_version
    return dict(client.client_tags) if first is None or first >= FIRST_VERSION_WITH_TAGS else {}


def _as_read(client: Client, group: Group) -> tuple[Consumer, ...]:
    """The consumers; where two claim the same, so that the last one counts, in the order in which the leader reads them."""
    claims = [
        claim
        for consumer in client.consumers
        if consumer.owned or consumer.task_offset_sums
        for claim in (*consumer.owned, *(task for task, _ in consumer.task_offset_sums))
    ]
    return client.consumers if len(set(claims)) == len(claims) else _in_hash_order(client, group)


def _in_hash_order(client: Client, group: Group) -> tuple[Consumer, ...]:
    """The leader reads all members of the group from one HashMap keyed by member ID (`ConsumerCoordinator`)."""
    members = [consumer.member_id for each in group.clients for consumer in each.consumers]
    position = {member: number for number, member in enumerate(java_hash.hash_order(members, java.string_hash, java.string_order))}
    return tuple(sorted(client.consumers, key=lambda consumer: position[consumer.member_id]))
