"""How far a plan has come, from the request to the verdict, and what happens next. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.contract.verdicts import Result
from holdfast.rollout.kinds.any_kind import AnyPlan
from holdfast.rollout.streams.steps import step_words
from holdfast.web.plan_page import PlanPage
from holdfast.web.plans import State


class Progress(StrEnum):
    """Of a stage. `FAILED`: it ended there."""

    DONE = "done"
    NOW = "in progress"
    TO_DO = "to do"
    FAILED = "ended here"


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    progress: Progress
    detail: str = ""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step of the plan that is not done yet. `manual`: a person does it."""

    id: str
    title: str
    manual: bool


def stages(page: PlanPage) -> tuple[Stage, ...]:
    """Requested → planned → approved → applying → verified."""
    return (
        Stage("Requested", Progress.DONE, f"by {page.asked_by}" if page.asked_by else ""),
        Stage("Planned", Progress.DONE, page.view.age),
        _approved(page),
        _applying(page),
        _verified(page),
    )


def _approved(page: PlanPage) -> Stage:
    if page.approval is not None:
        if page.approval.approved:
            return Stage("Approved", Progress.DONE, f"by {page.approval.by}")
        return Stage(page.approval.says.capitalize(), Progress.FAILED, f"by {page.approval.by}")
    if "approval.json" in {one.name for one in page.broken}:
        return Stage("Approved", Progress.FAILED, "the decision cannot be read")
    if page.state is State.WAITING:
        return Stage("Approved", Progress.NOW, "waits for a decision")
    detail = {State.EXPIRED: "expired", State.STALE: "drift detected", State.ORPHANED: "nobody is asked any more"}.get(page.state)
    if detail is not None:
        return Stage("Approved", Progress.FAILED, detail)
    return Stage("Approved", Progress.TO_DO, "no approval required" if page.state is State.NO_DECISION else "")


def _applying(page: PlanPage) -> Stage:
    if "journal" in {one.name for one in page.broken}:
        return Stage("Applying", Progress.FAILED, "the journal is broken")
    steps, done = len(page.view.plan.steps), len(dict.fromkeys(page.done))
    if steps and done >= steps:
        return Stage("Applied", Progress.DONE, f"{steps} of {steps} steps")
    if page.entries:
        return Stage("Applying", Progress.NOW, f"{done} of {steps} steps")
    if page.state is State.EXPIRED and page.approval is not None and page.approval.approved:
        return Stage("Applying", Progress.FAILED, "expired before the first step")
    return Stage("Applying", Progress.NOW if page.state is State.APPROVED else Progress.TO_DO)


def _verified(page: PlanPage) -> Stage:
    if "verdict.json" in {one.name for one in page.broken}:
        return Stage("Verified", Progress.FAILED, "the verdict cannot be read")
    if page.score is None:
        return Stage("Verified", Progress.TO_DO)
    progress = {Result.AS_FORECAST: Progress.DONE, Result.ON_THE_WAY: Progress.NOW, Result.DIFFERENT: Progress.FAILED}
    return Stage("Verified", progress.get(page.score.result, Progress.NOW), page.score.result.value)


def next_step(plan: AnyPlan, done: Sequence[str]) -> NextStep | None:
    """None: every step is done, or there are none."""
    for step in plan.steps:
        if step.id not in done:
            if isinstance(plan, ConsumerPlan):
                return NextStep(step.id, getattr(step, "says", ""), manual=True)
            return NextStep(step.id, step_words.describe(step.action), manual=step.who is not Who.HOLDFAST)  # type: ignore[union-attr]
    return None


def what_next(page: PlanPage) -> str:
    """What happens next, in a sentence or two; who does it is said by `next_step`."""
    if page.state is State.WAITING and not page.run_id:
        return "It was made without Airflow: whoever applies it on the command line says who approves it."
    return {
        State.WAITING: "It is approved, rejected or sent back by somebody who may. Approved, apply_rollout begins by itself.",
        State.APPROVED: "apply_rollout has begun, or is about to: it takes a fresh snapshot and goes as far as it can without you.",
        State.RUNNING: "Do the manual steps in order. After each one run apply_rollout again: it checks, and goes on.",
        State.DONE: "Nothing: the group went as forecast.",
        State.DIFFERENT: "Stop rolling. Look at what is different, and plan again from where the group is now.",
        State.CHANGES: "It is back with whoever asked for it: change the request by the reason, and plan again.",
        State.REJECTED: "Nothing comes of this plan. To ask for something else, plan again.",
        State.EXPIRED: "Nothing can come of this plan any more. Plan again: that takes a fresh snapshot.",
        State.STALE: "It can only be rejected: the group is not the one it was made for. Plan again.",
        State.ORPHANED: "Nobody can be asked about this plan any more. Plan again.",
        State.NO_DECISION: "Nothing: there is nothing to approve.",
        State.BROKEN: "Nothing may be approved or applied from this plan until its broken document is mended.",
    }[page.state]
