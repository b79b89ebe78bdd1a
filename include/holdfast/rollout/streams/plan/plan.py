"""The Plan: its steps, the reasons, and what it was made from. `assembly.assemble` creates it, `json` writes and reads it."""

from holdfast.rollout.backtest.past import PastScore
from holdfast.rollout.contract.assessment import Assessment, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS, Assumption, Invalidation
from holdfast.rollout.facts.missing_inputs import NOT_KNOWN
from holdfast.rollout.facts.reasons import BLOCKED, REASON, Blocked, Reason
from holdfast.rollout.facts.refusals import REFUSAL, Refusal
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json import contracts
from holdfast.rollout.json.codec import BOOLEAN, INSTANT, NAME, TEXT, TEXTS, choice, items, nullable
from holdfast.rollout.json.former_names import PLAN_VERSION, is_former
from holdfast.rollout.json.record import codec_of, gathered, member, record, spread
from holdfast.rollout.options.option import WithOptions
from holdfast.rollout.policy.json import POLICY
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.change import CHANGE, Change
from holdfast.rollout.streams.cost.evaluation import COSTS, Cost, Effort, worst_of
from holdfast.rollout.streams.options.contingencies import Otherwise
from holdfast.rollout.streams.plan.basis import Basis
from holdfast.rollout.streams.steps.steps import STEPS, Step


@record
class Considered:
    """An option that was compared. `change`: the change that Kafka would see. `why_not`: empty for the recommended one. `costs`:
    one per outcome, empty if it cannot be predicted (`refused` says why)."""

    name: str = member(NAME)
    title: str = member(TEXT)
    why_not: str = member(TEXT, "Empty for the recommended one.")
    effort: Effort = member(choice(Effort))
    change: Change = member(CHANGE)
    costs: tuple[Cost, ...] = member(COSTS, "One an outcome.", name="summary")
    rules: tuple[Rule, ...] = member(items(codec_of(Rule)))
    unknown: tuple[Said[Unknown], ...] = spread(NOT_KNOWN)
    refused: str | None = member(nullable(TEXT))
    as_asked: bool = member(BOOLEAN, "False: it does not do what was asked; it is there to be compared.", default=True)
    reason: Reason | None = member(REASON, "`why_not` as values.", default=None, omit=True)
    """None: of the recommended option, and in a plan written by another version."""
    effort_counts: EffortCounts | None = member(codec_of(EffortCounts), default=None, omit=True)
    """None: written by another version."""
    refusal: Refusal | None = member(REFUSAL, "`refused` as values.", default=None, omit=True)

    @property
    def worst(self) -> Cost | None:
        """The worst outcome, as in `EvaluatedOption.worst`. None: it cannot be predicted."""
        return worst_of(self.costs) if self.costs else None


def _is_a_plan(document: object) -> None:
    contracts.refuse_another(document, "Plan")


@record(
    version=PLAN_VERSION,
    also={"signature": SIGNATURE},
    first=_is_a_plan,
    about="Steps in order, why this option is recommended, what to expect of each step, and its rollback.",
)
class Plan(WithOptions[Considered]):
    """The recommended option for a change, its steps and the reasons. `plan_id`: a digest of everything else.

    `chosen`: the name of the recommended option; None: nothing to do, or no option can be predicted, and no steps. Only its costs
    have rounds, ends, disks and tasks; those of other options have the two longest task downtimes.
    """

    plan_id: str = member(NAME, "The first digits of the digest of everything else.")
    created_at: str = member(INSTANT)
    expires_at: str = member(INSTANT)
    created_from: CreatedFrom = member(codec_of(CreatedFrom))
    assessment: Assessment = member(choice(Assessment), name="verdict")
    headline: str = member(TEXT)
    why: str = member(TEXT)
    """Why this option is recommended, in one or two sentences."""
    wrong_if: str = member(TEXT, "The one fact that would make it wrong.")
    blocked_by: tuple[str, ...] = member(TEXTS)
    chosen: str | None = member(nullable(NAME))
    steps: tuple[Step, ...] = member(STEPS)
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)))
    preconditions: tuple[str, ...] = member(TEXTS)
    rules: tuple[Rule, ...] = member(items(codec_of(Rule)))
    unknown: tuple[Said[Unknown], ...] = spread(NOT_KNOWN)
    candidates: tuple[Considered, ...] = member(items(codec_of(Considered)))
    change: Change = member(CHANGE)
    policy: Policy = member(POLICY)
    basis: Basis = member(codec_of(Basis))
    otherwise: tuple[Otherwise, ...] = member(
        items(codec_of(Otherwise)),
        "What the recommended option costs where a condition of its forecast does not hold.",
        default=(),
        omit=True,
    )
    blocked: tuple[Blocked, ...] = member(BLOCKED, "`blocked_by` as values.", default=(), omit=True)
    """Empty in a plan written by another version, as the next two."""
    invalidations: tuple[Invalidation, ...] = member(
        INVALIDATIONS, "`wrong_if` as values.", name="invalid_if", default=(), omit=True
    )
    assumptions: tuple[Assumption, ...] = member(ASSUMPTIONS, "`preconditions` as values.", default=(), omit=True)
    past: PastScore | None = member(nullable(codec_of(PastScore)), "How Holdfast decided past rebalances.", default=None, omit=True)
    """None: no backtest was given."""
    requested_by: str | None = member(
        NAME, "The user who requested the plan, as Airflow names them. Left out: no user did.", default=None, omit=True
    )
    """The requester: Airflow's name of the user; `approval.NOBODY`: no person. None: not given."""
    former: bool = gathered(is_former, default=False)
    """Written in format 1.0, with the names of that."""
