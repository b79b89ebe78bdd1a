"""What options are compared by: a name, a figure (the smaller the better), and the reason in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

O = TypeVar("O")  # noqa: E741 - an option
W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Criterion(Generic[O, W]):
    """`explain`: why the first option loses against the second by it, in the words of a kind of group."""

    name: str
    key: Callable[[O], float]
    explain: Callable[[O, O, W], str]


def first_lost(criteria: Sequence[Criterion[O, W]], loser: O, chosen: O) -> Criterion[O, W] | None:
    """The first by which they differ. None: by none."""
    return next((one for one in criteria if one.key(loser) != one.key(chosen)), None)
