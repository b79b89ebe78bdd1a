"""Decisions of the leader that are unpacked when they are looked at: of most rebalances only the number is asked for.

From one to the next little changes, and what does not is the same object.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.kafka.streams import leader
from holdfast.kafka.streams.compiled.arrays import NONE
from holdfast.kafka.streams.group import (
    Assignment,
    ClientAssignment,
    ConsumerAssignment,
    Doubt,
    NextRebalance,
    UndeterminedTask,
)
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.forecast.compiled import rebalances
from holdfast.rollout.streams.forecast.compiled.packing import Packed
from holdfast.rollout.streams.forecast.compiled.rebalances import Kept, Small
from holdfast.rollout.streams.forecast.compiled.reports import Noted


class _Rows(NamedTuple):
    """One decision as arrays. `members`: of each task; `withheld`: the tasks that their members wait for, ascending.

    `standbys`: member, task; `prober`: who probes.
    """

    members: Small
    withheld: Small
    standbys: Small
    probing: bool
    prober: int


class Reader:
    """Unpacks the decisions of one walk. What is handed out as in the one that was read before is the same object."""

    def __init__(self, one: Packed) -> None:
        self._group, self._members, self._tasks, self._clients = one.group, one.members, one.tasks, one.clients
        self._client_of = one.facts.client_of
        self._first_member = one.facts.first_member.tolist()
        self._first: list[int] = [0]
        for client in one.group.clients:
            self._first.append(self._first[-1] + len(client.consumers))
        self._rows: _Rows | None = None
        self._clients_before: tuple[_Rows, tuple[ClientAssignment, ...]] | None = None
        self._consumers_before: tuple[_Rows, tuple[ConsumerAssignment, ...]] | None = None
        self._doubts: dict[bool, tuple[Doubt, ...]] = {}

    def decisions(self, kept: Kept, noted: Noted, count: int) -> Iterator["Decision"]:
        """The first of what is kept, which is about to be overwritten. An array that is equal to the one before it is the same
        one: most are, and a search keeps thousands of them."""
        waits, copies = 0, 0
        for number in range(count):
            had, first_waits, first_copies = self._rows, waits, copies
            waits, copies = int(kept.withheld_end[number]), int(kept.standbys_end[number])
            self._rows = _Rows(
                _same_or(None if had is None else had.members, kept.members[number]),
                _same_or(None if had is None else had.withheld, kept.withheld[first_waits:waits]),
                _same_or(None if had is None else had.standbys, kept.standbys[first_copies:copies]),
                bool(noted.probing[number]),
                int(noted.probers[number]),
            )
            yield Decision(self, self._rows)

    def clients(self, rows: _Rows) -> tuple[ClientAssignment, ...]:
        """As `leader.assign` gives them."""
        known = self._clients_before
        changed = np.ones(len(self._clients), bool) if known is None else self._given_otherwise(rows, known[0])
        found = [_NO_CLIENT] * len(self._group.clients) if known is None else [*known[1]]
        if known is None or changed.any():
            self._read_clients(rows, changed, found)
        self._clients_before = rows, tuple(found)
        return self._clients_before[1]

    def consumers(self, rows: _Rows) -> tuple[ConsumerAssignment, ...]:
        """As `leader.assign` gives them."""
        known = self._consumers_before
        changed = np.ones(len(self._clients), bool) if known is None else self._handed_otherwise(rows, known[0])
        found = [_NO_CONSUMER] * len(self._members) if known is None else [*known[1]]
        if known is None or changed.any():
            self._read_consumers(rows, changed, found)
        self._consumers_before = rows, tuple(found)
        return self._consumers_before[1]

    def undetermined(self, rows: _Rows) -> tuple[Doubt, ...]:
        """As `leader.assign` gives them."""
        if rows.probing not in self._doubts:
            self._doubts[rows.probing] = leader.doubts_about_the_leader(self._group, probing=rows.probing)
        return self._doubts[rows.probing]

    def undetermined_tasks(self, _rows: _Rows) -> tuple[UndeterminedTask, ...]:
        """None: what leaves tasks undetermined is not modelled by arrays."""
        return ()

    def probing_rebalance_needed(self, rows: _Rows) -> bool:
        return rows.probing

    def _given_otherwise(self, rows: _Rows, before: _Rows) -> NDArray[np.bool_]:
        """The clients that are given something else."""
        changed = np.zeros(len(self._clients), np.uint8)
        if rows.members is not before.members or rows.standbys is not before.standbys:
            arrays = rows.members, before.members, rows.standbys, before.standbys
            rebalances.mark_given_otherwise(self._client_of, *arrays, changed)
        return changed.view(np.bool_)

    def _handed_otherwise(self, rows: _Rows, before: _Rows) -> NDArray[np.bool_]:
        """The clients of which a member is handed something else."""
        changed = self._given_otherwise(rows, before)
        if rows.members is not before.members:
            self._mark(changed, rows.members[rows.members != before.members])
        if rows.withheld is not before.withheld:
            self._mark(changed, rows.members[np.setxor1d(rows.withheld, before.withheld, assume_unique=True)])
        if rows.prober != before.prober:
            self._mark(changed, np.array([one for one in (rows.prober, before.prober) if one != NONE], np.int32))
        return changed

    def _mark(self, changed: NDArray[np.bool_], members: Small) -> None:
        """The clients of these."""
        changed[self._client_of[members]] = True

    def _read_clients(self, rows: _Rows, changed: NDArray[np.bool_], clients: list[ClientAssignment]) -> None:
        """Put what these clients are given into the list."""
        found = np.empty((len(rows.members) + len(rows.standbys), 2), np.int32)
        runs, both = rebalances.list_given(self._client_of, rows.members, rows.standbys, changed.view(np.uint8), found)
        numbers = np.flatnonzero(changed).tolist()
        active, copies = ({number: list[TaskId]() for number in numbers} for _ in range(2))
        for given, listed in ((active, found[:runs]), (copies, found[runs:both])):
            for client, row in listed.tolist():
                given[client].append(self._tasks[row])
        for number in numbers:
            at = self._clients[number]
            standby = tuple(sorted(copies[number]))
            clients[at] = ClientAssignment(self._group.clients[at].process_id, tuple(active[number]), standby)

    def _read_consumers(self, rows: _Rows, changed: NDArray[np.bool_], consumers: list[ConsumerAssignment]) -> None:
        """Put what the members of these clients are handed into the list."""
        numbers = np.flatnonzero(changed).tolist()
        members = [member for number in numbers for member in range(*self._first_member[number : number + 2])]
        active, withheld, standby = ({member: list[TaskId]() for member in members} for _ in range(3))
        own, waits = np.flatnonzero(changed[self._client_of[rows.members]]), frozenset(rows.withheld.tolist())
        for row, member in zip(own.tolist(), rows.members[own].tolist(), strict=True):
            (withheld if row in waits else active)[member].append(self._tasks[row])
        for member, row in rows.standbys[changed[self._client_of[rows.standbys[:, 0]]]].tolist():
            standby[member].append(self._tasks[row])
        for member in members:
            at, place = self._members[member]
            when = NextRebalance.IMMEDIATE if withheld[member] else NextRebalance.NONE
            consumers[self._first[at] + place] = ConsumerAssignment(
                self._group.clients[at].consumers[place].member_id,
                tuple(active[member]),
                tuple(sorted(standby[member])),
                tuple(withheld[member]),
                NextRebalance.PROBING if member == rows.prober else when,
            )


def _same_or(before: Small | None, found: Small) -> Small:
    """A copy of what is found, where it is another one."""
    return before if before is not None and rebalances.are_equal(before.reshape(-1), found.reshape(-1)) else found.copy()


class Decision(Assignment):
    """An Assignment of which a field is read when it is first asked for."""

    __slots__ = ("_reader", "_rows")
    _reader: Reader
    _rows: _Rows

    def __init__(self, reader: Reader, rows: _Rows) -> None:
        object.__setattr__(self, "_reader", reader)
        object.__setattr__(self, "_rows", rows)

    def __getattr__(self, name: str) -> object:
        """Only called for a field that is not filled yet."""
        if name not in _FIELDS:
            raise AttributeError(name)
        found = getattr(self._reader, name)(self._rows)
        object.__setattr__(self, name, found)
        return found

    @property
    def withheld_tasks(self) -> int:
        return len(self._rows.withheld)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assignment) and all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in _FIELDS))


_NO_CLIENT, _NO_CONSUMER = cast("ClientAssignment", None), cast("ConsumerAssignment", None)
"""In lists that are about to be filled."""
_FIELDS = tuple(field.name for field in fields(Assignment))
