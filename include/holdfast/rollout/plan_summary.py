"""A plan in a few figures: what a list of thousands of plans shows, and what stands on top of the page of one."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from holdfast.rollout import time_words, timeline
from holdfast.rollout.codec import document
from holdfast.rollout.codec.document import Fields, nullable
from holdfast.rollout.codec.steps import one_of
from holdfast.rollout.codec.times import (
    effort_counts_from_json,
    effort_counts_to_json,
    estimate_from_json,
    times_from_json,
    times_to_json,
)
from holdfast.rollout.consumer.plan import Considered as PlainWay
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.evaluation import Cost
from holdfast.rollout.plan_title import title_of
from holdfast.rollout.plan_value import Considered, Plan, PlanVerdict
from holdfast.rollout.policy import Policy
from holdfast.rollout.times import EffortCounts, Times
from holdfast.rollout.wording import duration


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
    """The longest that any task stands still; the pause of a rebalance itself is not in it."""
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
            return _stable(self.to_stable)
        return time_words.estimate(self.times.rebalancing_ends) + time_words.only_if(self.times)

    @property
    def restored_says(self) -> str:
        """When all state is restored, and under which condition."""
        return _stable(self.to_stable) if self.times is None else time_words.restored(self.times)

    @property
    def effort_says(self) -> str:
        return time_words.effort(self.effort)

    @property
    def certain(self) -> bool:
        """False: the figures hold only under a condition that is not known to be met. They are never shown as better then."""
        return self.times is None or self.times.certain


@dataclass(frozen=True, slots=True)
class ReadFigures:
    """What one way costs a plain consumer group. Times in seconds; None: not known, or without end.

    `unread`: the longest that nobody reads a partition, usually; `unread_most`: where a consumer is slow to poll. `read_twice`:
    records that may be read a second time, at most.
    """

    moved: int | None
    partitions: int
    unread: int | None
    unread_most: int | None
    rebalances: int
    to_stable: int | None
    read_twice: int | None
    times: Times | None = None
    effort: EffortCounts | None = None

    @property
    def still_says(self) -> str:
        return "none" if not self.rebalances else "not known" if self.unread is None else duration(self.unread)

    @property
    def stable_says(self) -> str:
        return _stable(self.to_stable) if self.times is None else time_words.estimate(self.times.rebalancing_ends)

    @property
    def effort_says(self) -> str:
        return time_words.effort(self.effort)


def _stable(seconds: int | None) -> str:
    return "never" if seconds is None else duration(seconds) if seconds else "immediately"


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """`plain`: the figures of doing it plainly, where that is another way and was forecast. `title`: what is to be done.

    `reads` and `plain_reads`: the same of a plain consumer group, which has no stateful tasks: the others are None then."""

    plan_id: str
    created_at: str
    expires_at: str
    cluster: str
    group_id: str
    verdict: PlanVerdict
    title: str
    steps: int
    figures: Figures | None
    plain: Figures | None
    reads: ReadFigures | None = None
    plain_reads: ReadFigures | None = None
    request: str = ""
    """What was asked for, as the plan's title; empty in a summary from before there was one."""


def figures(cost: Cost, policy: Policy, effort: EffortCounts | None = None) -> Figures:
    """`to_stable`: when rebalancing ends, at the most."""
    speed = policy.restore_records_per_second
    times = timeline.times_of(cost, policy)
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


def summary(plan: Plan | ConsumerPlan) -> PlanSummary:
    way = plan.chosen_way
    brief = PlanSummary(
        plan_id=plan.plan_id,
        created_at=plan.created_at,
        expires_at=plan.expires_at,
        cluster=plan.basis.cluster,
        group_id=plan.basis.group_id,
        verdict=plan.verdict,
        title=plan.headline if way is None else way.title,
        steps=len(plan.steps),
        figures=None,
        plain=None,
        request=title_of(plan),
    )
    if isinstance(plan, ConsumerPlan):
        chosen, plain = (None if one is None else read_figures(one) for one in (plan.chosen_way, plan.plain_way))
        return replace(brief, reads=chosen, plain_reads=None if plan.plain_way is way else plain)
    return replace(
        brief,
        figures=figures_of(plan, plan.chosen_way),
        plain=None if plan.plain_way is way else figures_of(plan, plan.plain_way),
    )


def read_figures(way: PlainWay) -> ReadFigures | None:
    """None: nothing can be predicted."""
    found = way.summary
    if found is None:
        return None
    longest = found.longest_stop
    return ReadFigures(
        moved=found.moved,
        partitions=found.partitions,
        unread=None if longest is None else math.ceil(longest.usual),
        unread_most=None if longest is None else math.ceil(longest.most),
        rebalances=found.rebalances,
        to_stable=_to_stable(way, found.seconds_to_stable),
        read_twice=way.read_twice,
        times=None if way.times is None else replace(way.times, phases=(), rebalances=()),
        effort=way.effort_counts,
    )


def _to_stable(way: PlainWay, before: float | None) -> int | None:
    """When rebalancing ends, at the most. `before`: what a plan of another version says of it."""
    if way.times is None:
        return None if before is None else math.ceil(before)
    return None if way.times.rebalancing_ends is None else way.times.rebalancing_ends.high


def figures_of(plan: Plan, way: Considered | None) -> Figures | None:
    worst = None if way is None else way.worst
    return None if way is None or worst is None else figures(worst, plan.policy, way.effort_counts)


def summary_to_json(one: PlanSummary) -> dict[str, object]:
    found: dict[str, object] = asdict(one)
    for which, shown in (("figures", one.figures), ("plain", one.plain), ("reads", one.reads), ("plain_reads", one.plain_reads)):
        if shown is not None:
            found[which] = _figures_to_json(shown)
    return {"format_version": document.FORMAT_VERSION, **found, "verdict": one.verdict.value}


def _figures_to_json(one: Figures | ReadFigures) -> dict[str, object]:
    found = asdict(one) | {
        "times": None if one.times is None else times_to_json(one.times),
        "effort": None if one.effort is None else effort_counts_to_json(one.effort),
    }
    if isinstance(one, Figures):
        found["rebalances"] = None if one.rebalances is None else list(one.rebalances)
    return found


def summary_from_json(value: object) -> PlanSummary:
    fields = Fields(value)
    fields.need("format_version", document.format_version)
    found = PlanSummary(
        plan_id=fields.need("plan_id", document.name),
        created_at=fields.need("created_at", document.instant),
        expires_at=fields.need("expires_at", document.instant),
        cluster=fields.need("cluster", document.text),
        group_id=fields.need("group_id", document.text),
        verdict=fields.need("verdict", one_of(PlanVerdict)),
        title=fields.need("title", document.text),
        steps=fields.need("steps", _count),
        figures=fields.need("figures", nullable(_figures)),
        plain=fields.need("plain", nullable(_figures)),
        reads=fields.optional("reads", nullable(_read_figures), None),
        plain_reads=fields.optional("plain_reads", nullable(_read_figures), None),
        request=fields.optional("request", document.text, ""),
    )
    fields.finish(closed=False)
    return found


def _three(value: object) -> tuple[int, int, int]:
    found = estimate_from_json(value)
    return found.low, found.usual, found.high


def _count(value: object) -> int:
    return document.integer(value, 0, 2**63 - 1)


def _figures(value: object) -> Figures:
    fields = Fields(value)
    found: Mapping[str, int] = {
        key: fields.need(key, _count) for key in ("moved", "stateful_tasks", "without_copy", "cold_tasks", "records")
    }
    figures = Figures(
        **found,
        to_stable=fields.need("to_stable", nullable(_count)),
        bytes=fields.need("bytes", nullable(_count)),
        stands_still=fields.optional("stands_still", _count, found["without_copy"]),
        noticed=fields.optional("noticed", _count, 0),
        times=fields.optional("times", nullable(times_from_json), None),
        effort=fields.optional("effort", nullable(effort_counts_from_json), None),
        rebalances=fields.optional("rebalances", nullable(_three), None),
        downtime_task_seconds=fields.optional("downtime_task_seconds", nullable(_count), None),
    )
    fields.finish()
    return figures


def _read_figures(value: object) -> ReadFigures:
    fields = Fields(value)
    maybe = {key: fields.need(key, nullable(_count)) for key in ("moved", "unread", "unread_most", "to_stable", "read_twice")}
    figures = ReadFigures(
        **maybe,
        partitions=fields.need("partitions", _count),
        rebalances=fields.need("rebalances", _count),
        times=fields.optional("times", nullable(times_from_json), None),
        effort=fields.optional("effort", nullable(effort_counts_from_json), None),
    )
    fields.finish()
    return figures
