"""A plan for a consumer group in a few figures."""

import math
from dataclasses import replace

from holdfast.rollout.consumer.plan.plan import Considered as ConsideredOption
from holdfast.rollout.contract.figures import stable_after
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.json.codec import COUNT, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import duration
from holdfast.rollout.timing import time_words
from holdfast.rollout.timing.time_words import until_stable


@record(closed=False)
class ReadFigures:
    """What one option costs a consumer group. Times in seconds; None: unknown, or without end.

    `unread`: the longest that no member reads a partition, usually; `unread_most`: where a consumer is slow to poll. `read_twice`:
    records that may be read a second time, at most.
    """

    moved: int | None = member(nullable(COUNT))
    partitions: int = member(COUNT)
    unread: int | None = member(nullable(COUNT))
    unread_most: int | None = member(nullable(COUNT))
    rebalances: int = member(COUNT)
    to_stable: int | None = member(nullable(COUNT))
    read_twice: int | None = member(nullable(COUNT))
    times: Times | None = member(nullable(codec_of(Times)), default=None)
    effort: EffortCounts | None = member(nullable(codec_of(EffortCounts)), default=None)

    @property
    def counted(self) -> int:
        return self.partitions

    @property
    def longest_downtime(self) -> int | None:
        return self.unread

    @property
    def stable_after(self) -> int | None:
        return stable_after(self.times, self.to_stable)

    @property
    def downtime_text(self) -> str:
        return "none" if not self.rebalances else "unknown" if self.unread is None else duration(self.unread)

    @property
    def stable_text(self) -> str:
        return until_stable(self.to_stable) if self.times is None else time_words.estimate(self.times.rebalancing_ends)

    @property
    def effort_text(self) -> str:
        return time_words.effort(self.effort)


def read_figures(option: ConsideredOption) -> ReadFigures | None:
    """None: nothing can be predicted."""
    found = option.summary
    if found is None:
        return None
    longest = found.longest_stop
    return ReadFigures(
        moved=found.moved,
        partitions=found.partitions,
        unread=None if longest is None else math.ceil(longest.usual),
        unread_most=None if longest is None else math.ceil(longest.most),
        rebalances=found.rebalances,
        to_stable=_to_stable(option, found.seconds_to_stable),
        read_twice=option.read_twice,
        times=None if option.times is None else replace(option.times, phases=(), rebalances=()),
        effort=option.effort_counts,
    )


def _to_stable(option: ConsideredOption, before: float | None) -> int | None:
    """When rebalancing ends, at the most. `before`: what a plan of another version says of it."""
    if option.times is None:
        return None if before is None else math.ceil(before)
    return None if option.times.rebalancing_ends is None else option.times.rebalancing_ends.high
