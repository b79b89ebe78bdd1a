"""The Plan: what is to be done, why that way, what it was made from. `plan.assemble` makes it, `codec.plan` writes and reads it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from holdfast.rollout.basis import Basis
from holdfast.rollout.change import Change
from holdfast.rollout.evaluation import Cost, Effort, worst_of
from holdfast.rollout.otherwise import Otherwise
from holdfast.rollout.policy import Policy
from holdfast.rollout.rules import Rule
from holdfast.rollout.steps import SettingChange, Step
from holdfast.rollout.times import EffortCounts


class PlanVerdict(StrEnum):
    """What a plan says of itself. `REVIEW`: a rule failed or something is not known; `BLOCKED`: it must not be applied."""

    NOTHING_TO_DO = "nothing to do"
    SAFE = "safe"
    REVIEW = "review"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class CreatedFrom:
    """Fingerprints of what a plan was made from, `sha256:` and 64 digits each.

    `captured_at`: when the snapshot was taken; None: it does not say, or the plan is from before this was kept.
    """

    snapshot: str
    change: str
    policy: str
    captured_at: str | None = None

    def valid_from(self, made: datetime) -> datetime:
        """From when a plan's validity counts: from its snapshot. One that claims to be of the future buys no time."""
        return made if self.captured_at is None else min(made, datetime.fromisoformat(self.captured_at).astimezone(UTC))


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
    requested_by: str | None = None
    """Who asked for it, by the name that Airflow has for the user; `approval.NOBODY`: no person did. None: not said."""

    @property
    def chosen_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == self.chosen), None)

    @property
    def plain_way(self) -> Considered | None:
        return next((one for one in self.candidates if one.name == PLAINLY), None)


PLAINLY = "plainly"
"""The name of the candidate that does what the operator asked for and nothing else."""
