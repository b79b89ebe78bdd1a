"""Rebalances of a forecast: what triggers one, and how much of them a document has."""

from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.codec import COUNT, NAME, table
from holdfast.rollout.json.kafka_codecs import PROCESS_ID
from holdfast.rollout.json.record import member, record


@record
class Round:
    """A rebalance of the forecast: stateful tasks handed to another client, tasks withheld, and what begins to be restored.

    `restoring_longest`: the most records on one client, since clients restore side by side.
    """

    trigger: str = member(NAME)
    at_seconds: int = member(COUNT)
    handed_over: int = member(COUNT)
    withheld: int = member(COUNT)
    warm_ups: int = member(COUNT)
    restoring_longest: int = member(COUNT)
    without_caught_up_copy: int = member(COUNT, default=0)
    """Stateful tasks given to a client to run without a caught-up copy."""
    restoring: tuple[tuple[ProcessId, int], ...] = member(
        table(PROCESS_ID, COUNT), "Records that each client begins to restore.", default=(), omit=True
    )
    """What each client begins to restore in it, in records. None at all: unknown, but for `restoring_longest`."""


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
