"""A plan in a few figures, for lists of thousands of plans and the top of a plan's page."""

from dataclasses import replace

from holdfast.rollout.broker_consumer.plan.figures import HandOverFigures
from holdfast.rollout.broker_streams.plan.figures import TargetFigures
from holdfast.rollout.consumer.plan.figures import ReadFigures
from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.contract.figures import Figures
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.json.codec import COUNT, INSTANT, NAME, TEXT, choice, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION
from holdfast.rollout.kinds.plan_title import title_of
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.streams.plan.figures import OptionFigures

_FIGURES, _READ_FIGURES = nullable(codec_of(OptionFigures)), nullable(codec_of(ReadFigures))
_TARGET_FIGURES, _HAND_OVER_FIGURES = nullable(codec_of(TargetFigures)), nullable(codec_of(HandOverFigures))


@record(version=FORMAT_VERSION, closed=False)
class PlanSummary:
    """`plain`: the figures of the baseline, where that is another option and was forecast. `title`: the change.

    `reads` and `plain_reads`: the same of a consumer group, which has no stateful tasks: the others are None then."""

    plan_id: str = member(NAME)
    created_at: str = member(INSTANT)
    expires_at: str = member(INSTANT)
    cluster: str = member(TEXT)
    group_id: str = member(TEXT)
    assessment: Assessment = member(choice(Assessment), name="verdict")
    title: str = member(TEXT)
    steps: int = member(COUNT)
    figures: OptionFigures | None = member(_FIGURES)
    plain: OptionFigures | None = member(_FIGURES)
    reads: ReadFigures | None = member(_READ_FIGURES, default=None)
    plain_reads: ReadFigures | None = member(_READ_FIGURES, default=None)
    request: str = member(TEXT, default="")
    """What was asked for, as the plan's title; empty in a summary from before there was one."""
    targets: TargetFigures | None = member(_TARGET_FIGURES, default=None, omit=True)
    """As `figures`, of a streams group whose broker assigns; the others are None then."""
    plain_targets: TargetFigures | None = member(_TARGET_FIGURES, default=None, omit=True)
    hand_overs: HandOverFigures | None = member(_HAND_OVER_FIGURES, default=None, omit=True)
    """As `figures`, of a consumer group whose broker assigns; the others are None then."""
    plain_hand_overs: HandOverFigures | None = member(_HAND_OVER_FIGURES, default=None, omit=True)

    @property
    def of_option(self) -> Figures | None:
        """Those of the kind of group that the plan is for. None: nothing was forecast."""
        return self.figures or self.reads or self.targets or self.hand_overs

    @property
    def of_baseline(self) -> Figures | None:
        return self.plain or self.plain_reads or self.plain_targets or self.plain_hand_overs


SUMMARY = codec_of(PlanSummary)


def summary(plan: AnyPlan) -> PlanSummary:
    option = plan.recommended_option
    brief = PlanSummary(
        plan_id=plan.plan_id,
        created_at=plan.created_at,
        expires_at=plan.expires_at,
        cluster=plan.basis.cluster,
        group_id=plan.basis.group_id,
        assessment=plan.assessment,
        title=plan.headline if option is None else option.title,
        steps=len(plan.steps),
        figures=None,
        plain=None,
        request=title_of(plan),
    )
    return replace(brief, **kind_of(plan).figures(plan))
