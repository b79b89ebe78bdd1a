"""Markers between the events of a Change, and the batches that they separate, for every kind of group."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import Generic, TypeVar

E = TypeVar("E")


class FromOld(Enum):
    """In place of a property that a replacement takes over from the client it replaces."""

    INHERITED = "as the replaced client"


INHERITED = FromOld.INHERITED


class Wait(StrEnum):
    """What a marker waits for."""

    REBALANCE = "rebalance"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class Then:
    """What follows waits for this."""

    wait: Wait


@dataclass(frozen=True, slots=True)
class Batch(Generic[E]):
    """Events that take effect together, each with its place in the change, and what the next batch waits for (None: the last)."""

    events: tuple[tuple[int, E], ...]
    wait: Wait | None


def batched(items: Iterable[tuple[int, E | Then]]) -> tuple[Batch[E], ...]:
    """Events and markers, batch by batch. Of markers with nothing between them the one that waits
    longest counts. No events are one batch."""
    found: list[Batch[E]] = []
    events: list[tuple[int, E]] = []
    for index, item in items:
        if not isinstance(item, Then):
            events.append((index, item))
        elif events:
            found.append(Batch(tuple(events), item.wait))
            events = []
        elif found and found[-1].wait is not Wait.STABLE:
            found[-1] = replace(found[-1], wait=item.wait)
    if events or not found:
        found.append(Batch(tuple(events), None))
    return (*found[:-1], replace(found[-1], wait=None))
