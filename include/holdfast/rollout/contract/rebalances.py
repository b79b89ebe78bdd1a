"""Rebalances of a forecast: what triggers one, and how much of them a document tells."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId


@dataclass(frozen=True, slots=True)
class Round:
    """A rebalance of the forecast: stateful tasks handed to another client, tasks withheld, and what begins to be restored.

    `restoring_longest`: the most records on one client, since clients restore side by side.
    """

    trigger: str
    at_seconds: int
    handed_over: int
    withheld: int
    warm_ups: int
    restoring_longest: int
    without_caught_up_copy: int = 0
    """Stateful tasks given to a client to run while nobody was caught up on them."""
    restoring: tuple[tuple[ProcessId, int], ...] = ()
    """What each client begins to restore in it, in records. None at all: not known, but for `restoring_longest`."""


def restore_seconds(records: int, records_per_second: int) -> int:
    """How long one client reads `records`, rounded up; under a second is 0."""
    return -(-records // records_per_second) if records >= records_per_second else 0


class Trigger(StrEnum):
    """What brings a rebalance about."""

    CHANGE = "change"
    IMMEDIATE = "immediate"
    PROBING = "probing"


class Detail(StrEnum):
    """`summary`: outcomes without their rounds."""

    FULL = "full"
    SUMMARY = "summary"
