"""A plan for a Kafka Streams group in a few figures."""

from dataclasses import replace

from holdfast.rollout.contract.figures import stable_after
from holdfast.rollout.contract.times import ESTIMATE, EffortCounts, Estimate, Times
from holdfast.rollout.json.codec import COUNT, Codec, nullable
from holdfast.rollout.json.record import codec_of, member, record, spread
from holdfast.rollout.json.record_codec import fields_of
from holdfast.rollout.json.strict import Fields
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost
from holdfast.rollout.streams.cost.times_of_costs import stated, times_of
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.text.format import duration
from holdfast.rollout.timing import time_words
from holdfast.rollout.timing.time_words import until_stable


def _downtime(value: object) -> int:
    """In a document from before there was this field, the longest without a copy."""
    fields = Fields(value)
    found = fields.need("stands_still" if fields.has("stands_still") else "without_copy", COUNT.read)
    fields.finish()
    return found


_DOWNTIME = fields_of(_downtime, lambda seconds: {"stands_still": seconds}, lambda: {"stands_still": COUNT.shape()})
_RANGE: Codec[tuple[int, int, int]] = ESTIMATE.to(lambda one: (one.low, one.usual, one.high), lambda found: Estimate(*found))


@record(closed=False)
class OptionFigures:
    """The cost of one option in its worst outcome. Times in seconds, at the policy's restore speed; None: unknown, or without
    end."""

    moved: int = member(COUNT)
    stateful_tasks: int = member(COUNT)
    without_copy: int = member(COUNT)
    """The longest that no client that runs has a caught-up copy of some task."""
    cold_tasks: int = member(COUNT)
    """Stateful tasks given to a client to run while no client was caught up on them: those of `without_copy` 0 wait under a
    second."""
    to_stable: int | None = member(nullable(COUNT))
    records: int = member(COUNT)
    bytes: int | None = member(nullable(COUNT))
    stands_still: int = spread(_DOWNTIME)
    """The longest that any task is unavailable; the pause of a rebalance itself is not in it."""
    noticed: int = member(COUNT, default=0)
    """The part of `stands_still` until the session of the task's client times out; the rest is restoring."""
    times: Times | None = member(nullable(codec_of(Times)), default=None)
    """The two figures of time, and the condition that all figures hold under. None: another version wrote it."""
    effort: EffortCounts | None = member(nullable(codec_of(EffortCounts)), default=None)
    rebalances: tuple[int, int, int] | None = member(nullable(_RANGE), default=None)
    """At least, usually, at most. None: another version wrote it."""
    downtime_task_seconds: int | None = member(nullable(COUNT), default=None)

    @property
    def counted(self) -> int:
        return self.stateful_tasks

    @property
    def longest_downtime(self) -> int:
        return self.stands_still

    @property
    def stable_after(self) -> int | None:
        return stable_after(self.times, self.to_stable)

    @property
    def downtime_text(self) -> str:
        found = duration(self.stands_still) if self.stands_still else "under 1 s" if self.cold_tasks else "none"
        condition = None if self.times is None or self.certain else self.times.condition
        if condition is None or condition.otherwise_downtime_s <= self.stands_still:
            return found
        return f"{found}, only if {time_words.condition(condition)}; else {duration(condition.otherwise_downtime_s)}"

    @property
    def stable_text(self) -> str:
        """When rebalancing ends, and under which condition."""
        if self.times is None:
            return until_stable(self.to_stable)
        return time_words.estimate(self.times.rebalancing_ends) + time_words.only_if(self.times)

    @property
    def restored_text(self) -> str:
        """When all state is restored, and under which condition."""
        return until_stable(self.to_stable) if self.times is None else time_words.restored(self.times)

    @property
    def effort_text(self) -> str:
        return time_words.effort(self.effort)

    @property
    def certain(self) -> bool:
        """False: the figures hold only under a condition that is unknown to be met. They are never shown as better then."""
        return self.times is None or self.times.certain


def figures(cost: Cost, policy: Policy, effort: EffortCounts | None = None) -> OptionFigures:
    """`to_stable`: when rebalancing ends, at the most."""
    speed = policy.restore_records_per_second
    times = times_of(cost, policy)
    longest = cost.stands_still_longest(speed)
    return OptionFigures(
        moved=cost.moved,
        stateful_tasks=cost.stateful_tasks,
        without_copy=cost.without_copy_longest(speed),
        cold_tasks=cost.cold_tasks,
        to_stable=None if times.rebalancing_ends is None else times.rebalancing_ends.high,
        records=cost.restored_records,
        bytes=cost.restored_bytes(policy.bytes_per_record),
        stands_still=longest,
        noticed=max((one.seconds for one in cost.stops if one.stopped(speed) == longest), default=0),
        times=replace(times, phases=(), rebalances=()),
        effort=effort,
        rebalances=(cost.rebalances.low, cost.usual_rebalances, cost.rebalances.high),
        downtime_task_seconds=cost.downtime_task_seconds(speed) if cost.rounds or not cost.stops else None,
    )


def figures_of(plan: Plan, option: Considered | None) -> OptionFigures | None:
    if option is None or not option.costs:
        return None
    return figures(stated(option.costs, plan.policy), plan.policy, option.effort_counts)
