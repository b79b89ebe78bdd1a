"""Every position that process IDs left to chance can take in the order, with its probability.

A fresh process ID is a random UUID, so the chance of a gap is its width in the signed order, not one in n. Several of them that
fall into one gap stand in any order with the same chance. (The version bits that every random UUID has are passed over: they shift
the edges of a gap by next to nothing.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from holdfast.errors import CannotPredict
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import order
from holdfast.rollout.change import Change, RollingRestart, Then, Wait
from holdfast.rollout.presence import Present, come_and_go

MOST_OUTCOMES = 2_000


@dataclass(frozen=True, slots=True)
class Chance:
    """One way in which it can turn out. `process_ids` stand for all that would fall into the same positions."""

    probability: Fraction
    process_ids: tuple[ProcessId, ...]


def chances(present: tuple[ProcessId, ...], change: Change) -> tuple[Chance, ...]:
    """The ways in which the IDs that `change` leaves to chance can fall, in order; probabilities sum to 1.

    Raise CannotPredict if there are too many ways. A change that leaves none to chance has one way.
    """
    fresh = change.fresh_ids()
    if not fresh:
        return (Chance(Fraction(1), ()),)
    gaps = tuple(gap for gap in order.gaps(_neighbours(present, change)) if gap[2] * order.SPACE > fresh)
    ways = 1
    for number in range(fresh):
        ways *= len(gaps) + number
    if ways > MOST_OUTCOMES:
        raise CannotPredict(
            f"{fresh} process IDs left to chance can fall in {ways:,} ways; {MOST_OUTCOMES:,} are allowed."
            " Give some of the process IDs."
        )
    return tuple(_ways(gaps, fresh))


_Gap = tuple[ProcessId | None, ProcessId | None, Fraction]


def _ways(gaps: tuple[_Gap, ...], fresh: int) -> Iterator[Chance]:
    """Put one ID after the other into a gap, at each place among those that are in it already."""
    stack: list[tuple[Fraction, tuple[tuple[int, ...], ...], int]] = [(Fraction(1), ((),) * len(gaps), 0)]
    while stack:
        probability, inside, number = stack.pop()
        if number == fresh:
            yield Chance(probability, _representatives(gaps, inside, fresh))
            continue
        further = [
            (
                probability * share / (len(inside[index]) + 1),
                (*inside[:index], (*inside[index][:place], number, *inside[index][place:]), *inside[index + 1 :]),
                number + 1,
            )
            for index, (_, _, share) in enumerate(gaps)
            for place in range(len(inside[index]) + 1)
        ]
        stack.extend(reversed(further))


def _representatives(gaps: tuple[_Gap, ...], inside: tuple[tuple[int, ...], ...], fresh: int) -> tuple[ProcessId, ...]:
    chosen: dict[int, ProcessId] = {}
    for (lower, upper, _), numbers in zip(gaps, inside, strict=True):
        if numbers:
            chosen.update(zip(numbers, order.evenly_between(lower, upper, len(numbers)), strict=True))
    return tuple(chosen[number] for number in range(fresh))


def _neighbours(present: tuple[ProcessId, ...], change: Change) -> tuple[ProcessId, ...]:
    """The known IDs that stand beside one left to chance at any time."""
    there = Present(present)
    found: dict[ProcessId, None] = {}
    for item in (*change.events, Then(Wait.STABLE)):
        if isinstance(item, RollingRestart):
            continue
        if not isinstance(item, Then):
            come_and_go(item, there)
        elif None in there:
            found.update(dict.fromkeys(one for one in there if one is not None))
    return tuple(found)
