"""The part of a change between two waits of its plan: a wait of the steps is the end of a batch of events."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from holdfast.rollout.contract.batches import Batch, Then, Wait
from holdfast.rollout.execution.next_actions import AnyStep

E = TypeVar("E")
S = TypeVar("S", bound=AnyStep)


def part(
    batches: Sequence[Batch[E]], steps: Sequence[S], waits: Callable[[S], bool], after: str, until: str
) -> tuple[E | Then, ...] | None:
    """The events after the wait `after` (empty: from the beginning) up to the wait `until`. None: the waits are not the ends of the
    batches, or these are none of them."""
    ends = [step.id for step in steps if waits(step)]
    if len(ends) != len(batches) or until not in ends or (after and after not in ends):
        return None
    first = ends.index(after) + 1 if after else 0
    found: list[E | Then] = []
    for batch in batches[first : ends.index(until) + 1]:
        found += [event for _, event in batch.events]
        found.append(Then(batch.wait or Wait.STABLE))
    return tuple(found[:-1]) if found else None


def at_rest(batches: Sequence[Batch[E]]) -> int:
    """How many batches are over when the group is last at rest before the last one."""
    return max((number for number, one in enumerate(batches[:-1], start=1) if one.wait is Wait.STABLE), default=0)
