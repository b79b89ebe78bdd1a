"""A plan in a few figures: what a list of thousands of plans shows, and what stands on top of the page of one."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from holdfast.rollout.codec import document
from holdfast.rollout.codec.document import Fields, nullable
from holdfast.rollout.codec.steps import one_of
from holdfast.rollout.consumer.plan import Considered as PlainWay
from holdfast.rollout.consumer.plan import ConsumerPlan
from holdfast.rollout.evaluation import Cost
from holdfast.rollout.plan_value import Considered, Plan, PlanVerdict
from holdfast.rollout.policy import Policy
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

    @property
    def still_says(self) -> str:
        return duration(self.stands_still) if self.stands_still else "under 1 s" if self.cold_tasks else "none"

    @property
    def stable_says(self) -> str:
        return _stable(self.to_stable)


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

    @property
    def still_says(self) -> str:
        return "none" if not self.rebalances else "not known" if self.unread is None else duration(self.unread)

    @property
    def stable_says(self) -> str:
        return _stable(self.to_stable)


def _stable(seconds: int | None) -> str:
    return "never" if seconds is None else duration(seconds) if seconds else "at once"


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


def figures(cost: Cost, policy: Policy) -> Figures:
    speed = policy.restore_records_per_second
    longest = cost.stands_still_longest(speed)
    return Figures(
        moved=cost.moved,
        stateful_tasks=cost.stateful_tasks,
        without_copy=cost.without_copy_longest(speed),
        cold_tasks=cost.cold_tasks,
        to_stable=cost.time_to_stable(speed).high if cost.stable else None,
        records=cost.restored_records,
        bytes=cost.restored_bytes(policy.bytes_per_record),
        stands_still=longest,
        noticed=max((one.seconds for one in cost.stops if one.stopped(speed) == longest), default=0),
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
    )
    if isinstance(plan, ConsumerPlan):
        chosen, plain = (None if one is None else read_figures(one) for one in (plan.chosen_way, plan.plain_way))
        return replace(brief, reads=chosen, plain_reads=None if plan.plain_way is way else plain)
    return replace(
        brief,
        figures=_figures_of(plan, plan.chosen_way),
        plain=None if plan.plain_way is way else _figures_of(plan, plan.plain_way),
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
        to_stable=None if found.seconds_to_stable is None else math.ceil(found.seconds_to_stable),
        read_twice=way.read_twice,
    )


def _figures_of(plan: Plan, way: Considered | None) -> Figures | None:
    worst = None if way is None else way.worst
    return None if worst is None else figures(worst, plan.policy)


def summary_to_json(one: PlanSummary) -> dict[str, object]:
    found: dict[str, object] = asdict(one)
    return {"format_version": document.FORMAT_VERSION, **found, "verdict": one.verdict.value}


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
    )
    fields.finish(closed=False)
    return found


def _count(value: object) -> int:
    return document.integer(value, 0, 2**63 - 1)


def _figures(value: object) -> Figures:
    fields = Fields(value)
    found: Mapping[str, int] = {
        key: fields.need(key, _count) for key in ("moved", "stateful_tasks", "without_copy", "cold_tasks", "records")
    }
    return Figures(
        **found,
        to_stable=fields.need("to_stable", nullable(_count)),
        bytes=fields.need("bytes", nullable(_count)),
        stands_still=fields.optional("stands_still", _count, found["without_copy"]),
        noticed=fields.optional("noticed", _count, 0),
    )


def _read_figures(value: object) -> ReadFigures:
    fields = Fields(value)
    maybe = {key: fields.need(key, nullable(_count)) for key in ("moved", "unread", "unread_most", "to_stable", "read_twice")}
    return ReadFigures(**maybe, partitions=fields.need("partitions", _count), rebalances=fields.need("rebalances", _count))
