"""A plan for a consumer group whose broker assigns in a few figures."""

import math
from dataclasses import replace

from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.plan.effect_words import ends
from holdfast.rollout.broker_consumer.plan.plan import Considered as ConsideredOption
from holdfast.rollout.contract.figures import stable_after
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.json.codec import COUNT, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import duration, span
from holdfast.rollout.timing import time_words


@record(closed=False)
class HandOverFigures:
    """What one option costs a consumer group whose broker assigns. Times in seconds.

    `unowned`: the longest that a partition has no owner, usually; `unowned_most`: at most. `read_twice`: records that may be read a
    second time, at most; None: unknown. `to_stable`: when the last target is reached, at most.
    """

    moved: int = member(COUNT)
    partitions: int = member(COUNT)
    hand_overs: int = member(COUNT)
    targets: int = member(COUNT)
    unowned: int = member(COUNT)
    unowned_most: int = member(COUNT)
    partition_seconds: int = member(COUNT)
    read_twice: int | None = member(nullable(COUNT))
    to_stable: int | None = member(nullable(COUNT))
    times: Times | None = member(nullable(codec_of(Times)), default=None)
    effort: EffortCounts | None = member(nullable(codec_of(EffortCounts)), default=None)
    bounds: Bounds | None = member(nullable(codec_of(Bounds)), "Where IDs are new random ones.", default=None, omit=True)

    @property
    def counted(self) -> int:
        return self.partitions

    @property
    def longest_downtime(self) -> int:
        return self.unowned

    @property
    def stable_after(self) -> int | None:
        return stable_after(self.times, self.to_stable)

    @property
    def moved_text(self) -> str:
        return span(*ends(self.moved, None if self.bounds is None else self.bounds.moved))

    @property
    def hand_overs_text(self) -> str:
        return span(*ends(self.hand_overs, None if self.bounds is None else self.bounds.moves))

    @property
    def downtime_text(self) -> str:
        return duration(self.unowned) if self.unowned_most else "none"

    @property
    def stable_text(self) -> str:
        return "never" if self.times is None else time_words.estimate(self.times.rebalancing_ends)

    @property
    def effort_text(self) -> str:
        return time_words.effort(self.effort)


def hand_over_figures(option: ConsideredOption | None) -> HandOverFigures | None:
    """None: nothing can be predicted."""
    if option is None or option.summary is None or option.longest is None or option.unowned is None:
        return None
    found, after = option.summary, None if option.times is None else option.times.rebalancing_ends
    return HandOverFigures(
        moved=found.moved,
        partitions=found.partitions,
        hand_overs=found.moves,
        targets=found.targets,
        unowned=math.ceil(option.longest.usual),
        unowned_most=math.ceil(option.longest.most),
        partition_seconds=round(option.unowned.usual),
        read_twice=option.read_twice,
        to_stable=None if after is None else after.high,
        times=None if option.times is None else replace(option.times, phases=(), rebalances=()),
        effort=option.effort_counts,
        bounds=option.bounds,
    )
