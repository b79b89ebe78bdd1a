"""One client in the leader's books: what it had, lags and is given; and how that is read from what its members report.

Java: `ClientState`, `StreamsPartitionAssignor.populateClientStatesMap` and `computeEndOffsetSumsByTask`, 2.6 to 4.3. Tasks are
numbers here, counted in the order of TaskId, so that comparing numbers compares as Java compares.
"""

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.kafka import java, java_hash
from holdfast.kafka.release import Behaviour
from holdfast.kafka.streams.group import Client, Consumer, Group
from holdfast.kafka.vocabulary import LATEST_OFFSET, UNKNOWN_OFFSET_SUM, ProcessId, TaskId, TopicPartition

FIRST_VERSION_WITH_OFFSET_SUMS = 7
"""Members of an older metadata version name their tasks without offsets (KIP-441)."""

FIRST_VERSION_WITH_TAGS = 11
"""Members of an older metadata version cannot send their client tags (KIP-708)."""


_NOTHING: frozenset[TopicPartition] = frozenset()
_member_id = operator.attrgetter("member_id")
_task_id = operator.attrgetter("id")


class LeaderThrows(Exception):
    """The leader's own class would throw: the rebalance fails, and the answer is a LeaderFailure."""


class ConsumerState(NamedTuple):
    """A member of a client. `reported` holds the stateful tasks it reported, `reports_unknown` whether it reported others too."""

    member_id: str
    reported: tuple[int, ...]
    reports_unknown: bool


@dataclass(slots=True)
class ClientState:
    """One client: its consumers in member-ID order, what it had, and what it is given (`active`, `standby`).

    `lags` holds stateful tasks that it reported; the lag of any other task is the task's end-offset sum. `owned` says what each
    consumer owned; a partition that two claimed is the later one's.
    """

    process_id: ProcessId
    consumers: tuple[ConsumerState, ...]
    lags: dict[int, int]
    owned: dict[str, frozenset[TopicPartition]]
    tags: dict[str, str] = field(default_factory=dict)
    sums: dict[TaskId, int] = field(default_factory=dict)
    """Of all that it reported, tasks that the topology does not have too."""
    task_of: Mapping[TopicPartition, TaskId] = field(default_factory=dict)
    active: set[int] = field(default_factory=set)
    standby: set[int] = field(default_factory=set)
    _previous: tuple[frozenset[TaskId], frozenset[TaskId]] | None = None
    _active_numbers: tuple[int, ...] | None = None

    @property
    def capacity(self) -> int:
        return len(self.consumers)

    @property
    def previous_active(self) -> frozenset[TaskId]:
        return self._previously()[0]

    @property
    def previous_standby(self) -> frozenset[TaskId]:
        return self._previously()[1]

    def had_active(self, topology: "Topology") -> tuple[int, ...]:
        """The numbers of `previous_active`, without tasks that its topology does not have."""
        if self._active_numbers is None:
            numbers = topology.number_of_any
            self._active_numbers = tuple([numbers[task] for task in self.previous_active if task in numbers])
        return self._active_numbers

    def _previously(self) -> tuple[frozenset[TaskId], frozenset[TaskId]]:
        """What it had; worked out when it is asked for, because most decisions do not depend on it."""
        if self._previous is None:
            owned = [self.task_of[one] for partitions in self.owned.values() for one in partitions if one in self.task_of]
            active = frozenset(owned).union([task for task, offsets in self.sums.items() if offsets == LATEST_OFFSET])
            self._previous = active, frozenset(self.sums).difference(active)
        return self._previous

    def owned_by(self, member_id: str) -> frozenset[TopicPartition]:
        return self.owned.get(member_id, _NOTHING)

    def holds(self, task: int) -> bool:
        return task in self.active or task in self.standby


class Topology:
    """The tasks in TaskId order, and the end-offset sums that lags are measured against.

    One end offset that could not be had makes all of them unknown (`StreamsPartitionAssignor.populateClientStatesMap`).
    """

    def __init__(self, group: Group, line: Behaviour) -> None:
        self.tasks = tuple(sorted(group.tasks, key=_task_id))
        self.ids = tuple([task.id for task in self.tasks])
        self.stateful = tuple([number for number, task in enumerate(self.tasks) if task.changelogs])
        every = len(self.stateful) == len(self.tasks)
        self.stateless = () if every else tuple([number for number, task in enumerate(self.tasks) if not task.changelogs])
        self.number_of = {self.ids[number]: number for number in self.stateful}
        """Of stateful tasks."""
        self.task_of = {partition: task.id for task in self.tasks for partition in task.partitions}
        sums = [task.end_offset_sum for task in self.tasks]
        self.ends_known = None not in sums
        self.ends = [UNKNOWN_OFFSET_SUM if total is None or not self.ends_known else total for total in sums]
        self.running_counts = self.ends_known or line.running_counts_without_end_offsets

    @functools.cached_property
    def number_of_any(self) -> dict[TaskId, int]:
        return {task: number for number, task in enumerate(self.ids)}

    def lag(self, number: int, offset_sum: int) -> int:
        """A sum beyond the end means a copy that cannot be right: it counts as none. Java: `ClientState.computeTaskLags`."""
        end = self.ends[number]
        if offset_sum == UNKNOWN_OFFSET_SUM or (offset_sum == LATEST_OFFSET and self.running_counts):
            return offset_sum
        return end if end < offset_sum else java.signed_long(end - offset_sum)


def read(client: Client, group: Group, topology: Topology) -> ClientState:
    """What the members of one client report. Raise LeaderThrows where the leader's own class would."""
    number_of, task_of, lag, running_counts = topology.number_of, topology.task_of, topology.lag, topology.running_counts
    sums: dict[TaskId, int] = {}
    if len(client.consumers) == 1:
        (only,) = client.consumers
        if only.task_offset_sums:
            sums = dict(_reported(only))
        owned = {only.member_id: frozenset(only.owned)} if only.owned else {}
        known = not only.owned or any(map(task_of.__contains__, only.owned))
    else:
        owners: dict[TopicPartition, str] = {}
        for consumer in _as_read(client, group):
            if consumer.task_offset_sums:
                sums.update(_reported(consumer))
            if consumer.owned:
                owners.update(dict.fromkeys(consumer.owned, consumer.member_id))
        owned = _by_member(client, owners)
        known = not owners or any(map(task_of.__contains__, owners))
    if not known:
        raise LeaderThrows(
            "IllegalStateException: none of the partitions that the members of client "
            f"{client.process_id} own belongs to a task of the leader's topology"
        )
    lags = {
        number: total if total == LATEST_OFFSET and running_counts else lag(number, total)
        for task, total in sums.items()
        if (number := number_of.get(task)) is not None
    }
    tags = _tags(client, group) if client.client_tags else {}
    return ClientState(client.process_id, _consumer_states(client, topology), lags, owned, tags, sums, task_of)


def _by_member(client: Client, owners: dict[TopicPartition, str]) -> dict[str, frozenset[TopicPartition]]:
    owned = {consumer.member_id: frozenset(consumer.owned) for consumer in client.consumers if consumer.owned}
    if sum(map(len, owned.values())) == len(owners):
        return owned
    return {
        member: frozenset(partition for partition in claimed if owners[partition] == member) for member, claimed in owned.items()
    }


def _in_member_order(client: Client) -> Sequence[Consumer]:
    """As Java orders strings, which for ASCII is as Python does."""
    if len(client.consumers) == 1:
        return client.consumers
    if all(map(str.isascii, map(_member_id, client.consumers))):
        return sorted(client.consumers, key=_member_id)
    return sorted(client.consumers, key=lambda consumer: java.string_order(consumer.member_id))


def _consumer_states(client: Client, topology: Topology) -> tuple[ConsumerState, ...]:
    """Of idle threads there may be thousands."""
    return tuple(
        [
            _consumer_state(consumer, topology) if consumer.task_offset_sums else _new_state((consumer.member_id, (), False))
            for consumer in _in_member_order(client)
        ]
    )


_new_state: Callable[[tuple[object, ...]], ConsumerState] = functools.partial(tuple.__new__, ConsumerState)


def _consumer_state(consumer: Consumer, topology: Topology) -> ConsumerState:
    number_of = topology.number_of
    known = tuple([number_of[task] for task, _ in consumer.task_offset_sums if task in number_of])
    return ConsumerState(consumer.member_id, known, reports_unknown=len(known) < len(consumer.task_offset_sums))


def _reported(consumer: Consumer) -> tuple[tuple[TaskId, int], ...]:
    """What the leader decodes: an older member's copies have no offsets."""
    if consumer.metadata_version is None or consumer.metadata_version >= FIRST_VERSION_WITH_OFFSET_SUMS:
        return consumer.task_offset_sums
    return tuple((task, offsets if offsets == LATEST_OFFSET else UNKNOWN_OFFSET_SUM) for task, offsets in consumer.task_offset_sums)


def _tags(client: Client, group: Group) -> dict[str, str]:
    """The client's tags as sent by the first of its members that the leader reads; older members send none."""
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
    position = {
        member: number for number, member in enumerate(java_hash.hash_order(group.members(), java.string_hash, java.string_order))
    }
    return tuple(sorted(client.consumers, key=lambda consumer: position[consumer.member_id]))
