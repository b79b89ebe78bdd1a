"""What lists of plans show of an option, whichever kind of group it is for. Times in seconds; None: unknown, or without end."""

from typing import Protocol

from holdfast.rollout.contract.times import Times


class Figures(Protocol):
    @property
    def moved(self) -> int | None:
        """Tasks (partitions) that migrate."""

    @property
    def counted(self) -> int:
        """Of how many: stateful tasks, or partitions."""

    @property
    def longest_downtime(self) -> int | None: ...

    @property
    def stable_after(self) -> int | None:
        """When rebalancing ends, usually."""

    @property
    def downtime_text(self) -> str: ...

    @property
    def stable_text(self) -> str: ...


def stable_after(times: Times | None, to_stable: int | None) -> int | None:
    """`times` None: another version wrote the document, which has `to_stable` only."""
    ends = None if times is None else times.rebalancing_ends
    return to_stable if ends is None else ends.usual
