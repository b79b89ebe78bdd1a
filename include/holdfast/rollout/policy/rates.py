"""Who says how fast a client restores, and how far off that may be."""

from enum import StrEnum
from typing import assert_never


class RateSource(StrEnum):
    """Where a speed comes from."""

    POLICY = "policy"
    CHANGE = "change"
    MEASURED = "history"
    AT_LEAST = "history, at least"
    ASSUMED = "assumed"

    @property
    def off_by(self) -> int:
        """By what factor the speed may be higher or lower, by Holdfast's estimate. Given values are used unchanged."""
        match self:
            case RateSource.POLICY | RateSource.CHANGE:
                return 1
            case RateSource.MEASURED:
                return 2
            case RateSource.ASSUMED | RateSource.AT_LEAST:
                return 5
            case _:
                assert_never(self)

    @property
    def says(self) -> str:
        match self:
            case RateSource.POLICY:
                return "as your policy says"
            case RateSource.CHANGE:
                return "as the change says"
            case RateSource.MEASURED:
                return "measured in this group's own rebalances"
            case RateSource.AT_LEAST:
                return "no slower in this group's own rebalances"
            case RateSource.ASSUMED:
                return "assumed: measure yours"
            case _:
                assert_never(self)
