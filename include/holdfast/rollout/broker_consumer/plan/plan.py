"""The Plan for a consumer group whose broker assigns: the value. `assembly` makes it."""

from holdfast.rollout.backtest.past import PastScore
from holdfast.rollout.broker_consumer.change.change import CHANGE, GroupChange
from holdfast.rollout.broker_consumer.cost.hand_over import HandOver
from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.forecast.outcomes import TargetsSummary
from holdfast.rollout.broker_consumer.forecast.placement import Shares
from holdfast.rollout.broker_consumer.options.option import NAMES
from holdfast.rollout.broker_consumer.snapshot.snapshot import PROTOCOL, BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.steps.steps import GroupStep
from holdfast.rollout.contract.assessment import Assessment, Rule
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.coordinated.spans import SPAN, Seconds
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
from holdfast.rollout.options.orders import OrdersTried
from holdfast.rollout.policy.json import POLICY
from holdfast.rollout.policy.policy import Policy

_OPTION_NAME = NAME.shaped(shapes.one_of(NAMES))
_PROTOCOL = TEXT.shaped(shapes.one_of((PROTOCOL,)))


@record
class Considered:
    """One option that was evaluated. `summary` None: `refused` says why nothing can be predicted, or why it does not apply.
    `why_not`: empty if it is recommended.

    `bounds`: where IDs are new random ones, and the figures are an example. `read_twice`: records that are read a second time, at
    most; None: unknown. `unowned`: partition-seconds without an owner, `longest` of one partition, by the policy's start-up times.
    `course`: of the recommended option and of the baseline.
    """

    name: str = member(_OPTION_NAME)
    title: str = member(TEXT)
    why_not: str = member(TEXT, "Empty for the recommended one.")
    reason: Reason | None = member(REASON, "`why_not` as values.", absent=None, omit=True)
    """None: of the recommended option."""
    change: GroupChange = member(CHANGE)
    summary: TargetsSummary | None = member(nullable(codec_of(TargetsSummary)))
    rules: tuple[Rule, ...] = member(items(codec_of(Rule)))
    warnings: tuple[Said[OffsetWarning], ...] = spread(said("warnings", "offset_warnings", codec_of(OffsetWarning)))
    unknown: tuple[Said[Unknown], ...] = spread(NOT_KNOWN)
    refused: str | None = member(nullable(TEXT))
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)), "For the time of the rollout.")
    bounds: Bounds | None = member(codec_of(Bounds), default=None, omit=True)
    hand_over: HandOver | None = member(codec_of(HandOver), default=None, omit=True)
    read_twice: int | None = member(COUNT, name="records_read_twice_at_most", default=None, omit=True)
    unowned: Seconds | None = member(SPAN, "Partition-seconds: at least, usually, at most.", default=None, omit=True)
    longest: Seconds | None = member(SPAN, "Of one partition: at least, usually, at most.", default=None, omit=True)
    course: Shares | None = member(codec_of(Shares), default=None, omit=True)
    orders: OrdersTried | None = member(codec_of(OrdersTried), default=None, omit=True)
    times: Times | None = member(codec_of(Times), default=None, omit=True)
    effort_counts: EffortCounts | None = member(codec_of(EffortCounts), default=None, omit=True)
    refusal: Refusal | None = member(REFUSAL, "`refused` as values.", default=None, omit=True)


@record(
    version=PLAN_VERSION,
    also={"signature": SIGNATURE},
    about="The recommended option for a change to a consumer group whose broker assigns, and why not the others.",
)
class GroupPlan(WithOptions[Considered]):
    """`plan_id` is a digest of everything else. `chosen` None: there is nothing to do, or no option can be predicted.

    `basis`: the group that it was made for. `settings`, `rules` and `unknown`: those of the recommended option.
    """

    plan_id: str = member(NAME, "The first digits of the digest of everything else.")

    @property
    @derived(_PROTOCOL)
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
    headline: str = member(TEXT)
    wrong_if: str = member(TEXT, "What would make its forecast invalid.")
    blocked_by: tuple[str, ...] = member(TEXTS)
    chosen: str | None = member(nullable(_OPTION_NAME))
    steps: tuple[GroupStep, ...] = member(items(codec_of(GroupStep)))
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)))
    preconditions: tuple[str, ...] = member(TEXTS)
    rules: tuple[Rule, ...] = member(items(codec_of(Rule)))
    unknown: tuple[Said[Unknown], ...] = spread(NOT_KNOWN)
    candidates: tuple[Considered, ...] = member(items(codec_of(Considered)))
    change: GroupChange = member(CHANGE)
    policy: Policy = member(POLICY)
    basis: BrokerConsumerSnapshot = member(codec_of(BrokerConsumerSnapshot))
    past: PastScore | None = member(nullable(codec_of(PastScore)), "How Holdfast decided past rebalances.", default=None, omit=True)
    """None: no backtest was given."""
    requested_by: str | None = member(
        NAME, "The user who requested the plan, as Airflow names them. Left out: no user did.", default=None, omit=True
    )
    blocked: tuple[Blocked, ...] = member(BLOCKED, "`blocked_by` as values.", default=(), omit=True)
    invalidations: tuple[Invalidation, ...] = member(
        INVALIDATIONS, "`wrong_if` as values.", name="invalid_if", default=(), omit=True
    )
    assumptions: tuple[Assumption, ...] = member(ASSUMPTIONS, "`preconditions` as values.", default=(), omit=True)
    former: bool = gathered(is_former, default=False)
    """Written in format 1.0, with the names of that."""
