"""The assumptions of a forecast: how copies catch up, are closed, and stay on a disk."""

from dataclasses import dataclass
from enum import StrEnum


class CatchUp(StrEnum):
    """When a copy that was handed out has caught up."""

    PROBING_REBALANCE = "probing rebalance"
    NEXT_REBALANCE = "next rebalance"
    RATE = "records_per_second"


class ClosedCopies(StrEnum):
    """What a cleanly closed copy reports."""

    AS_RELEASED = "as released"
    END = "end"


class DormantCopies(StrEnum):
    """Whether a copy on a disk that is not run stays there."""

    KEPT = "kept"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Assume:
    """What a forecast takes for granted.

    `records_per_second` is that of one restoring copy, where `catch_up` is RATE; `grows_per_second` is what its log gets meanwhile.
    """

    catch_up: CatchUp = CatchUp.PROBING_REBALANCE
    records_per_second: float | None = None
    grows_per_second: float = 0
    closed_copies: ClosedCopies = ClosedCopies.AS_RELEASED
    dormant_copies: DormantCopies = DormantCopies.KEPT
