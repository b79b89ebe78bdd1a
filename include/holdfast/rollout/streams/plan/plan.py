"""The Plan: its steps, the reasons, and what it was made from. `assembly.assemble` creates it, `json` writes and reads it."""

from dataclasses import dataclass

from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.contract.verdicts import PLAINLY, PlanVerdict, Rule
from holdfast.rollout.facts.conditions import Assumption, Invalidation
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost.evaluation import Cost, Effort, worst_of
from holdfast.rollout.streams.options.otherwise import Otherwise
from holdfast.rollout.streams.plan.basis import Basis
from holdfast.rollout.streams.steps.steps import Step


@dataclass(frozen=True, slots=True)
class Considered:
    """One way that was weighed. `change`: what Kafka would see. `why_not` is empty for the chosen one; `costs` is empty where
    nothing could be predicted."""

    name: str
    title: str
    change: Change
    effort: Effort
    costs: tuple[Cost, ...]
    rules: tuple[Rule, ...]
    unknown: tuple[str, ...]
    refused: str | None
    why_not: str
    as_asked: bool = True
    """False: it does something else than was asked for, and is there to be compared."""
    effort_counts: EffortCounts | None = None
    """None: a plan of another version."""

    @property
    def worst(self) -> Cost | None:
        """The outcome that a reviewer should reckon with, as in `Evaluation.worst`. None: nothing could be predicted."""
        return worst_of(self.costs) if self.costs else None


@dataclass(frozen=True, slots=True)
class Plan:
    """`plan_id` is a digest of everything else. Costs of the chosen way keep their rounds, ends, disks and tasks, those of the
    others do not, but for the two longest stops.

    `chosen` None: there is nothing to do, or no way can be predicted; then there are no steps.
    """

    plan_id: str
    created_at: str
    expires_at: str
    created_from: CreatedFrom
    basis: Basis
    policy: Policy
    change: Change
    verdict: PlanVerdict
    headline: str
    why: str
    """Why the chosen way beats the others, in a sentence or two."""
    wrong_if: str
    blocked_by: tuple[str, ...]
    chosen: str | None
    candidates: tuple[Considered, ...]
    steps: tuple[Step, ...]
    settings: tuple[SettingChange, ...]
    preconditions: tuple[str, ...]
    rules: tuple[Rule, ...]
    unknown: tuple[str, ...]
    otherwise: tuple[Otherwise, ...] = ()
    """What the chosen way costs where a condition of its forecast does not hold."""
    invalidations: tuple[Invalidation, ...] = ()
    """`wrong_if` as values; none in a plan that another version made."""
    assumptions: tuple[Assumption, ...] = ()
    """`preconditions` likewise."""
    requested_by: str | None = None
    """Who asked for it, by the name that Airflow has for the user; `approval.NOBODY`: no person did. None: not said."""

    @property
    def chosen_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == self.chosen), None)

    @property
    def plain_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == PLAINLY), None)
