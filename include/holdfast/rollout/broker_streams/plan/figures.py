"""A plan for a streams group whose broker assigns in a few figures."""

import math
from dataclasses import replace

from holdfast.rollout.broker_streams.forecast.outcomes import Draws
from holdfast.rollout.broker_streams.plan.plan import Considered as ConsideredOption
from holdfast.rollout.contract.figures import stable_after
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.coordinated.chance import Spread
from holdfast.rollout.json.codec import COUNT, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.format import amount_of_bytes, duration, many, span
from holdfast.rollout.timing import time_words


@record(closed=False)
class TargetFigures:
    """What one option costs a streams group whose broker assigns. Times in seconds.

    `unowned`: the longest that a task has no owner, usually, before it restores anything; `unowned_most`: at most. `to_stable`:
    when the last target is reached, at most.
    """

    moved: int = member(COUNT)
    stateful_tasks: int = member(COUNT)
    hand_overs: int = member(COUNT)
    cold: int = member(COUNT)
    targets: int = member(COUNT)
    unowned: int = member(COUNT)
    unowned_most: int = member(COUNT)
    task_seconds: int = member(COUNT)
    to_stable: int | None = member(nullable(COUNT))
    times: Times | None = member(nullable(codec_of(Times)), default=None)
    effort: EffortCounts | None = member(nullable(codec_of(EffortCounts)), default=None)
    restored_records: int | None = member(nullable(COUNT), "Left out: unknown.", default=None, omit=True)
    restored_bytes: int | None = member(nullable(COUNT), "Left out: unknown.", default=None, omit=True)
    draws: Draws | None = member(nullable(codec_of(Draws)), "Where IDs are new random ones.", default=None, omit=True)

    @property
    def counted(self) -> int:
        return self.stateful_tasks

    @property
    def longest_downtime(self) -> int:
        return self.unowned

    @property
    def stable_after(self) -> int | None:
        return stable_after(self.times, self.to_stable)

    @property
    def moved_text(self) -> str:
        return _range(self.moved, None if self.draws is None else self.draws.active_moved)

    @property
    def hand_overs_text(self) -> str:
        return _range(self.hand_overs, None if self.draws is None else self.draws.moves)

    @property
    def cold_text(self) -> str:
        return _range(self.cold, None if self.draws is None else self.draws.cold_moves)

    @property
    def downtime_text(self) -> str:
        return duration(self.unowned) if self.unowned_most else "none"

    @property
    def stable_text(self) -> str:
        return "never" if self.times is None else time_words.estimate(self.times.rebalancing_ends)

    @property
    def restored_text(self) -> str:
        """` (12,000 records, 3.1 MiB, to restore)`; empty where that is unknown."""
        if self.restored_records is None:
            return ""
        size = "" if self.restored_bytes is None else f", {amount_of_bytes(self.restored_bytes)}"
        return f" ({many(self.restored_records, 'record')}{size}, to restore)"

    @property
    def effort_text(self) -> str:
        return time_words.effort(self.effort)


def _range(count: int, drawn: Spread | None) -> str:
    return f"{count:,}" if drawn is None else span(drawn.least, drawn.most)


def target_figures(option: ConsideredOption | None) -> TargetFigures | None:
    """None: nothing can be predicted."""
    if option is None or option.summary is None or option.longest is None or option.unowned is None:
        return None
    found, ends = option.summary, None if option.times is None else option.times.rebalancing_ends
    return TargetFigures(
        moved=found.active_moved,
        stateful_tasks=found.stateful_tasks,
        hand_overs=found.moves,
        cold=found.cold_moves,
        targets=found.targets,
        unowned=math.ceil(option.longest.usual),
        unowned_most=math.ceil(option.longest.most),
        task_seconds=round(option.unowned.usual),
        to_stable=None if ends is None else ends.high,
        times=None if option.times is None else replace(option.times, phases=(), rebalances=()),
        effort=option.effort_counts,
        restored_records=None if option.restored is None else option.restored.records,
        restored_bytes=None if option.restored is None else option.restored.size,
        draws=option.draws,
    )
