"""What the members of a group report, as arrays. A client that was read before is not read again: from one walk of a search to the
next most report the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from holdfast.kafka.streams.client_state import Topology
from holdfast.kafka.streams.compiled.arrays import ABSENT, LATEST, NONE, Flags, Ints, Reported
from holdfast.kafka.streams.group import Client, Consumer
from holdfast.kafka.vocabulary import UNKNOWN_OFFSET_SUM, TaskId
from holdfast.rollout.streams.forecast.compiled import workspace

MOST_RECORDS = 2**62
MOST_FOR_EACH = 32
"""The most clients that are kept as they were read, for each of a group; then all are forgotten."""


class _Read(NamedTuple):
    """`copies`: tasks, their sums of offsets, and the members that report them; `owned`: tasks and the members that own them."""

    client: Client
    copies: Ints
    owned: Ints


@dataclass(slots=True)
class Reading:
    """The clients of groups that differ in reports only. `clients`, `members`: those with each number, as in `Packed`.

    `rows`: the number of each task; `ends_fit`: whether its end can be reckoned with.
    """

    clients: Sequence[int]
    members: Sequence[tuple[int, int]]
    topology: Topology
    rows: Mapping[TaskId, int]
    ends_fit: Flags
    known: dict[int, _Read] = field(default_factory=dict)
    """By the identity of the client."""

    @classmethod
    def of(cls, clients: Sequence[int], members: Sequence[tuple[int, int]], topology: Topology) -> "Reading":
        ends_fit = np.array([0 <= end < MOST_RECORDS for end in topology.ends], bool)
        rows = {task: row for row, task in enumerate(topology.ids)}
        return cls(clients, members, topology, rows, ends_fit)

    def read(self, clients: Sequence[Client], into: Reported) -> Reported | None:
        """`into`: what is replaced (`workspace.fill`). None: what members report is out of the ordinary: of tasks that are not
        there, twice, or of half a task."""
        found: list[_Read] = []
        first = 0
        for at in self.clients:
            client = clients[at]
            one = self.known.get(id(client))
            if one is None:
                one = self._read(client, first)
                if one is None:
                    return None
                self._keep(one)
            found.append(one)
            first += len(client.consumers)
        return self._filled(found, into)

    def _keep(self, one: _Read) -> None:
        if len(self.known) >= MOST_FOR_EACH * len(self.clients):
            self.known.clear()
        self.known[id(one.client)] = one

    def _read(self, client: Client, first: int) -> _Read | None:
        """`first`: the number of its first member."""
        rows: list[int] = []
        totals: list[int] = []
        by: list[int] = []
        owned: list[tuple[int, int]] = []
        for number in range(first, first + len(client.consumers)):
            consumer = client.consumers[self.members[number][1]]
            rows.extend(self.rows.get(task, NONE) for task, _ in consumer.task_offset_sums)
            totals.extend(total for _, total in consumer.task_offset_sums)
            by.extend([number] * len(consumer.task_offset_sums))
            owns = self._owned(consumer)
            if owns is None:
                return None
            owned.extend((row, number) for row in owns)
        if NONE in rows or len(set(rows)) < len(rows) or not all(map(_is_ordinary, set(totals))) or not self.ends_fit[rows].all():
            return None
        return _Read(client, np.array([rows, totals, by], np.int64), np.array(owned, np.int64).reshape(-1, 2).T)

    def _owned(self, consumer: Consumer) -> list[int] | None:
        """The tasks that a member owns. None: it owns a part of one, or something else."""
        mine = frozenset(consumer.owned)
        tasks = {self.topology.task_of.get(partition) for partition in mine}
        found = [self.rows[task] for task in tasks if task is not None]
        whole = len(found) == len(tasks) and all(mine.issuperset(self.topology.tasks[row].partitions) for row in found)
        return found if whole else None

    def _filled(self, found: Sequence[_Read], into: Reported) -> Reported | None:
        sizes = np.array([one.copies.shape[1] for one in found], np.int64)
        copies = np.ascontiguousarray(np.concatenate([one.copies for one in found], axis=1))
        owned = np.ascontiguousarray(np.concatenate([one.owned for one in found], axis=1))
        return into if workspace.fill(into, sizes, copies, owned) else None


def _is_ordinary(total: int) -> bool:
    return total in (LATEST, UNKNOWN_OFFSET_SUM) or 0 <= total < MOST_RECORDS


def reported(sums: Ints, by: Ints, owner: Ints) -> Reported:
    """These sums, with the tasks of each client, and the clients of each task, listed."""
    client, task = np.nonzero(sums != ABSENT)
    by_task = np.argsort(task, kind="stable")
    clients, tasks = sums.shape
    return Reported(
        sums=sums,
        by=by,
        tasks=_listed(client, task, sums.shape),
        counts=np.bincount(client, minlength=clients),
        owner=owner,
        reporters=_listed(task[by_task], client[by_task], (tasks, clients)),
        reporter_counts=np.bincount(task, minlength=tasks),
        changed=np.ones(tasks, np.uint8),
    )


def _listed(row: Ints, column: Ints, shape: tuple[int, ...]) -> Ints:
    """Of each row its columns, where rows and, within each, columns ascend; what is behind them says nothing."""
    found = np.empty(shape, np.int64)
    found[row, np.arange(len(row)) - np.searchsorted(row, row)] = column
    return found
