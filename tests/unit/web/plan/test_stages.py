"""How far a plan is, and what happens next."""

from pathlib import Path

import pytest
from tests.harness.article import LAST, C
from tests.harness.pages.web_lake import WebLake, article, replacement
from tests.harness.plans import NOON, article_plan
from tests.harness.running_group import RunningGroup
from tests.unit.workflows.running.test_going_back import fewer, forward
from tests.unit.workflows.running.test_run import rolling

from holdfast.rollout.execution.verdict import Result
from holdfast.rollout.journal.journal import Approval
from holdfast.rollout.kinds.registry import kind_of
from holdfast.web import templating
from holdfast.web.plan.plan_page import PlanPage, PlanPages
from holdfast.web.plan.stages import StageProgress, next_step, stages, what_next
from holdfast.web.plans import PlanList, PlanState
from holdfast.workflows import plan as plans
from holdfast.workflows import verify as verifying
from holdfast.workflows.running import guards


def page(folder: Path, what: str) -> PlanPage:
    web = WebLake(folder, NOON)
    plan = web.plan(article(what), replacement(C, LAST, "app-3"))
    if what == "rejected":
        web.decide(plan, approved=False, by="bob", reason="no")
    if what == "changes":
        asked = Approval(plan.plan_id, False, "bob", "two at a time", plan.created_at, changes_requested=True)
        plans.keep_approval(web.lake, asked)
    if what in ("approved", "begun"):
        web.decide(plan, approved=True, by="bob", reason="")
    if what == "begun":
        web.begin(plan, "1")
    if what == "done":
        web.verdict(plan, article("done"))
    return PlanPages(web.lake).page(plan.plan_id, NOON)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("what", "progress"),
    [
        ("waiting", "DONE DONE NOW TO_DO TO_DO"),
        ("rejected", "DONE DONE FAILED TO_DO TO_DO"),
        ("changes", "DONE DONE FAILED TO_DO TO_DO"),
        ("approved", "DONE DONE DONE NOW TO_DO"),
        ("begun", "DONE DONE DONE NOW TO_DO"),
    ],
)
def test_the_line_of_stages(tmp_path: Path, what: str, progress: str) -> None:
    found = page(tmp_path, what)

    assert " ".join(one.progress.name for one in stages(found)) == progress
    assert what_next(found)


def test_who_does_the_next_step_is_said(tmp_path: Path) -> None:
    waiting = page(tmp_path, "waiting")
    first = next_step(waiting.view.plan, waiting.done, waiting.in_a_run)
    second = next_step(waiting.view.plan, ("1",), waiting.in_a_run)

    assert first is not None
    assert second is not None
    assert (first.id, first.manual, second.id, second.manual) == ("1", True, "2", False)
    assert next_step(waiting.view.plan, tuple(step.id for step in waiting.view.plan.steps), waiting.in_a_run) is None


@pytest.mark.thorough
def test_what_changes_changes_the_version(tmp_path: Path) -> None:
    versions = {page(tmp_path / what, what).version for what in ("waiting", "rejected", "approved", "begun", "done")}

    assert len(versions) == 5
    assert StageProgress.NOW.value == "in progress"


def test_a_plan_that_was_sent_back_is_in_a_state_of_its_own(tmp_path: Path) -> None:
    found = page(tmp_path, "changes")

    assert found.state is PlanState.CHANGES
    assert stages(found)[2].name == "Changes requested"
    assert "change the request" in what_next(found)
    assert plans.approval_of(WebLake(tmp_path, NOON).lake, found.view.plan.plan_id) == found.approval


def test_what_a_run_does_or_waits_for_is_not_called_manual() -> None:
    plan = rolling("restart_client")
    assert guards.done_in_a_run(plan) == {step.id for step in plan.steps}
    first = next_step(plan, (), guards.done_in_a_run(plan))
    assert first is not None
    assert (first.manual, first.in_a_run) == (True, True)

    others = fewer("start_client")
    assert guards.done_in_a_run(others) == {step.id for step in others.steps if kind_of(others).waits(step)}
    assert guards.done_in_a_run(article_plan()) == frozenset(), "its policy lets a run do nothing"


def test_a_plan_that_is_rolled_back_is_not_in_progress() -> None:
    reality, plan = RunningGroup(), fewer()
    plans.keep(reality.lake, plan)
    forward(reality, plan)

    def states() -> tuple[PlanState, PlanState]:
        (row,) = PlanList(reality.lake).rows(reality.now())[0]
        return PlanPages(reality.lake).page(plan.plan_id, reality.now()).state, row.state

    assert states() == (PlanState.RUNNING, PlanState.RUNNING)
    assert verifying.compare(reality.lake, plan, reality.look(20)).result is Result.NOT_YET
    (*_, verified) = stages(PlanPages(reality.lake).page(plan.plan_id, reality.now()))
    assert verified.progress.name == "TO_DO", "a comparison before the last step begins nothing"
    reality.on_sleep = lambda: states_on_the_way.add(states())
    states_on_the_way: set[tuple[PlanState, PlanState]] = set()
    reality.run(plan, back=True)
    found = PlanPages(reality.lake).page(plan.plan_id, reality.now())

    assert (PlanState.RUNNING, PlanState.RUNNING) in states_on_the_way
    assert {of_list for _, of_list in states_on_the_way} == {PlanState.RUNNING}, "until the run has ended"
    assert states() == (PlanState.ROLLED_BACK, PlanState.ROLLED_BACK)
    bar = templating.render("decision_bar.html", page=found, view=found.view, asked=None)
    assert "<b>Rolled back</b>" in bar
    assert "Rolled back" in templating.render("badges.html", page=found, view=found.view)
    assert [(one.name, one.progress.name, one.detail) for one in stages(found)[3:]] == [
        ("Applying", "FAILED", "rolled back"),
        ("Verified", "TO_DO", ""),
    ]
    assert "create a new one" in what_next(found)

    compared = verifying.compare(reality.lake, plan, reality.look(20))
    assert compared.result is not Result.AS_FORECAST
    assert states() == (PlanState.ROLLED_BACK, PlanState.ROLLED_BACK), "the comparison with its forecast does not count any more"
