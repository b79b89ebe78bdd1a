"""The question of `plan_rollout`: may this plan be applied? Airflow's human-in-the-loop operator, and what it does not do itself.

| what Airflow does                                                 | what is done about it                                      |
|-------------------------------------------------------------------|------------------------------------------------------------|
| takes an answer with wrong parameters, and fails the task then    | it is asked again, within seconds                          |
| lets the requester of the plan approve it                         | where the policy wants four eyes, it is asked again        |
| may lose an answer given in the instant of asking                 | what was kept holds; else it is asked again                |
| has an approval operator that returns nothing on Reject           | not used: this one returns every answer                    |
| takes an answer with a secret in it, and keeps it                 | it is asked again; nothing of it is kept next to the plan  |
| lets a request for changes be sent without saying which          | it is asked again                                          |
| takes an answer without parameters                                | no reason is no reason: it is kept as empty                |
| has a form that cannot be sent while a text in it is empty        | the reason may be null, which the form leaves it then      |
| runs `pre_execute` again after the answer                         | what is asked is worked out in `execute`, which runs once  |
| lets all users who may trigger the DAG write XComs                | which plan it is follows from the run (`runs`); no XCom    |
|                                                                   | counts                                                     |
| keeps the first question's text and users when a task is cleared  | a run has one plan; what Airflow keeps is read back and    |
|                                                                   | compared before the question is asked                      |
| waits for ever by default                                         | until the plan may not be applied any more, which rejects  |
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk.exceptions import TaskAwaitingInput

from holdfast.airflow_wiring import decisions
from holdfast.airflow_wiring.airflow_objects import APPROVE, CHANGES, REJECT
from holdfast.airflow_wiring.links import PlanPage
from holdfast.airflow_wiring.notifiers import PlanWaits
from holdfast.airflow_wiring.questions import kept
from holdfast.errors import InvalidInput

ASKED_AGAIN_AT_MOST = 10
WHY = "Recorded with the plan, under your name. Required to reject."
PLAN_PAGE = PlanPage()


class AskForApproval(HITLOperator):  # type: ignore[misc]  # Airflow is not typed for us
    """Asks about the run's plan, keeps the answer next to it, a person's or the policy's, and returns it; skips where nothing is to
    decide."""

    operator_extra_links = (PLAN_PAGE,)

    def __init__(self, **options: Any) -> None:
        fixed: dict[str, Any] = {
            "options": [APPROVE, REJECT, CHANGES],
            "defaults": [REJECT],
            "params": {"reason": kept.reason(WHY)},
            "notifiers": [PlanWaits()],
            "retries": ASKED_AGAIN_AT_MOST,
            "retry_delay": timedelta(seconds=2),
            "execution_timeout": None,  # Airflow would use it as the time for the decision; `execute` sets that to the plan's
        }
        super().__init__(subject="Approve the plan?", **(options | fixed))

    def execute(self, context: Mapping[str, Any]) -> Any:
        """Ask, and wait without occupying anything."""
        question = decisions.question(context["run_id"])
        if question.answer is not None:
            decisions.keep_decision(context["run_id"], question.answer)
            return question.answer
        self.subject, self.body = question.subject, question.body
        self.response_timeout = question.open_for
        self.assigned_users = kept.assigned(question.approvers) or None
        self._refuse_another_question(context, question.fingerprint)
        PLAN_PAGE.show_while_waiting(context, question.plan_id)
        try:
            return super().execute(context)
        except TaskAwaitingInput as waiting:
            waiting.kwargs = {"fingerprint": question.fingerprint}
            raise

    def execute_complete(
        self,
        context: Mapping[str, Any],
        event: Mapping[str, Any],
        fingerprint: str,
        plan_id: str | None = None,  # noqa: ARG002 - of questions that were open before there was one plan a run
    ) -> dict[str, Any]:
        """Raise for an answer that is none, so that it is asked again. One that is one is kept here, before Airflow can lose it."""
        kept.refuse_secrets(event)  # first: Airflow's own refusals repeat what was answered, in the log
        answer = super().execute_complete(context, event)
        if len(answer["chosen_options"]) != 1:
            raise ValueError(f"one of {self.options} is needed; {answer['chosen_options']} was answered")
        found = {**answer, "plan_fingerprint": fingerprint, "timed_out": bool(event.get("timedout"))}
        try:
            decisions.keep_decision(context["run_id"], found)
        except decisions.NotForThem as refusal:
            raise ValueError(str(refusal)) from None
        return found

    def _refuse_another_question(self, context: Mapping[str, Any], fingerprint: str) -> None:
        """Airflow keeps the text of the first question of an airflow task, and whom it asked, however often it is cleared and asks
        again. Raise InvalidInput where that is not the question about this plan."""
        users = self.assigned_users or []
        stored = kept.store(
            context,
            options=self.options,
            subject=self.subject,
            body=self.body,
            defaults=self.defaults,
            params=self.serialized_params,
            users=users,
        )
        if not decisions.is_about(stored.body, fingerprint) or not kept.is_for(stored, users):
            raise InvalidInput(
                "Airflow's question for this run is not about its plan, or has other approvers, so no approver is asked."
                " Trigger a new run"
            )
