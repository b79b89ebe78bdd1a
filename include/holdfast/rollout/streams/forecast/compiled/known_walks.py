"""Rebalances that were walked before, found by what members report: courses that differ in few places meet soon, and go on alike.

A digest finds where a walk meets one before it; equality of all that is reported decides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.kafka.streams.compiled.arrays import Facts, Ints, Reported, room
from holdfast.kafka.streams.group import Assignment, Client
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.streams.forecast.compiled.members import Members
from holdfast.rollout.streams.forecast.compiled.packing import Packed
from holdfast.rollout.streams.forecast.compiled.reports import Noted, Rules
from holdfast.rollout.streams.forecast.compiled.walk_result import Restores
from holdfast.rollout.streams.forecast.compiled.workspace import Listed
from holdfast.rollout.streams.forecast.open_copies import Copies

NOTHING: Ints = room(0)
MOST_BYTES = 2**27
"""About so much is kept of one search; then all is forgotten."""
_A_CLIENT_BYTES, _A_COPY_BYTES = 16, 16
_SCALARS = 4
"""In `Rules`, those that are no arrays begin here."""


class State(NamedTuple):
    """All that is reported, without room; and what runs (None: not asked)."""

    counts: NDArray[np.int32]
    tasks: NDArray[np.int32]
    sums: Ints
    by: NDArray[np.int32]
    owner: NDArray[np.int32]
    running: NDArray[np.int32] | None

    @classmethod
    def of(cls, reported: Reported, noted: Noted, *, records: bool) -> "State":
        running = np.flatnonzero(noted.running.view(bool)).astype(np.int32) if records else None
        return cls(reported.counts.astype(np.int32), *Listed.of(reported), reported.owner.astype(np.int32), running)

    def equals(self, other: "State") -> bool:
        """`other`: of a walk in progress. What runs matters only if that is recorded."""
        pairs = zip(self, other, strict=True)
        return all(asked is None or (known is not None and np.array_equal(known, asked)) for known, asked in pairs)


@dataclass(frozen=True, slots=True)
class End:
    """What members report once the group is stable, and what runs then."""

    clients: tuple[Client, ...]
    running: Mapping[ProcessId, tuple[TaskId, ...]]


@dataclass(slots=True)
class Piece:
    """Some rebalances of a walk that became stable. Fields as in `Walk`; `state`: before them; `then`: what comes after them."""

    state: State | None
    asked: tuple[Trigger | None, ...]
    open_copies: Copies
    unstarted: int
    in_doubt: tuple[TaskId, ...]
    decisions: tuple[Assignment, ...]
    restores: tuple[Restores, ...]
    then: "Piece | End | None" = None

    def on(self) -> "Iterator[Piece]":
        """This one and all after it."""
        one: Piece | End | None = self
        while isinstance(one, Piece):
            yield one
            one = one.then


@dataclass(slots=True)
class Known:
    """The pieces of all walks with the same facts, rules and members. `digests`: of what is reported before each, ascending."""

    facts: Facts
    rules: Rules
    members: list[object]
    pieces: dict[int, list[Piece]] = field(default_factory=dict)
    digests: Ints = field(default_factory=lambda: room(0))

    def is_of(self, other: Packed, members: list[object]) -> bool:
        mine, asked = self.rules, other.rules
        return (
            self.facts is other.facts
            and all(known is one for known, one in zip(mine[:_SCALARS], asked[:_SCALARS], strict=True))
            and mine[_SCALARS:] == asked[_SCALARS:]
            and self.members == members
        )

    def find(self, digest: int, state: State) -> Piece | None:
        """What follows from this state."""
        found = (piece for piece in self.pieces.get(digest, ()) if piece.state is not None and piece.state.equals(state))
        return next(found, None)

    def keep(self, pieces: Mapping[int, Piece]) -> None:
        """By the digest of what is reported before each."""
        for digest, piece in pieces.items():
            self.pieces.setdefault(digest, []).append(piece)
        self.digests = np.array(sorted(self.pieces), np.int64)


class KnownWalks:
    """Those of one search."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._known: list[Known] = []
        self._bytes = 0

    def of(self, one: Packed) -> Known:
        members = [self._without_reports(client) for client in one.group.clients]
        for known in self._known:
            if known.is_of(one, members):
                return known
        self._known.append(Known(one.facts, one.rules, members))
        return self._known[-1]

    def _without_reports(self, client: Client) -> object:
        """A client and its members as they are named in what follows."""
        named = client.process_id, client.host, client.rack, client.client_tags, client.user_endpoint
        return named, self._members.of(client)

    def keep(self, known: Known, pieces: Mapping[int, Piece]) -> None:
        clients, tasks = len(known.facts.members), len(known.facts.ends)
        for piece in pieces.values():
            copies = 0 if piece.state is None else len(piece.state.tasks) + tasks
            self._bytes += copies * _A_COPY_BYTES + len(piece.decisions) * clients * _A_CLIENT_BYTES
        if self._bytes > MOST_BYTES:
            self._known.clear()
            self._bytes = 0
            return
        known.keep(pieces)
