"""Which ranks of new random process IDs are forecast, and which of them represent others."""

from collections.abc import Callable
from dataclasses import replace

from holdfast.rollout.facts.notes import Note, NoteKind
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.forecast.work import Work, of_a_rebalance, size_of
from holdfast.rollout.streams.process_ids import chances, sampled_ranks
from holdfast.rollout.streams.process_ids.chances import Chance
from holdfast.rollout.streams.process_ids.sampled_ranks import Counted
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.rollout.streams.snapshot.stores import stores_of

MOST_IN_MEMORY = 8
"""Outcomes, where every client that restarts draws a process ID."""
TOO_MUCH = " (all ranks would exceed the work limit for a group of this size: --work 10 raises it tenfold)"
SPARE = 3, 4
"""Another place may take somewhat more than the first: so much of what is left is counted on."""
MOVED_ALONE = 4
"""Looking up what moves is this many times faster than deciding and answering a rebalance."""


def outcomes(
    snapshot: Snapshot, change: Change, most: int | None, left: Work, counted: Counted, one: Callable[[Chance], Outcome]
) -> tuple[Outcome, ...]:
    """One for each position, or `most` of them for all; fewer (2 or more) where more would take more than is `left`.

    Raise TooMuchWork where not even two can be forecast.
    """
    if most is None and stores_of(snapshot) is Stores.IN_MEMORY:
        most = MOST_IN_MEMORY
    found, outcomes = sampled_ranks.options(snapshot, change, most, counted)
    unknown, before = sampled_ranks.sampled(snapshot, len(found), outcomes), left.taken
    made = {found[0].process_ids: one(found[0])}
    fits = 1 + left.left * SPARE[0] // SPARE[1] // max(1, left.taken - before)
    if fits < len(found):
        looked_up = outcomes if outcomes <= chances.MOST_OUTCOMES else 0
        left.take(looked_up * of_a_rebalance(size_of(Scene.of(snapshot)), anew=True) // MOVED_ALONE)
        found, _ = sampled_ranks.options(snapshot, change, max(2, fits), counted)
        unknown = tuple(f"{one}{TOO_MUCH}" for one in sampled_ranks.sampled(snapshot, len(found), outcomes))
    return tuple(_standing_for_others(made.get(option.process_ids) or one(option), option, unknown) for option in found)


def _standing_for_others(outcome: Outcome, option: Chance, unknown: tuple[str, ...]) -> Outcome:
    return replace(
        outcome, probability=float(option.probability), notes=(*(Note(NoteKind.SAMPLE, one) for one in unknown), *outcome.notes)
    )
