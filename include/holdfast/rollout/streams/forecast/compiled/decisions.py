"""Decisions of the leader that are unpacked when they are looked at: of most rebalances only the number is asked for.

From one to the next little changes, and what does not is the same object.
"""

from dataclasses import dataclass, fields
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from holdfast.kafka.streams import leader
from holdfast.kafka.streams.compiled.arrays import NONE
from holdfast.kafka.streams.group import Assignment, ClientAssignment, ConsumerAssignment, NextRebalance
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.forecast.compiled.packing import Packed
from holdfast.rollout.streams.forecast.compiled.rebalances import Kept
from holdfast.rollout.streams.forecast.compiled.reports import Noted

_Numbers = NDArray[np.int32]


class _Rows(NamedTuple):
    """One decision as arrays, as in `Shares`. `standbys`: member, task; `prober`: who probes."""

    planned: _Numbers
    active: _Numbers
    withheld: _Numbers
    standbys: _Numbers
    probing: bool
    prober: int


class Reader:
    """Unpacks the decisions of one walk. Clients that are handed the same as in the one that was read before are not read."""

    def __init__(self, one: Packed) -> None:
        self._group, self._members, self._tasks, self._clients = one.group, one.members, one.tasks, one.clients
        self._client_of = one.facts.client_of
        self._first_member = one.facts.first_member.tolist()
        self._first: list[int] = [0]
        for client in one.group.clients:
            self._first.append(self._first[-1] + len(client.consumers))
        self._before: tuple[_Rows, Assignment] | None = None

    def read(self, rows: _Rows) -> Assignment:
        """As `leader.assign` gives it."""
        group = self._group
        if self._before is None:
            changed = np.ones(len(self._clients), bool)
            clients: list[ClientAssignment | None] = [None] * len(group.clients)
            consumers: list[ConsumerAssignment | None] = [None] * len(self._members)
        else:
            changed = self._changed(rows, self._before[0])
            if rows.probing == self._before[0].probing and not changed.any():
                return self._before[1]
            clients, consumers = [*self._before[1].clients], [*self._before[1].consumers]
        self._read(rows, changed, clients, consumers)
        found = Assignment(
            probing_rebalance_needed=rows.probing,
            clients=tuple(one for one in clients if one is not None),
            consumers=tuple(one for one in consumers if one is not None),
            undetermined=leader.doubts_about_the_leader(group, probing=rows.probing),
        )
        self._before = rows, found
        return found

    def _changed(self, rows: _Rows, before: _Rows) -> NDArray[np.bool_]:
        """The clients that are handed something else."""
        changed = np.zeros(len(self._clients), bool)
        other = (rows.planned != before.planned) | (rows.active != before.active) | (rows.withheld != before.withheld)
        changed[rows.planned[other]] = True
        changed[before.planned[other]] = True
        if not np.array_equal(rows.standbys, before.standbys):
            self._mark_by_standbys(rows.standbys, before.standbys, changed)
        if rows.prober != before.prober:
            changed[self._client_of[[one for one in (rows.prober, before.prober) if one != NONE]]] = True
        return changed

    def _mark_by_standbys(self, standbys: _Numbers, before: _Numbers, changed: NDArray[np.bool_]) -> None:
        """The clients with other standbys; these are listed client after client."""
        of, of_before = (self._client_of[each[:, 0]] for each in (standbys, before))
        counts, counts_before = (np.bincount(each, minlength=len(self._clients)) for each in (of, of_before))
        more_or_fewer = counts != counts_before
        changed |= more_or_fewer
        as_many = ~more_or_fewer[of]
        other = (standbys[as_many] != before[~more_or_fewer[of_before]]).any(axis=1)
        changed[of[as_many][other]] = True

    def _read(
        self,
        rows: _Rows,
        changed: NDArray[np.bool_],
        clients: list[ClientAssignment | None],
        consumers: list[ConsumerAssignment | None],
    ) -> None:
        """Put what these clients are handed into both lists."""
        numbers = np.flatnonzero(changed).tolist()
        members = [member for number in numbers for member in range(*self._first_member[number : number + 2])]
        active, withheld, standby = ({member: list[TaskId]() for member in members} for _ in range(3))
        of_client, copies_of = ({number: list[TaskId]() for number in numbers} for _ in range(2))
        own = np.flatnonzero(changed[rows.planned])
        columns = (own, rows.planned[own], rows.active[own], rows.withheld[own])
        for row, client, member, waits in zip(*(each.tolist() for each in columns), strict=True):
            (withheld[waits] if member == NONE else active[member]).append(self._tasks[row])
            of_client[client].append(self._tasks[row])
        held = rows.standbys[changed[self._client_of[rows.standbys[:, 0]]]]
        for (member, row), client, planned in zip(
            held.tolist(), self._client_of[held[:, 0]].tolist(), rows.planned[held[:, 1]].tolist(), strict=True
        ):
            standby[member].append(self._tasks[row])
            if planned != client:  # else it is the temporary standby of a task that is withheld
                copies_of[client].append(self._tasks[row])
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
        for number in numbers:
            at = self._clients[number]
            copies = tuple(sorted(copies_of[number]))
            clients[at] = ClientAssignment(self._group.clients[at].process_id, tuple(of_client[number]), copies)


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions of some rebalances of a group, as in `Kept`. `probing`, `probers`: as in `Shares.said`."""

    reader: Reader
    planned: _Numbers
    active: _Numbers
    withheld: _Numbers
    standbys: _Numbers
    standbys_end: tuple[int, ...]
    probing: tuple[int, ...]
    probers: tuple[int, ...]

    @classmethod
    def of(cls, reader: Reader, kept: Kept, noted: Noted, count: int) -> Self:
        """The first of what is kept, which is about to be overwritten."""
        ends = tuple(kept.standbys_end[:count].tolist())
        planned, active, withheld = (each[:count].astype(np.int32) for each in (kept.planned, kept.active, kept.withheld))
        standbys = kept.standbys[: ends[-1] if ends else 0].astype(np.int32)
        probing, probers = (tuple(each[:count].tolist()) for each in (noted.probing, noted.probers))
        return cls(reader, planned, active, withheld, standbys, ends, probing, probers)

    def read(self, number: int) -> Assignment:
        first = self.standbys_end[number - 1] if number else 0
        return self.reader.read(
            _Rows(
                self.planned[number],
                self.active[number],
                self.withheld[number],
                self.standbys[first : self.standbys_end[number]],
                bool(self.probing[number]),
                self.probers[number],
            )
        )


class Decision(Assignment):
    """An Assignment that is read when a field of it is first asked for."""

    __slots__ = ("_decided", "_number")
    _decided: Decided | None
    _number: int

    def __init__(self, decided: Decided, number: int) -> None:
        object.__setattr__(self, "_decided", decided)
        object.__setattr__(self, "_number", number)

    def __getattr__(self, name: str) -> object:
        """Only called for a field that is not filled yet."""
        if name not in _FIELDS:
            raise AttributeError(name)
        assert self._decided is not None, "read once"
        read = self._decided.read(self._number)
        for field in _FIELDS:
            object.__setattr__(self, field, getattr(read, field))
        object.__setattr__(self, "_decided", None)
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assignment) and all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in _FIELDS))


_FIELDS = tuple(field.name for field in fields(Assignment))
