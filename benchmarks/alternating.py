"""Two sides measured in short blocks that alternate, because a machine that is shared has faster and slower minutes."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

BLOCKS = 15


@dataclass(frozen=True)
class Compared:
    """`baseline` and `holdfast`: the medians, in the unit in which both sides were measured. `ratio`: how many times as fast as the
    baseline Holdfast is, the median of neighbouring blocks; half of all ratios are between `quartiles`."""

    baseline: float
    holdfast: float
    ratio: float
    quartiles: tuple[float, float]


def compared(baseline: Callable[[], float], holdfast: Callable[[], float], blocks: int = BLOCKS) -> Compared:
    """`baseline` and `holdfast` measure one block each: its time, such as the median of its runs."""
    return compared_pairs([(baseline(), holdfast()) for _ in range(blocks)])


def compared_pairs(pairs: Sequence[tuple[float, float]]) -> Compared:
    """Of each block the baseline and Holdfast, measured by now."""
    blocks = len(pairs)
    ratios = sorted(one / other for one, other in pairs)
    return Compared(
        statistics.median(one for one, _ in pairs),
        statistics.median(other for _, other in pairs),
        statistics.median(ratios),
        (ratios[blocks // 4], ratios[-1 - blocks // 4]),
    )
