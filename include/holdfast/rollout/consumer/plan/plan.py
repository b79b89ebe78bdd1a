"""The Plan for a consumer group: the value. `assembly` makes it; what differs from Kafka Streams is what an option costs."""

from holdfast.rollout.backtest.past import PastScore
from holdfast.rollout.consumer.change.change import CHANGE, ConsumerChange
from holdfast.rollout.consumer.forecast.course import Shares
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.options.proposals import NAMES
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL_NAME, ConsumerSnapshot
from holdfast.rollout.consumer.steps.steps import ConsumerStep
from holdfast.rollout.contract.assessment import Assessment, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS, Assumption, Invalidation
from holdfast.rollout.facts.missing_inputs import NOT_KNOWN
from holdfast.rollout.facts.reasons import BLOCKED, REASON, Blocked, Reason
from holdfast.rollout.facts.refusals import REFUSAL, Refusal
from holdfast.rollout.facts.said_json import said
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json import shapes
from holdfast.rollout.json.codec import COUNT, INSTANT, NAME, TEXT, TEXTS, choice, items, nullable
from holdfast.rollout.json.former_names import PLAN_VERSION, is_former
from holdfast.rollout.json.record import codec_of, derived, gathered, member, record, spread
from holdfast.rollout.offsets.positions import OffsetWarning
from holdfast.rollout.options.option import WithOptions
from holdfast.rollout.policy.json import POLICY
from holdfast.rollout.policy.policy import Policy

_OPTION_NAME = NAME.shaped(shapes.one_of(NAMES))


@record
class Considered:
    """One option that was evaluated. `summary` None: `refused` says why nothing can be predicted. `why_not`: empty if it is
    recommended.

    `read_twice`: records that are read a second time, at most; None: unknown. `course`: of the recommended option and of the
    baseline, where known. `times` and `effort_counts` None: another version made the plan.
    """

    name: str = member(_OPTION_NAME)
    title: str = member(TEXT)
    why_not: str = member(TEXT, "Empty for the recommended one.")
    reason: Reason | None = member(REASON, "`why_not` as values.", absent=None, omit=True)
    """None: of the recommended option, and in a plan that another version made."""
    change: ConsumerChange = member(CHANGE)
    summary: ConsumerSummary | None = member(nullable(codec_of(ConsumerSummary)))
    rules: tuple[Rule, ...] = member(items(codec_of(Rule)))
    warnings: tuple[Said[OffsetWarning], ...] = spread(said("warnings", "offset_warnings", codec_of(OffsetWarning)))
    unknown: tuple[Said[Unknown], ...] = spread(NOT_KNOWN)
    refused: str | None = member(nullable(TEXT))
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)), "For the time of the roll.")
    read_twice: int | None = member(COUNT, name="records_read_twice_at_most", default=None, omit=True)
    course: Shares | None = member(codec_of(Shares), default=None, omit=True)
    rebalances_most: int | None = member(COUNT, "Left out: as many as in the summary.", default=None, omit=True)
    times: Times | None = member(codec_of(Times), default=None, omit=True)
    effort_counts: EffortCounts | None = member(codec_of(EffortCounts), default=None, omit=True)
    refusal: Refusal | None = member(REFUSAL, "`refused` as values.", default=None, omit=True)

    @property
    def rebalances(self) -> tuple[int, int]:
        """Least and most. Only of what was forecast."""
        assert self.summary is not None, "what was refused has no rebalances"
        return self.summary.rebalances, self.rebalances_most or self.summary.rebalances


@record(
    version=PLAN_VERSION,
    also={"signature": SIGNATURE},
    about="The recommended option for a change to a consumer group without Kafka Streams, and why not the others.",
)
class ConsumerPlan(WithOptions[Considered]):
    """`plan_id` is a digest of everything else. `chosen` None: there is nothing to do, or no option can be predicted.

    `basis`: the group that it was made for, without what moves every second. `settings`, `rules` and `unknown`: those of the
    recommended option.
    """

    plan_id: str = member(NAME, "The first digits of the digest of everything else.")

    @property
    @derived(PROTOCOL_NAME)
    def protocol(self) -> str:
        return self.basis.protocol

    created_at: str = member(INSTANT)
    expires_at: str = member(INSTANT)
    created_from: CreatedFrom = member(codec_of(CreatedFrom))

    @property
    @derived(TEXT)
    def cluster(self) -> str:
        return self.basis.cluster

    @property
    @derived(NAME)
    def group_id(self) -> str:
        return self.basis.group_id

    assessment: Assessment = member(choice(Assessment), name="verdict")
    headline: str = member(TEXT, "A warning of skipped data comes first.")
    wrong_if: str = member(TEXT, "The one fact that would make it wrong.")
    blocked_by: tuple[str, ...] = member(TEXTS)
    chosen: str | None = member(nullable(_OPTION_NAME))
    steps: tuple[ConsumerStep, ...] = member(items(codec_of(ConsumerStep)))
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)))
    preconditions: tuple[str, ...] = member(TEXTS)
    rules: tuple[Rule, ...] = member(items(codec_of(Rule)))
    unknown: tuple[Said[Unknown], ...] = spread(NOT_KNOWN)
    candidates: tuple[Considered, ...] = member(items(codec_of(Considered)))
    change: ConsumerChange = member(CHANGE)
    policy: Policy = member(POLICY)
    basis: ConsumerSnapshot = member(codec_of(ConsumerSnapshot))
    past: PastScore | None = member(nullable(codec_of(PastScore)), "How Holdfast decided past rebalances.", default=None, omit=True)
    """None: no backtest was given."""
    requested_by: str | None = member(
        NAME, "The user who requested the plan, as Airflow names them. Left out: no user did.", default=None, omit=True
    )
    """As in `streams.plan.plan.Plan`."""
    blocked: tuple[Blocked, ...] = member(BLOCKED, "`blocked_by` as values.", default=(), omit=True)
    """Empty in a plan that another version made, as the next two."""
    invalidations: tuple[Invalidation, ...] = member(
        INVALIDATIONS, "`wrong_if` as values.", name="invalid_if", default=(), omit=True
    )
    assumptions: tuple[Assumption, ...] = member(ASSUMPTIONS, "`preconditions` as values.", default=(), omit=True)
    former: bool = gathered(is_former, default=False)
    """Written in format 1.0, with the names of that."""
