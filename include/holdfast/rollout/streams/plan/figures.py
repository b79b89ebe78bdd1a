"""A plan for a Kafka Streams group in a few figures."""

from dataclasses import dataclass, replace

from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.cost.evaluation import Cost
from holdfast.rollout.streams.cost.times_of_costs import times_of
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.text.wording import duration
from holdfast.rollout.timing import time_words
from holdfast.rollout.timing.time_words import until_stable


@dataclass(frozen=True, slots=True)
class Figures:
    """What one way costs in its worst outcome. Times in seconds, at the policy's restore speed; None: not known, or without end."""

    moved: int
    stateful_tasks: int
    without_copy: int
    """The longest that no client that runs has a caught-up copy of some task."""
    cold_tasks: int
    """Stateful tasks given to a client to run while nobody was caught up on them: those of `without_copy` 0 wait under a second."""
    to_stable: int | None
    records: int
    bytes: int | None
    stands_still: int = 0
    """The longest that any task is unavailable; the pause of a rebalance itself is not in it."""
    noticed: int = 0
    """The part of `stands_still` until the group notices that the task's client is gone; the rest is to restore."""
    times: Times | None = None
    """The two figures of time, and the condition that all figures hold under. None: another version wrote it."""
    effort: EffortCounts | None = None
    rebalances: tuple[int, int, int] | None = None
    """At least, usually, at most. None: another version wrote it."""
    downtime_task_seconds: int | None = None

    @property
    def still_says(self) -> str:
        found = duration(self.stands_still) if self.stands_still else "under 1 s" if self.cold_tasks else "none"
        condition = None if self.times is None or self.certain else self.times.condition
        if condition is None or condition.otherwise_downtime_s <= self.stands_still:
            return found
        return f"{found}, only if {time_words.condition(condition)}; else {duration(condition.otherwise_downtime_s)}"

    @property
    def stable_says(self) -> str:
        """When rebalancing ends, and under which condition."""
        if self.times is None:
            return until_stable(self.to_stable)
        return time_words.estimate(self.times.rebalancing_ends) + time_words.only_if(self.times)

    @property
    def restored_says(self) -> str:
        """When all state is restored, and under which condition."""
        return until_stable(self.to_stable) if self.times is None else time_words.restored(self.times)

    @property
    def effort_says(self) -> str:
        return time_words.effort(self.effort)

    @property
    def certain(self) -> bool:
        """False: the figures hold only under a condition that is not known to be met. They are never shown as better then."""
        return self.times is None or self.times.certain


def figures(cost: Cost, policy: Policy, effort: EffortCounts | None = None) -> Figures:
    """`to_stable`: when rebalancing ends, at the most."""
    speed = policy.restore_records_per_second
    times = times_of(cost, policy)
    longest = cost.stands_still_longest(speed)
    return Figures(
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


def figures_of(plan: Plan, way: Considered | None) -> Figures | None:
    worst = None if way is None else way.worst
    return None if way is None or worst is None else figures(worst, plan.policy, way.effort_counts)
