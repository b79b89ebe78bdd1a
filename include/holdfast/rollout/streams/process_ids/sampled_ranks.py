"""A sample of the ranks that new random process IDs can have, where forecasting all of them would take too long.

What moves is known for every rank from the targets alone, which is quick; the course to them, rebalance by rebalance, is not. So
the rank that moves the most is kept unchanged, and the others, in the order of what they move, are parted into as many groups as
are wanted: the one of each that moves about as much as they do on average stands for it, with the probability of all of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from uuid import UUID

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.streams.change import shorthands
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.process_ids import chances, order
from holdfast.rollout.streams.process_ids.chances import Chance
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import groups, ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.rollout.streams.snapshot.stores import stores_of

MOST_DRAWN = 200
"""This many process IDs may be sampled where there are too many outcomes to enumerate."""


_DRAWN = (
    "{found} samples of the random process IDs stand for more than {there_are:,} possible orders: yours may move"
    " more tasks, or fewer"
)
_SAMPLED = (
    "{found} of {there_are:,} possible ranks of the random process IDs stand for all: the one that moves the most tasks,"
    " and one for each part of the others, which move about as many"
)


MOST_IN_MEMORY = 200
"""Outcomes that are enumerated where every restart generates an ID; each restart multiplies them."""


def _limit(snapshot: Snapshot) -> int:
    return MOST_IN_MEMORY if stores_of(snapshot) is Stores.IN_MEMORY else chances.MOST_OUTCOMES


def sampled(snapshot: Snapshot, found: int, outcomes: int) -> tuple[str, ...]:
    """What to report where some outcomes represent all."""
    text = _SAMPLED if outcomes <= _limit(snapshot) else _DRAWN
    return (text.format(found=found, there_are=outcomes),) if found < outcomes else ()


def options(
    snapshot: Snapshot, change: Change, most: int | None, counted: "Counted | None" = None
) -> tuple[tuple[Chance, ...], int]:
    """The outcomes of the new random IDs of `change`, no more than `most` (2 or more) of them; and how many
    there are. Probabilities sum to 1. `counted`: what is known of other changes to this group, and of this one from now on."""
    present = tuple(client.process_id for client in snapshot.clients)
    outcomes = chances.too_many(present, change, _limit(snapshot))
    if most is not None and outcomes is not None and change.new_random_ids() <= MOST_DRAWN:
        return _drawn(change.new_random_ids(), most), outcomes
    every = chances.chances(present, change)
    if most is None or len(every) <= most:
        return every, len(every)
    moves = (counted or Counted()).of(snapshot, change, every)
    by_moved = [(moved, every[place]) for moved, place in sorted((moved, place) for place, moved in enumerate(moves))]
    parts = (
        by_moved[part * (len(every) - 1) // (most - 1) : (part + 1) * (len(every) - 1) // (most - 1)] for part in range(most - 1)
    )
    return (*map(_standing_for_all, parts), by_moved[-1][1]), len(every)


def _drawn(fresh: int, most: int) -> tuple[Chance, ...]:
    """Where the outcomes cannot even be enumerated: IDs as random as any, the same every time."""
    return tuple(
        Chance(
            Fraction(1, most),
            tuple(
                ProcessId.of(UUID(bytes=sha256(f"{fresh} {number} {place}".encode()).digest()[:16], version=4))
                for place in range(fresh)
            ),
        )
        for number in range(most)
    )


def moved_by(snapshot: Snapshot, changes: Iterable[Change]) -> Iterator[int]:
    """How many stateful tasks have another owner once the group has settled, after each of these changes, which leave nothing to
    chance and assume the same."""
    group, before = groups.group_of(snapshot), dict(ownership.owners(snapshot))
    target = order.Targets()
    reports: Reports | None = None
    for one in changes:
        change = shorthands.written_out(snapshot, one)
        reports = reports or Reports.of(snapshot, group, change.assume)
        scene = Scene.of(snapshot)
        for batch in change.numbered_batches():
            if any(event.restarts_as_it_was() is None for _, event in batch.events):  # the others do not change the target
                scene = batches.apply(scene, batch, reports)
        after = replace(group, clients=scene.clients, tasks=scene.tasks, leader_process_id=scene.leader_process_id)
        yield sum(before.get(task) != owner for task, owner in target.of(after))


class Counted:
    """How many tasks each outcome of a change moves, for the changes to one group that were asked about.

    The options of a plan differ in settings and restarts, which the targets do not depend on.
    """

    def __init__(self) -> None:
        self._known: list[tuple[Snapshot, object, tuple[int, ...]]] = []

    def of(self, snapshot: Snapshot, change: Change, every: Sequence[Chance]) -> tuple[int, ...]:
        same_tasks = not any(item.partitions_made() for item in change.statements())
        by_ranks = same_tasks and order.goes_by_ranks(groups.group_of(snapshot))
        which = replace(change, events=_what_moves(change.events)) if by_ranks else change
        matters = which.events, change.assume, tuple(every)
        for group, other, counted in self._known:
            if other == matters and group == snapshot:
                return counted
        try:
            counted = _moved(snapshot, which, every)
        except InvalidInput:
            counted = _moved(snapshot, change, every)  # as it says where
        self._known.append((snapshot, matters, counted))
        return counted


def _moved(snapshot: Snapshot, change: Change, every: Iterable[Chance]) -> tuple[int, ...]:
    return tuple(moved_by(snapshot, (change.with_process_ids(one.process_ids) for one in every)))


def _what_moves(items: Iterable[Item]) -> tuple[Item, ...]:
    """Without what leaves process IDs and threads as they are, and the markers around it: for a group that goes by ranks."""
    found: list[Item] = []
    for item in items:
        if isinstance(item, Then):
            if found and not isinstance(found[-1], Then):
                found.append(item)
        elif not item.keeps_ids_and_threads():
            found.append(item)
    return tuple(found[:-1] if found and isinstance(found[-1], Then) else found)


def _standing_for_all(batch: Sequence[tuple[int, Chance]]) -> Chance:
    """The one that moves about as much as they do on average, with the probability of all."""
    probability = sum((one.probability for _, one in batch), Fraction(0))
    average = sum(moved * one.probability for moved, one in batch) / probability
    return Chance(probability, min(batch, key=lambda counted: abs(counted[0] - average))[1].process_ids)
