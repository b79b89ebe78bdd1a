"""Every rank that new random process IDs can have, with its probability.

A new random process ID is a random UUID, so the chance of a gap is its width in the signed order, not one in n. Several of them
that fall into one gap are in any order with the same chance. (The version bits that every random UUID has are passed over: they
shift the edges of a gap by next to nothing.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from holdfast.errors import CannotPredict
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.batches import Present, come_and_go
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.process_ids import order

MOST_OUTCOMES = 2_000


@dataclass(frozen=True, slots=True)
class Chance:
    """One outcome. `process_ids` stand for all that would fall into the same positions."""

    probability: Fraction
    process_ids: tuple[ProcessId, ...]


def chances(present: tuple[ProcessId, ...], change: Change) -> tuple[Chance, ...]:
    """The outcomes of the new random IDs of `change`, in order; probabilities sum to 1.

    Raise CannotPredict if there are too many outcomes. A change without new random IDs has one.
    """
    return tuple(_every(present, change))


def any_one(present: tuple[ProcessId, ...], change: Change) -> Chance:
    """The first of them. Raise CannotPredict where there are too many all the same."""
    return next(_every(present, change))


def _every(present: tuple[ProcessId, ...], change: Change) -> Iterator[Chance]:
    fresh = change.new_random_ids()
    if not fresh:
        return iter((Chance(Fraction(1), ()),))
    gaps = _gaps(present, change)
    orderings, numbers = _counted(gaps, fresh)
    if orderings > MOST_OUTCOMES:
        outcomes = f"{orderings:,}" if numbers == fresh else f"more than {orderings:,}"
        raise CannotPredict(
            f"{fresh:,} random process IDs have {outcomes} possible orders; {MOST_OUTCOMES:,} are allowed."
            " Give some of the process IDs."
        )
    return _orderings(gaps, fresh)


def too_many(present: tuple[ProcessId, ...], change: Change, limit: int) -> int | None:
    """How many outcomes there are, at least, if more than `limit`. None: they are not."""
    orderings, _ = _counted(_gaps(present, change), change.new_random_ids())
    return orderings if orderings > limit else None


def _gaps(present: tuple[ProcessId, ...], change: Change) -> "tuple[_Gap, ...]":
    return tuple(gap for gap in order.gaps(_neighbours(present, change)) if gap[2] * order.SPACE > change.new_random_ids())


def _counted(gaps: "tuple[_Gap, ...]", fresh: int) -> tuple[int, int]:
    """The outcomes, up to the first that is one too many, and how many IDs that took."""
    orderings = 1
    for number in range(fresh):
        orderings *= len(gaps) + number
        if orderings > MOST_OUTCOMES:
            return orderings, number + 1
    return orderings, fresh


_Gap = tuple[ProcessId | None, ProcessId | None, Fraction]


def _orderings(gaps: tuple[_Gap, ...], fresh: int) -> Iterator[Chance]:
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
    """The known IDs that are in the group at any time together with a new random one."""
    in_group = Present(present)
    found: dict[ProcessId, None] = {}
    for item in (*change.events, Then(Wait.STABLE)):
        if isinstance(item, Event):
            come_and_go(item, in_group)
        elif isinstance(item, Then) and None in in_group:
            found.update(dict.fromkeys(one for one in in_group if one is not None))
    return tuple(found)
