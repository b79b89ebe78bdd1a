"""The question of `plan_rollout`: may this plan be applied? Airflow's human-in-the-loop operator, and what it does not do itself.

| what Airflow does                                                 | what is done about it                                      |
|-------------------------------------------------------------------|------------------------------------------------------------|
| takes an answer with wrong parameters, and fails the task then    | it is asked again, within seconds                          |
| lets who asked for the plan approve it                            | where the policy wants four eyes, it is asked again        |
| may lose an answer given in the instant of asking                 | what was kept holds; else it is asked again                |
| has an approval operator that returns nothing on Reject           | not used: this one returns every answer                    |
| takes an answer without parameters as it is                       | no reason is no reason: it is kept as empty                |
| has a form that cannot be sent while a text in it is empty        | the reason may be null, which the form leaves it then      |
| runs `pre_execute` again after the answer                         | what is asked is worked out in `execute`, which runs once  |
| lets everybody who may trigger the DAG write XComs                | what was asked about is kept with the waiting task; the    |
|                                                                   | decision is kept by this task; no XCom counts              |
| waits for ever, unless told otherwise                             | until the plan may not be applied any more, which rejects  |
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import Param
from airflow.sdk.exceptions import TaskAwaitingInput

from holdfast.airflow_wiring import decisions
from holdfast.airflow_wiring.links import PlanPage
from holdfast.airflow_wiring.notifiers import PlanWaits
from holdfast.airflow_wiring.objects import APPROVE, REJECT

LONGEST_REASON = 4_000
ASKED_AGAIN_AT_MOST = 10
WHY = "Kept with the plan, under your name. Whoever asked for a plan that you reject will want to know."
PLAN_PAGE = PlanPage()


class AskForApproval(HITLOperator):  # type: ignore[misc]  # Airflow is not typed for us
    """Keeps the answer beside the plan, a person's or the policy's, and returns it; skips where nothing is to decide.

    `plan_id` and `draft` are templates.
    """

    template_fields = ("plan_id", "draft", *HITLOperator.template_fields)
    operator_extra_links = (PLAN_PAGE,)

    def __init__(self, *, plan_id: str, draft: str, **options: Any) -> None:
        reason = Param(None, type=["null", "string"], maxLength=LONGEST_REASON, format="multiline", title="Reason", description=WHY)
        fixed: dict[str, Any] = {
            "options": [APPROVE, REJECT],
            "defaults": [REJECT],
            "params": {"reason": reason},
            "notifiers": [PlanWaits()],
            "retries": ASKED_AGAIN_AT_MOST,
            "retry_delay": timedelta(seconds=2),
        }
        super().__init__(subject="Approve the plan?", **(options | fixed))
        self.plan_id = plan_id
        self.draft = draft

    def execute(self, context: Mapping[str, Any]) -> Any:
        """Ask, and wait without occupying anything."""
        question = decisions.question(self.plan_id, self.draft, _asked_by(context))
        if question.answer is not None:
            decisions.keep_decision(self.plan_id, question.answer)
            return question.answer
        self.subject, self.body = question.subject, question.body
        self.response_timeout = question.open_for
        self.assigned_users = [{"id": user, "name": user} for user in question.approvers] or None
        PLAN_PAGE.show_while_waiting(context, self.plan_id)
        try:
            return super().execute(context)
        except TaskAwaitingInput as waiting:
            waiting.kwargs = {"plan_id": self.plan_id, "fingerprint": question.fingerprint}
            raise

    def execute_complete(
        self, context: Mapping[str, Any], event: Mapping[str, Any], plan_id: str, fingerprint: str
    ) -> dict[str, Any]:
        """Raise for an answer that is none, so that it is asked again. One that is one is kept here, before Airflow can lose it."""
        answer = super().execute_complete(context, event)
        if len(answer["chosen_options"]) != 1:
            raise ValueError(f"one of {self.options} is needed; {answer['chosen_options']} was answered")
        timed_out = bool(event.get("timedout"))
        found = {**answer, "plan_fingerprint": fingerprint, "timed_out": timed_out, "asked_by": _asked_by(context)}
        try:
            decisions.keep_decision(plan_id, found)
        except decisions.SameEyes as refusal:
            raise ValueError(str(refusal)) from None
        return found


def _asked_by(context: Mapping[str, Any]) -> str | None:
    """The user who triggered the run, by the name that Airflow has for them. None: an asset did, or a schedule."""
    return context["dag_run"].triggering_user_name or None
