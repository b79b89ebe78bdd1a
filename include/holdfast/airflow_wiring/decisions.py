"""The decision about a run's plan: the question, its addressees, its deadline, and the recorded answer.

Which plan it is, who requested it and who may answer is what the lake says of the run (`runs`), never what a task was handed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from holdfast import secrecy
from holdfast.airflow_wiring import runs
from holdfast.airflow_wiring.airflow_objects import APPROVE, APPROVERS_VARIABLE, CHANGES, REJECT, lake, now, page_of
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.airflow_wiring.teams import rights
from holdfast.errors import InvalidInput
from holdfast.ports import Lake

if TYPE_CHECKING:
    from holdfast.rollout.group.values import AnyPlan
    from holdfast.rollout.journal.journal import Approval
    from holdfast.rollout.journal.seal import SigningKeys

LONGEST_BODY = 60_000
"""Bytes of a question."""


@dataclass(frozen=True, slots=True)
class Question:
    """The decision that is requested about a plan. `answer` is given where no person has to decide."""

    plan_id: str
    subject: str
    body: str
    fingerprint: str
    open_for: timedelta
    approvers: tuple[str, ...]
    answer: dict[str, Any] | None = None


class NotForThem(InvalidInput):
    """An answer of a user who may not give it: the question is open still."""


class HoldsSecret(NotForThem):
    """An answer with a secret in it: all who may read plans could read it."""


class NothingRequested(NotForThem):
    """Changes were requested without saying which."""


class NoLongerHolds(NotForThem):
    """A plan was approved whose time is over, or whose group has drifted by the newest snapshot, or has another team now: it can
    only be rejected."""


class SameEyes(NotForThem):
    """The requester of a plan approved it, and its policy requires another person."""


def question(run_id: str) -> Question:
    """The question about the run's plan: its text is made from the very bytes that the fingerprint is of.

    Raise AirflowSkipException where nothing is to be decided. Where it is too late, the answer is that none came in time;
    where the plan was decided before (Airflow lost the answer after it was kept, or the task was cleared), it is that decision.
    """
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.rollout.contract.assessment import Assessment
    from holdfast.rollout.contract.plan_words import ASSESSMENTS
    from holdfast.rollout.kinds import approval, plan_title
    from holdfast.rollout.policy.policy import Review
    from holdfast.workflows import plan as workflow

    store, moment, keys = lake(), now(), signing_keys()
    plan = runs.plan_of(store, run_id, keys)
    if plan.assessment is Assessment.BLOCKED:
        raise AirflowSkipException(f"Plan {plan.plan_id} is blocked: no approver can approve it. {plan.headline}")
    if not plan.steps:
        raise AirflowSkipException(f"Plan {plan.plan_id} requires no approval: {ASSESSMENTS[plan.assessment]}. {plan.headline}")
    origin = runs.origin(store, run_id, keys)
    stated = Review.ALWAYS if origin is None else origin.review
    review = approval.strictest(stated, plan.policy.review)
    print_of = approval.fingerprint(plan)
    open_for = datetime.fromisoformat(plan.expires_at) - moment
    approvers = _approvers(store, run_id, plan, keys)
    answer: dict[str, Any] | None = None
    if workflow.approval_of(store, plan.plan_id, keys) is not None:
        answer = {"decided_before": True, "plan_fingerprint": print_of}
    elif not approvers and not approval.needs_a_person(plan, review):
        answer = {"by_the_policy": review.value, "plan_fingerprint": print_of}
    elif open_for <= timedelta():
        answer = {"chosen_options": [REJECT], "params_input": {}, "responded_at": moment.isoformat(), "responded_by_user": None}
        answer |= {"plan_fingerprint": print_of, "timed_out": True}
    else:
        runs.keep_approvers_asked(store, run_id, approvers, keys)
    return Question(
        plan_id=plan.plan_id,
        subject=plan_title.question_of(plan),
        body=shown(plan, print_of),
        fingerprint=print_of,
        open_for=open_for,
        approvers=approvers,
        answer=answer,
    )


def is_about(body: str | None, print_of: str) -> bool:
    """Whether the text of a question that Airflow keeps is about the bytes of this fingerprint: its last line says so."""
    return body is not None and body.endswith(_about(print_of))


def _about(print_of: str) -> str:
    return f"\n\n`{print_of}`\n"


def shown(plan: "AnyPlan", print_of: str, longest: int = LONGEST_BODY) -> str:
    """The plan as Markdown: what is needed to decide, for Airflow has its form below it. Bounded: some databases keep no more of a
    text than 64 KiB. The last line is the fingerprint, in Holdfast's own words alone (`is_about`)."""
    from holdfast.rollout.kinds import approval
    from holdfast.rollout.text import document_blocks
    from holdfast.rollout.text.format import markdown, printable
    from holdfast.workflows import plan as workflow

    requester = None if plan.requested_by == approval.NOBODY else plan.requested_by
    another = "; another person must approve it" if plan.policy.four_eyes else ""
    who = f"Requested by {markdown(printable(requester))}{another}. " if requester else ""
    about = (
        f"{who}[The plan's page]({page_of(plan.plan_id)}). Without an answer by {plan.expires_at}, Airflow answers"
        f" {REJECT}. You approve only the plan with the fingerprint on the last line.\n\n"
    )
    text, left_out = document_blocks.foremost(workflow.blocks(plan), longest)
    also = f"\nOnly on the plan's page: {'; '.join(left_out)}.\n" if left_out else ""
    return about + text + also + _about(print_of)


def _approvers(store: Lake, run_id: str, plan: "AnyPlan", keys: "SigningKeys") -> tuple[str, ...]:
    """Whom this run asked first: Airflow keeps them with its question, whatever the variables say later."""
    users = runs.approvers_asked(store, run_id, keys)
    return approvers_of(plan) if users is None else users


def approvers_of(plan: "AnyPlan") -> tuple[str, ...]:
    """The IDs of the only users who may decide about the plan's group: of its team, where the deployment has teams. None: all who
    may trigger the DAG. Raise OfAnotherTeam where no team has the group."""
    team = rights.team_of(plan)
    return approvers() if team is None else team.approvers


def approvers() -> tuple[str, ...]:
    """The IDs of the only users who may approve, where there are no teams; none: all who may trigger the DAG.

    Read as text: Airflow takes each ID of a list for a secret, and warns in every log of those with less than five letters.
    """
    from airflow.sdk import Variable

    from holdfast.rollout.json.strict import loads

    text = Variable.get(APPROVERS_VARIABLE, default=None)
    try:
        users = [] if text is None else loads(text)
    except InvalidInput:
        users = None
    if not isinstance(users, list) or not all(isinstance(user, str) and user for user in users):
        raise InvalidInput(f'the variable {APPROVERS_VARIABLE} is not a JSON list of the IDs of users, like ["ann", "bob"]')
    return tuple(users)


def go_by_decision(run_id: str) -> str:
    """Skip what follows unless the run's plan was approved. Return its ID. Raise InvalidInput where there is no decision about
    it."""
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.rollout.kinds.approval import fingerprint
    from holdfast.workflows import plan as workflow

    store, keys = lake(), signing_keys()
    plan = runs.plan_of(store, run_id, keys)
    approval = workflow.approval_of(store, plan.plan_id, keys)
    if approval is None:
        raise InvalidInput(f"plan {plan.plan_id} has no decision: clear the airflow task that asks, so that it asks again")
    if approval.plan_fingerprint not in (None, fingerprint(plan)):
        raise InvalidInput(f"what was decided is not about plan {plan.plan_id} as it is now. Trigger a new run")
    if approval.changes_requested:
        raise AirflowSkipException(f"{approval.by} requested changes to plan {plan.plan_id}: {approval.reason}")
    if not approval.approved:
        raise AirflowSkipException(f"Plan {plan.plan_id} was rejected by {approval.by}: {approval.reason or 'no reason given'}")
    return plan.plan_id


def keep_decision(run_id: str, answer: Mapping[str, Any]) -> "Approval":
    """Keep who decided what about the run's plan, when and why, next to it.

    Raise InvalidInput where the plan is not what the answer is about, or was decided otherwise before; NotForThem.
    """
    from holdfast.rollout.journal.journal import DecidedBy
    from holdfast.rollout.kinds.approval import fingerprint, needs_another_approver
    from holdfast.rollout.text.format import printable
    from holdfast.workflows import plan as workflow

    store, keys = lake(), signing_keys()
    plan = runs.plan_of(store, run_id, keys)
    if answer["plan_fingerprint"] != fingerprint(plan):
        raise InvalidInput(
            f"{printable(str(answer['plan_fingerprint']))} was decided about, and plan {plan.plan_id} is {fingerprint(plan)} now:"
            " nothing was recorded. Create a new plan"
        )
    known = workflow.approval_of(store, plan.plan_id, keys)
    if "decided_before" in answer and known is not None:
        return known
    refuse_secret_answer(answer)
    approval = _decision(plan, answer)
    allowed = _approvers(store, run_id, plan, keys)
    if allowed and approval.decided_by is not DecidedBy.TIME_OUT and approval.by_id not in allowed:
        raise NotForThem(f"{printable(approval.by)} is not an approver of plan {plan.plan_id}")
    if approval.changes_requested and not approval.reason:
        raise NothingRequested(f"{printable(approval.by)} requested changes to plan {plan.plan_id} without a reason: say which")
    if approval.approved and plan.policy.four_eyes and plan.requested_by is None:
        raise InvalidInput(f"plan {plan.plan_id} does not name its requester, and its policy requires four eyes. Trigger a new run")
    if approval.approved and needs_another_approver(plan, plan.requested_by, approval.by, approval.by_id):
        raise SameEyes(
            f"{printable(approval.by)} requested plan {plan.plan_id}; its policy requires four eyes: another person must approve it"
        )
    try:
        rights.refuse_decision(plan, approval)
    except rights.OfAnotherTeam as refusal:
        raise NoLongerHolds(str(refusal)) from None
    workflow.refuse_broken(store, plan.plan_id)
    if approval.approved and approval.decided_by is DecidedBy.PERSON:
        _refuse_outdated(store, plan)
    workflow.keep_approval(store, approval, keys)
    return approval


def refuse_secret_answer(answer: Mapping[str, Any]) -> None:
    """Of what a person typed. Raise HoldsSecret."""
    typed = {"options": answer.get("chosen_options"), "params": answer.get("params_input")}
    found = secrecy.find(typed)
    if found is not None:
        where, what = found
        raise HoldsSecret(
            f"{where}: {what}: the answer was not recorded with the plan, and the question is still open. Airflow keeps what was"
            " answered, with the run and in its audit log: change that secret, and answer again without it"
        )


def _refuse_outdated(store: Lake, plan: "AnyPlan") -> None:
    """What the plan's page refuses is refused to an answer from anywhere else too. Raise NoLongerHolds."""
    from holdfast.workflows import freshness

    if freshness.is_over(plan, now()):
        raise NoLongerHolds(f"plan {plan.plan_id} expired at {plan.expires_at}: it can only be rejected. Create a new plan")
    found = freshness.drifted(store, plan)
    if found:
        message = " ".join(found[:3]) + (f" And {len(found) - 3} more." if len(found) > 3 else "")
        raise NoLongerHolds(
            f"drift detected: the group no longer matches plan {plan.plan_id}, which can only be rejected. {message}"
        )


def _decision(plan: "AnyPlan", answer: Mapping[str, Any]) -> "Approval":
    from holdfast.rollout.journal.journal import Approval, DecidedBy
    from holdfast.rollout.kinds import approval
    from holdfast.rollout.policy.policy import Review

    requester = plan.requested_by or approval.NOBODY
    if "by_the_policy" in answer:
        return replace(approval.by_the_policy(plan, Review(answer["by_the_policy"]), _instant(now())), asked_by=requester)
    user = answer["responded_by_user"]
    if answer["timed_out"] or user is None:
        reason = f"no answer by {plan.expires_at}"
        decided = (approval.NOBODY, reason, _instant(answer["responded_at"]), None, DecidedBy.TIME_OUT)
        return Approval(plan.plan_id, False, *decided, answer["plan_fingerprint"], requester)
    return Approval(
        plan_id=plan.plan_id,
        approved=answer["chosen_options"] == [APPROVE],
        by=str(user["name"] or user["id"]),
        reason=str(answer["params_input"].get("reason") or "").strip(),
        at=_instant(answer["responded_at"]),
        by_id=str(user["id"]),
        plan_fingerprint=answer["plan_fingerprint"],
        asked_by=requester,
        changes_requested=answer["chosen_options"] == [CHANGES],
    )


def _instant(moment: datetime | str) -> str:
    """To the second. XCom gives a datetime or its text."""
    from holdfast.rollout.json import instants

    parsed = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return instants.to_second(parsed)
