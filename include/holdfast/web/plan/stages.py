"""The progress of a plan from the request to the verdict, and the next action. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.contract.settings import Who
from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.kinds.verdict_words import RESULTS
from holdfast.web.plan.live_state import NEXT, Now
from holdfast.web.plan.plan_page import PlanPage
from holdfast.web.plans import PlanState


class StageProgress(StrEnum):
    """Of a stage. `FAILED`: it ended there."""

    DONE = "done"
    NOW = "in progress"
    TO_DO = "to do"
    FAILED = "ended here"


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    progress: StageProgress
    detail: str = ""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step of the plan that is not done yet. `manual`: a person does it; `in_a_run`: but a run of the whole plan does it too."""

    id: str
    title: str
    manual: bool
    in_a_run: bool = False


def stages(page: PlanPage) -> tuple[Stage, ...]:
    """Requested → planned → approved → applying → verified."""
    return (
        Stage("Requested", StageProgress.DONE, f"by {page.requested_by}" if page.requested_by else ""),
        Stage("Planned", StageProgress.DONE, page.view.age),
        _approved(page),
        _applying(page),
        _verified(page),
    )


def _approved(page: PlanPage) -> Stage:
    if page.approval is not None:
        if page.approval.approved:
            return Stage("Approved", StageProgress.DONE, f"by {page.approval.by}")
        return Stage(page.approval.says.capitalize(), StageProgress.FAILED, f"by {page.approval.by}")
    if "approval.json" in {one.name for one in page.broken}:
        return Stage("Approved", StageProgress.FAILED, "the decision cannot be read")
    if page.state is PlanState.WAITING:
        return Stage("Approved", StageProgress.NOW, "waiting for a decision")
    detail = {
        PlanState.EXPIRED: "expired",
        PlanState.STALE: "drift detected",
        PlanState.ORPHANED: "run ended without decision",
        PlanState.BLOCKED: "blocked",
    }.get(page.state)
    if detail is not None:
        return Stage("Approved", StageProgress.FAILED, detail)
    return Stage("Approved", StageProgress.TO_DO, "no approval required" if page.state is PlanState.NO_DECISION else "")


def _applying(page: PlanPage) -> Stage:
    if "journal" in {one.name for one in page.broken}:
        return Stage("Applying", StageProgress.FAILED, "the journal is broken")
    if page.state is PlanState.ROLLED_BACK:
        return Stage("Applying", StageProgress.FAILED, "rolled back")
    steps, done = len(page.view.plan.steps), len(dict.fromkeys(page.done))
    if steps and done >= steps:
        return Stage("Applied", StageProgress.DONE, f"{steps} of {steps} steps")
    if page.entries:
        return Stage("Applying", StageProgress.NOW, f"{done} of {steps} steps")
    if page.state is PlanState.EXPIRED and page.approval is not None and page.approval.approved:
        return Stage("Applying", StageProgress.FAILED, "expired before the first step")
    return Stage("Applying", StageProgress.NOW if page.state is PlanState.APPROVED else StageProgress.TO_DO)


def _verified(page: PlanPage) -> Stage:
    if "verdict.json" in {one.name for one in page.broken}:
        return Stage("Verified", StageProgress.FAILED, "the verdict cannot be read")
    if page.score is None or page.state is PlanState.ROLLED_BACK:
        return Stage("Verified", StageProgress.TO_DO)
    progress = {
        Result.NOT_YET: StageProgress.TO_DO,
        Result.AS_FORECAST: StageProgress.DONE,
        Result.IN_PROGRESS: StageProgress.NOW,
        Result.DIFFERENT: StageProgress.FAILED,
        Result.NOT_COMPARED: StageProgress.DONE,
    }
    return Stage("Verified", progress.get(page.score.result, StageProgress.NOW), RESULTS[page.score.result])


def next_step(plan: AnyPlan, done: Sequence[str], in_a_run: Collection[str]) -> NextStep | None:
    """`in_a_run`: the steps that a run does or waits for. None: every step is done, or there are none."""
    for step in plan.steps:
        if step.id not in done:
            return NextStep(step.id, kind_of(plan).step_text(step), step.who is not Who.HOLDFAST, step.id in in_a_run)
    return None


def what_next(page: PlanPage) -> str:
    """What happens next, in a sentence or two; `next_step` says who does it."""
    if page.state is PlanState.WAITING and not page.run_id:
        return "Approve and apply it on the command line: it was created without Airflow."
    return {
        PlanState.WAITING: "An approver approves, rejects or requests changes. On approval, apply_rollout starts automatically.",
        PlanState.APPROVED: "apply_rollout takes a new snapshot and runs until the first manual step.",
        PlanState.RUNNING: (
            "Do the manual steps in order. After each one, run apply_rollout again: it checks the step and continues."
        ),
        PlanState.ROLLED_BACK: NEXT[Now.BACK],
        PlanState.DONE: "Nothing to do: the rollout went as forecast.",
        PlanState.DIFFERENT: "Stop the rollout. Check the differences, then create a new plan from the group's current state.",
        PlanState.NOT_COMPARED: "Every step is done. Whether the end is as forecast is unknown: the verdict says why.",
        PlanState.CHANGES: "Changes were requested: the requester can change the request and create a new plan.",
        PlanState.REJECTED: "The plan was rejected. Create a new plan.",
        PlanState.EXPIRED: "The plan has expired. Create a new plan, from a new snapshot.",
        PlanState.STALE: "Reject the plan: the group no longer matches it. Create a new plan.",
        PlanState.ORPHANED: "Its plan_rollout run ended without a decision. Create a new plan.",
        PlanState.NO_DECISION: "Nothing to do: no approval required.",
        PlanState.BLOCKED: "It can be neither approved nor applied. Change the request or the policy, and create a new plan.",
        PlanState.BROKEN: "The plan can be neither approved nor applied until its broken document is repaired.",
    }[page.state]
