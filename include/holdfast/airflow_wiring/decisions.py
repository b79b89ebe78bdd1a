"""The decision about a plan: what is asked, of whom, until when, and what is kept of the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from holdfast.airflow_wiring.objects import APPROVE, APPROVERS_VARIABLE, REJECT, lake, now, page_of
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.rollout.codec.any_kind import AnyPlan
    from holdfast.rollout.journal import Approval

LONGEST_BODY = 60_000
"""Bytes of a question."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked about a plan. `answer` is there where nobody needs to be asked."""

    subject: str
    body: str
    fingerprint: str
    open_for: timedelta
    approvers: tuple[str, ...]
    answer: dict[str, Any] | None = None


class SameEyes(InvalidInput):
    """Whoever asked for a plan approved it, and its policy wants somebody else to."""


def question(plan_id: str, draft_id: str, asked_by: str | None = None) -> Question:
    """The question about a plan: its text is made from the very bytes that the fingerprint is of. `asked_by`: the user who did.

    Raise AirflowSkipException where nothing is to decide. Where it is too late to, the answer is that nobody came in time;
    where the plan was decided before (Airflow lost the answer after it was kept, or the task was cleared), it is that decision.
    """
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.rollout import approval, codec
    from holdfast.rollout.policy import Review
    from holdfast.rollout.wording import printable
    from holdfast.workflows import plan as workflow

    store, moment = lake(), now()
    plan = workflow.load(store, plan_id)
    if not plan.steps:
        raise AirflowSkipException(f"Plan {plan.plan_id} asks for no decision: {plan.verdict}. {plan.headline}")
    origin = codec.loads(store.read((*draft_id.split("/"), "origin.json"), codec.LARGEST_DOCUMENT))
    review = approval.strictest(Review(origin["review"]), plan.policy.review)  # type: ignore[index]
    print_of = approval.fingerprint(plan)
    open_for = datetime.fromisoformat(plan.expires_at) - moment
    answer: dict[str, Any] | None = None
    if workflow.approval_of(store, plan_id) is not None:
        answer = {"decided_before": True, "plan_fingerprint": print_of}
    elif not approval.needs_a_person(plan, review):
        answer = {"by_the_policy": review.value, "plan_fingerprint": print_of}
    elif open_for <= timedelta():
        answer = {"chosen_options": [REJECT], "params_input": {}, "responded_at": moment.isoformat(), "responded_by_user": None}
        answer |= {"plan_fingerprint": print_of, "timed_out": True}
    if answer is not None:
        answer["asked_by"] = asked_by
    return Question(
        subject=f"{printable(plan.basis.group_id, 200)} on {printable(plan.basis.cluster, 200)}: approve plan {plan_id}?",
        body=shown(plan, print_of, asked_by),
        fingerprint=print_of,
        open_for=open_for,
        approvers=_approvers(),
        answer=answer,
    )


def shown(plan: "AnyPlan", print_of: str, asked_by: str | None = None, longest: int = LONGEST_BODY) -> str:
    """The plan as Markdown: what is needed to decide, for Airflow has its form below it. Bounded: some databases keep no more of a
    text than 64 KiB."""
    from holdfast.rollout import rendering
    from holdfast.rollout.wording import markdown, printable
    from holdfast.workflows import plan as workflow

    another = ", so somebody else must approve it" if plan.policy.four_eyes else ""
    who = f"{markdown(printable(asked_by))} asked for this plan{another}. " if asked_by else ""
    about = (
        f"{who}[The plan's page]({page_of(plan.plan_id)}). The question is open until {plan.expires_at}; then it is answered with"
        f" {REJECT}. What is approved is `{print_of}`, and no other plan.\n\n"
    )
    text, left_out = rendering.foremost(workflow.blocks(plan), longest)
    also = f"\nMore is on the plan's page: {'; '.join(left_out)}.\n" if left_out else ""
    return about + text + also


def _approvers() -> tuple[str, ...]:
    from airflow.sdk import Variable

    users = Variable.get(APPROVERS_VARIABLE, default=[], deserialize_json=True)
    if not isinstance(users, list) or not all(isinstance(user, str) and user for user in users):
        raise InvalidInput(f'the variable {APPROVERS_VARIABLE} is not a JSON list of the IDs of users, like ["ann", "bob"]')
    return tuple(users)


def go_by_decision(plan_id: str) -> str:
    """Skip what follows unless the plan was approved. Return its ID. Raise InvalidInput where nobody has decided."""
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.workflows import plan as workflow

    approval = workflow.approval_of(lake(), plan_id)
    if approval is None:
        raise InvalidInput(f"nobody has decided about plan {plan_id}: clear the airflow task that asks, so that it asks")
    if not approval.approved:
        raise AirflowSkipException(f"Plan {plan_id} was rejected by {approval.by}: {approval.reason or 'no reason given'}")
    return plan_id


def keep_decision(plan_id: str, answer: Mapping[str, Any]) -> "Approval":
    """Keep who decided what, when and why, beside the plan.

    Raise InvalidInput where the plan is not what the answer is about any more, or was decided otherwise before; SameEyes.
    """
    from holdfast.rollout.approval import fingerprint, needs_somebody_else
    from holdfast.rollout.wording import printable
    from holdfast.workflows import plan as workflow

    store = lake()
    plan = workflow.load(store, plan_id)
    if answer["plan_fingerprint"] != fingerprint(plan):
        raise InvalidInput(
            f"{printable(str(answer['plan_fingerprint']))} was decided about, and plan {plan_id} is {fingerprint(plan)} now:"
            " nothing was kept. Make a new plan"
        )
    known = workflow.approval_of(store, plan_id)
    if "decided_before" in answer and known is not None:
        return known
    approval = _decision(plan, answer)
    if approval.approved and needs_somebody_else(plan, approval.asked_by, approval.by, approval.by_id):
        raise SameEyes(
            f"{printable(approval.by)} asked for plan {plan_id}, and its policy wants four eyes: somebody else must approve it"
        )
    workflow.keep_approval(store, approval)
    return approval


def _decision(plan: "AnyPlan", answer: Mapping[str, Any]) -> "Approval":
    from holdfast.rollout import approval
    from holdfast.rollout.journal import Approval, Decider
    from holdfast.rollout.policy import Review

    asked_by = answer.get("asked_by") or approval.NOBODY
    if "by_the_policy" in answer:
        return replace(approval.by_the_policy(plan, Review(answer["by_the_policy"]), _instant(now())), asked_by=asked_by)
    user = answer["responded_by_user"]
    if answer["timed_out"] or user is None:
        reason = f"nobody answered until {plan.expires_at}"
        decided = (approval.NOBODY, reason, _instant(answer["responded_at"]), None, Decider.TIME_OUT)
        return Approval(plan.plan_id, False, *decided, answer["plan_fingerprint"], asked_by)
    return Approval(
        plan_id=plan.plan_id,
        approved=answer["chosen_options"] == [APPROVE],
        by=str(user["name"] or user["id"]),
        reason=str(answer["params_input"].get("reason") or "").strip(),
        at=_instant(answer["responded_at"]),
        by_id=str(user["id"]),
        plan_fingerprint=answer["plan_fingerprint"],
        asked_by=asked_by,
    )


def _instant(moment: datetime | str) -> str:
    """ISO 8601, UTC, to the second. XCom gives a datetime or its text."""
    parsed = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return parsed.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
