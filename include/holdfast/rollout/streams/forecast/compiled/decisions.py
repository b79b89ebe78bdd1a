"""Decisions of the leader that are unpacked when they are looked at: of most rebalances only the number is asked for."""

from dataclasses import dataclass, fields

from holdfast.kafka.streams import leader
from holdfast.kafka.streams.compiled.arrays import NONE, Ints
from holdfast.kafka.streams.group import Assignment, ClientAssignment, ConsumerAssignment, NextRebalance
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.forecast.compiled.packing import Packed
from holdfast.rollout.streams.forecast.compiled.rebalances import Kept


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions of some rebalances of a group. `probing`, `probers`: as in `Shares.said`."""

    one: Packed
    kept: Kept
    probing: Ints
    probers: Ints

    def read(self, number: int) -> Assignment:
        """The decision of one of them, as `leader.assign` gives it."""
        one, kept = self.one, self.kept
        group, facts = one.group, one.facts
        probing = bool(self.probing[number])
        active, withheld, standby = ([list[TaskId]() for _ in one.members] for _ in range(3))
        of_client, copies_of = ([list[TaskId]() for _ in one.clients] for _ in range(2))
        planned = kept.planned[number].tolist()
        for row, (member, waits) in enumerate(zip(kept.active[number].tolist(), kept.withheld[number].tolist(), strict=True)):
            (withheld[waits] if member == NONE else active[member]).append(one.tasks[row])
            of_client[planned[row]].append(one.tasks[row])
        first = int(kept.standbys_end[number - 1]) if number else 0
        for member, row in kept.standbys[first : kept.standbys_end[number]].tolist():
            standby[member].append(one.tasks[row])
            client = int(facts.client_of[member])
            if planned[row] != client:  # else it is the temporary standby of a task that is withheld
                copies_of[client].append(one.tasks[row])
        prober = int(self.probers[number])
        shares: list[list[ConsumerAssignment | None]] = [[None] * len(client.consumers) for client in group.clients]
        for member, (at, place) in enumerate(one.members):
            when = NextRebalance.IMMEDIATE if withheld[member] else NextRebalance.NONE
            shares[at][place] = ConsumerAssignment(
                group.clients[at].consumers[place].member_id,
                tuple(active[member]),
                tuple(sorted(standby[member])),
                tuple(withheld[member]),
                NextRebalance.PROBING if member == prober else when,
            )
        decided = {
            at: ClientAssignment(group.clients[at].process_id, tuple(of_client[number]), tuple(sorted(copies_of[number])))
            for number, at in enumerate(one.clients)
        }
        return Assignment(
            probing_rebalance_needed=probing,
            clients=tuple(decided[at] for at in range(len(group.clients))),
            consumers=tuple(share for mine in shares for share in mine if share is not None),
            undetermined=leader.doubts_about_the_leader(group, probing=probing),
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
