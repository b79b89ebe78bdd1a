"""What differs from one decision of a forecast to the next: of most clients, nothing, and then their share is the same object."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from holdfast.kafka.streams.group import Assignment, ClientAssignment
from holdfast.kafka.vocabulary import ProcessId

_One = TypeVar("_One")


def changed_shares(decisions: Iterable[Assignment]) -> Iterator[tuple[ClientAssignment, ...]]:
    """Of each decision, the shares that are not the ones that these clients had last."""
    had: dict[ProcessId, ClientAssignment] = {}
    before: Sequence[ClientAssignment] = ()
    for decision in decisions:
        shares = decision.clients
        others = shares
        if len(shares) == len(before):
            others = tuple([share for share, other in zip(shares, before, strict=True) if share is not other])
        found = tuple([share for share in others if had.get(share.process_id) is not share])
        for share in found:
            had[share.process_id] = share
        before = shares
        yield found


def sums(rows: Iterable[Sequence[_One]], size: Callable[[_One], int]) -> Iterator[int]:
    """The sum of the sizes in each row."""
    before: Sequence[_One] = ()
    total = 0
    for row in rows:
        if len(row) == len(before):
            for one, other in zip(row, before, strict=True):
                if one is not other:
                    total += size(one) - size(other)
        else:
            total = sum(map(size, row))
        before = row
        yield total
