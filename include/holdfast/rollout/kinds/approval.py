"""Who may decide about a plan, what exactly is decided, and whether a decision allows the plan to be applied.

A decision is about the bytes that were shown: `fingerprint` covers everything that `plan.json` says, and the run that applies a
plan computes it again.
"""

from holdfast.errors import StepRefused
from holdfast.rollout.contract.assessment import Assessment
from holdfast.rollout.contract.plan_words import ASSESSMENTS
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.journal import Approval, DecidedBy
from holdfast.rollout.json.fingerprints import fingerprint as of_document
from holdfast.rollout.kinds import any_document
from holdfast.rollout.policy.policy import Review
from holdfast.rollout.text.format import printable

POLICY = "the policy"
NOBODY = "nobody"
"""Who is named where no person decided, or asked."""


def fingerprint(plan: AnyPlan) -> str:
    """`sha256:` and 64 digits."""
    return of_document(any_document.plan_to_json(plan))


def strictest(*stated: Review) -> Review:
    """The most careful of what several policies state. Where none states it, a person always looks."""
    return min(stated, key=list(Review).index, default=Review.ALWAYS)


def needs_a_person(plan: AnyPlan, review: Review) -> bool:
    """Of a plan with steps. Without a person only what keeps every limit goes ahead, whatever the policy says; and nothing does
    where the policy wants four eyes."""
    return review is Review.ALWAYS or plan.assessment is not Assessment.SAFE or plan.policy.four_eyes


def by_the_policy(plan: AnyPlan, review: Review, at: str) -> Approval:
    """The decision where none is required. `at` is ISO 8601, UTC."""
    if needs_a_person(plan, review):
        raise AssertionError("a plan that a person must look at is not approved by a policy")
    reason = f"within every limit of the policy, and its review is: {review.value}"
    return Approval(plan.plan_id, True, POLICY, reason, at, None, DecidedBy.POLICY, fingerprint(plan))


def needs_another_approver(plan: AnyPlan, asked_by: str | None, *who: str | None) -> bool:
    """Whether the plan's policy wants another person to approve it than `who`, by any of their names, who requested it."""
    names = (name.casefold() for name in who if name is not None)
    return plan.policy.four_eyes and asked_by is not None and asked_by.casefold() in names


def refuse_unapproved(plan: AnyPlan, approval: Approval) -> None:
    """Raise StepRefused unless this very plan was approved by a permitted person, and may be applied at all."""
    if approval.plan_id != plan.plan_id:
        raise StepRefused(
            f"The approval is for plan {printable(approval.plan_id)}, not for plan {plan.plan_id}. Have this one approved."
        )
    if approval.plan_fingerprint not in (None, fingerprint(plan)):
        raise StepRefused(
            f"The approval is for other bytes: {printable(str(approval.plan_fingerprint))} was approved, and plan {plan.plan_id} is"
            f" {fingerprint(plan)} now. Create a new plan and have it approved."
        )
    if approval.changes_requested:
        raise StepRefused(
            f"{printable(approval.by)} requested changes to plan {plan.plan_id}: {printable(approval.reason, 500)}. Change the"
            " request and create a new plan."
        )
    if not approval.approved:
        raise StepRefused(f"Plan {plan.plan_id} was rejected by {printable(approval.by)}. Create a new plan.")
    if not approval.by.strip() or approval.decided_by is DecidedBy.TIME_OUT:
        raise StepRefused("The approval has no name. State who approves.")
    if approval.decided_by is DecidedBy.POLICY and needs_a_person(plan, plan.policy.review):
        raise StepRefused(
            f"Plan {plan.plan_id} was approved by its policy, but needs approval by a person: the policy's review is"
            f" '{plan.policy.review.value}', the plan's assessment '{ASSESSMENTS[plan.assessment]}', and four_eyes is"
            f" {str(plan.policy.four_eyes).lower()}. Have a person approve it."
        )
    _refuse_another_request(plan, approval)
    if approval.decided_by is DecidedBy.PERSON and plan.policy.four_eyes:
        if approval.asked_by is None:
            raise StepRefused(
                f"The policy of plan {plan.plan_id} requires four eyes, but the approval does not state who requested the plan."
                " Have it approved in its run of plan_rollout, where that is known."
            )
        if needs_another_approver(plan, approval.asked_by, approval.by, approval.by_id):
            raise StepRefused(
                f"{printable(approval.by)} requested plan {plan.plan_id} and approved it, but its policy requires four eyes."
                " Have another person approve it."
            )
    if plan.assessment is Assessment.BLOCKED:
        raise StepRefused(f"Plan {plan.plan_id} is blocked: {'; '.join(plan.blocked_by)}. A blocked plan cannot be applied.")


def _refuse_another_request(plan: AnyPlan, approval: Approval) -> None:
    """The plan contains who requested it, and its ID is a digest of that; an approval must name the same."""
    if plan.requested_by is None:
        if plan.policy.four_eyes:
            raise StepRefused(
                f"The policy of plan {plan.plan_id} requires four eyes, but the plan does not state who requested it"
                " (`requested_by`). Create a new plan, in Airflow, or with --requested-by."
            )
        return
    if approval.asked_by is not None and approval.asked_by != plan.requested_by:
        raise StepRefused(
            f"The approval states that {printable(approval.asked_by)} requested plan {plan.plan_id}, but the plan states"
            f" {printable(plan.requested_by)}. Have it approved in its run of plan_rollout."
        )
