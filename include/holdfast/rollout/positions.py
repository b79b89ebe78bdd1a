"""Which of the many places that process IDs left to chance can take stand for all of them, where each would take too long.

What moves is known for every place from the targets alone, which is quick; the way there, rebalance by rebalance, is not. So the
place that moves the most is kept as it is, and the others, in the order of what they move, are parted into as many groups as are
wanted: the one of each that moves about as much as they do on average stands for it, with the probability of all of them.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from holdfast.rollout import chances, events, groups, order, shorthands
from holdfast.rollout.chances import Chance
from holdfast.rollout.change import Change
from holdfast.rollout.evolution import Reports
from holdfast.rollout.scene import Scene
from holdfast.rollout.snapshot import Snapshot


def ways(snapshot: Snapshot, change: Change, most: int | None) -> tuple[tuple[Chance, ...], int]:
    """The ways in which the IDs that `change` leaves to chance can fall, no more than `most` (2 or more) of them; and how many
    there are. Probabilities sum to 1."""
    every = chances.chances(tuple(client.process_id for client in snapshot.clients), change)
    if most is None or len(every) <= most:
        return every, len(every)
    counted = sorted((moved_by(snapshot, change.with_process_ids(one.process_ids)), place) for place, one in enumerate(every))
    by_moved = [(moved, every[place]) for moved, place in counted]
    parts = (
        by_moved[part * (len(every) - 1) // (most - 1) : (part + 1) * (len(every) - 1) // (most - 1)] for part in range(most - 1)
    )
    return (*map(_standing_for_all, parts), by_moved[-1][1]), len(every)


def moved_by(snapshot: Snapshot, change: Change) -> int:
    """How many stateful tasks have another owner once the group has settled after a change that leaves nothing to chance."""
    change = shorthands.written_out(snapshot, change)
    group = groups.group_of(snapshot)
    reports = Reports(group, change.assume, transactional=groups.transactional(snapshot))
    scene = Scene.of(snapshot)
    for batch in change.numbered_batches():
        scene = events.apply(scene, batch, reports)
    after = replace(group, clients=scene.clients, tasks=scene.tasks, leader_process_id=scene.leader_process_id)
    before = dict(order.owners(snapshot))
    return sum(before.get(task) != owner for task, owner in order.target(after))


def _standing_for_all(lot: Sequence[tuple[int, Chance]]) -> Chance:
    """The one that moves about as much as they do on average, with the probability of all."""
    probability = sum((one.probability for _, one in lot), Fraction(0))
    average = sum(moved * one.probability for moved, one in lot) / probability
    return Chance(probability, min(lot, key=lambda counted: abs(counted[0] - average))[1].process_ids)
