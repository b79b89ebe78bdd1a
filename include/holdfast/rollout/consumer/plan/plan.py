"""The Plan for a consumer group: the value. `assembly` makes it; what differs from Kafka Streams is what an option costs."""

from dataclasses import dataclass

from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.forecast.course import Course
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.forecast.positions import OffsetWarning
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.verdicts import PLAINLY, PlanVerdict, Rule
from holdfast.rollout.facts.conditions import Assumption, Invalidation
from holdfast.rollout.facts.reasons import Blocked, Reason
from holdfast.rollout.facts.said import Said
from holdfast.rollout.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class Considered:
    """One way that was weighed. `summary` None: `refused` says why nothing can be predicted. `why_not`: empty if it is chosen.

    `read_twice`: records that are read a second time, at most; None: not known. `course`: of the chosen and of the plain way, where
    anybody can tell. `times` and `effort_counts` None: another version made the plan.
    """

    name: str
    title: str
    change: ConsumerChange
    summary: ConsumerSummary | None
    rules: tuple[Rule, ...]
    warnings: tuple[Said[OffsetWarning], ...]
    unknown: tuple[str, ...]
    refused: str | None
    why_not: str
    settings: tuple[SettingChange, ...] = ()
    read_twice: int | None = None
    course: Course | None = None
    times: Times | None = None
    reason: Reason | None = None
    """`why_not` as a value. None: of the recommended option, and in a plan that another version made."""
    effort_counts: EffortCounts | None = None


@dataclass(frozen=True, slots=True)
class ConsumerPlan:
    """`plan_id` is a digest of everything else. `chosen` None: there is nothing to do, or no way can be predicted.

    `basis`: the group that it was made for, without what moves every second.
    """

    plan_id: str
    created_at: str
    expires_at: str
    created_from: CreatedFrom
    basis: ConsumerSnapshot
    policy: Policy
    change: ConsumerChange
    verdict: PlanVerdict
    headline: str
    wrong_if: str
    blocked_by: tuple[str, ...]
    chosen: str | None
    candidates: tuple[Considered, ...]
    steps: tuple[ConsumerStep, ...]
    preconditions: tuple[str, ...]
    blocked: tuple[Blocked, ...] = ()
    """`blocked_by` as values; none in a plan that another version made."""
    invalidations: tuple[Invalidation, ...] = ()
    """`wrong_if` as values; none in a plan that another version made."""
    assumptions: tuple[Assumption, ...] = ()
    """`preconditions` likewise."""
    requested_by: str | None = None
    """As in `streams.plan.plan.Plan`."""

    @property
    def chosen_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == self.chosen), None)

    @property
    def plain_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == PLAINLY), None)
