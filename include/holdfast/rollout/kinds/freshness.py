"""Whether a snapshot is recent enough to apply a plan, and clocks that disagree. Ages in seconds."""

from datetime import datetime, timedelta

from holdfast.errors import StepRefused
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.policy.policy import LONGEST_VALID_S
from holdfast.rollout.text.format import duration

FRESH_S = 300
"""A snapshot that a plan is applied by is no older."""
CLOCKS_S = 5
"""By so much the clocks of two machines may differ: of the one that took the snapshot, Airflow's, and this one."""


def refuse_old(plan: AnyPlan, fresh: AnySnapshot, approval: Approval, now: datetime, *, approved_here: bool = False) -> None:
    """Raise StepRefused unless the snapshot shows the current group: taken after the approval, and at most FRESH_S ago.

    `approved_here`: the approval is given by the very command that brings the snapshot, so the snapshot is older than it.
    """
    _refuse_backwards(plan, approval, now)
    if fresh.captured_at is None:
        raise StepRefused(f"The snapshot does not state when it was taken (`captured_at`). {_ANOTHER}")
    captured = datetime.fromisoformat(fresh.captured_at)
    if captured > now + timedelta(seconds=CLOCKS_S):
        raise StepRefused(
            f"The snapshot states that it was taken at {fresh.captured_at}, but here it is {_clock(now)}: one of the two clocks is"
            f" wrong. Correct it. {_ANOTHER}"
        )
    if not approved_here and captured < datetime.fromisoformat(approval.at):
        raise StepRefused(
            f"The snapshot was taken at {fresh.captured_at}, before the plan was approved ({approval.at}): the group may have"
            f" changed since. {_ANOTHER}"
        )
    age = now - captured
    if age > timedelta(seconds=FRESH_S):
        raise StepRefused(
            f"The snapshot is {duration(int(age.total_seconds()))} old (taken at {fresh.captured_at}); at most"
            f" {duration(FRESH_S)} is allowed. {_ANOTHER}"
        )


_ANOTHER = "Take a new snapshot and try again."


def _refuse_backwards(plan: AnyPlan, approval: Approval, now: datetime) -> None:
    """Raise StepRefused where what was made, decided and done did not happen in that order, by the clocks that say so; or where a
    plan would hold for longer than its policy, or any, lets it."""
    made, decided = (datetime.fromisoformat(at) for at in (plan.created_at, approval.at))
    ahead = timedelta(seconds=CLOCKS_S)
    for what, at, moment in (("made", plan.created_at, made), ("approved", approval.at, decided)):
        if moment > now + ahead:
            raise StepRefused(
                f"Plan {plan.plan_id} was {what} at {at}, and here it is {_clock(now)}: one of the two clocks is wrong. Set them"
                " right."
            )
    if decided < made - ahead:
        raise StepRefused(
            f"Plan {plan.plan_id} was approved at {approval.at}, before it was made ({plan.created_at}): a clock runs backwards, or"
            " the approval is not this plan's. Set the clocks right, and have it approved."
        )
    longest = min(plan.policy.valid_for_s, LONGEST_VALID_S)
    if datetime.fromisoformat(plan.expires_at) > made + timedelta(seconds=longest) + ahead:
        raise StepRefused(
            f"Plan {plan.plan_id} says that it may be applied until {plan.expires_at}, and its policy allows only"
            f" {duration(longest)} from {plan.created_at}: the plan was changed. Create a new plan."
        )


def _clock(now: datetime) -> str:
    return now.isoformat(timespec="seconds")
