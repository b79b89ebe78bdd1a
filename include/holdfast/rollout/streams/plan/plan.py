"""The Plan: its steps, the reasons, and what it was made from. `assembly.assemble` creates it, `json` writes and reads it."""

from dataclasses import dataclass

from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.contract.verdicts import PLAINLY, PlanVerdict, Rule
from holdfast.rollout.facts.conditions import Assumption, Invalidation
from holdfast.rollout.facts.reasons import Blocked, Reason
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.cost.evaluation import Cost, Effort, worst_of
from holdfast.rollout.streams.options.otherwise import Otherwise
from holdfast.rollout.streams.plan.basis import Basis
from holdfast.rollout.streams.steps.steps import Step


@dataclass(frozen=True, slots=True)
class Considered:
    """An option that was compared. `change`: the change that Kafka would see. `why_not`: empty for the recommended one. `costs`:
    one per outcome, empty if it cannot be predicted (`refused` says why)."""

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
    """False: for reference only; it is not the requested change."""
    reason: Reason | None = None
    """`why_not` as a value. None: of the recommended option, and in a plan written by another version."""
    effort_counts: EffortCounts | None = None
    """None: written by another version."""

    @property
    def worst(self) -> Cost | None:
        """The worst outcome, as in `EvaluatedOption.worst`. None: it cannot be predicted."""
        return worst_of(self.costs) if self.costs else None


@dataclass(frozen=True, slots=True)
class Plan:
    """The recommended option for a change, its steps and the reasons. `plan_id`: a digest of everything else.

    `chosen`: the name of the recommended option; None: nothing to do, or no option can be predicted, and no steps. Only its costs
    have rounds, ends, disks and tasks; those of other options have the two longest task downtimes.
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
    """Why this option is recommended, in one or two sentences."""
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
    """The cost of the recommended option if a condition of its forecast is not met."""
    blocked: tuple[Blocked, ...] = ()
    """`blocked_by` as values; empty in a plan written by another version."""
    invalidations: tuple[Invalidation, ...] = ()
    """`wrong_if` as values; empty in a plan written by another version."""
    assumptions: tuple[Assumption, ...] = ()
    """`preconditions` likewise."""
    requested_by: str | None = None
    """The requester: Airflow's name of the user; `approval.NOBODY`: no person. None: not given."""

    @property
    def chosen_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == self.chosen), None)

    @property
    def plain_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == PLAINLY), None)
