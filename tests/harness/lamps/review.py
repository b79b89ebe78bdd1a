"""What a person reads of a plan for the made-up kind of group in `lamps`."""

from tests.harness.lamps.values import LampPlan

from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.review.parts import PlanReview, StepReview


def reviewed(plan: LampPlan, request: str) -> PlanReview:
    option = plan.recommended_option
    return PlanReview(
        plan_id=plan.plan_id,
        cluster=plan.basis.cluster,
        group_id=plan.basis.group_id,
        assessment=plan.assessment,
        flags=(),
        request=request,
        recommended=plan.chosen != BASELINE_NAME,
        headline=plan.headline,
        costs=(),
        why="",
        blocked_by=plan.blocked_by,
        condition=("Invalid if", plan.wrong_if),
        of_snapshot=f"{len(plan.basis.lit)} lamps",
        contingencies=(),
        steps=tuple(
            StepReview(one.id, f"{one.id}. {one.lamp}", "", one.who, one.check_before, one.expect, one.check_after, one.undo)
            for one in plan.steps
        ),
        assumptions=plan.preconditions,
        settings=(),
        comparison=(),
        details=(),
        rules=() if option is None else option.rules,
        unknown=(),
        glossary=(),
        created_from=plan.created_from,
        created_at=plan.created_at,
        expires_at=plan.expires_at,
    )
