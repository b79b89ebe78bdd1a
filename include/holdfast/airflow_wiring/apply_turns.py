"""The airflow task of `apply_rollout` that applies a plan: one call, or the turns of a run, which no worker waits between.

| what Airflow does                                            | what is done about it                                           |
|--------------------------------------------------------------|-----------------------------------------------------------------|
| keeps what a deferred task resumes with, in its database     | plain numbers, read strictly; nothing in them decides an act    |
| resumes it with what its trigger sends, or an answer         | neither is read                                                 |
| resumes a task late, where its triggerer or scheduler is     | the turn looks afresh; a lease that is over is taken again, or  |
| away                                                         | another run has it, and the task is tried again                 |
| tries a task again whose worker was killed                   | the journal and the processes say what was done                 |
| hands a mapped task what a user may have edited              | worked out again from the run (`rollouts.plan_requested`)       |
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseOperator
from airflow.sdk.exceptions import TaskDeferred
from airflow.triggers.base import BaseTrigger, TriggerEvent

from holdfast.airflow_wiring import dag_runs, rollouts, run_turn, runs, wait_between_turns
from holdfast.airflow_wiring.airflow_objects import JOURNALS, PLANS
from holdfast.airflow_wiring.notifiers import RunHalted
from holdfast.airflow_wiring.questions import halts

if TYPE_CHECKING:
    from holdfast.workflows.running.answers import GivenAnswer

TRIED_AGAIN_AT_MOST = 10
"""Retries of the tasks of `apply_rollout`: each death of a worker is one. The DAG sets it, over its default_args."""

log = logging.getLogger(__name__)


class Pause(BaseTrigger):  # type: ignore[misc]  # Airflow is not typed for us
    """Sleeps in the triggerer, and does nothing else."""

    def __init__(self, seconds: int) -> None:
        super().__init__()
        self.seconds = seconds

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return (f"{__name__}.Pause", {"seconds": self.seconds})

    async def run(self) -> AsyncIterator[TriggerEvent]:
        await asyncio.sleep(self.seconds)
        yield TriggerEvent(None)


class ApplyPlan(BaseOperator):  # type: ignore[misc]  # Airflow is not typed for us
    """`plan_id`: as the task before has handed it on. Returns the checklist's path."""

    template_fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *, plan_id: str, **options: Any) -> None:
        super().__init__(**options)
        self.plan_id = plan_id

    def execute(self, context: Any) -> str:
        """One call, or a first turn. An attempt after another one asks first, where a halt is open, and fails where it was left."""
        plan_id = self._requested(context)
        rollouts.refuse_by_team(plan_id, context["params"], runs.who_triggered(context))
        if not context["params"]["run"]:
            by_hand = rollouts.roll_back if context["params"].get("back") else rollouts.apply
            return by_hand(plan_id, context["params"], runs.who_triggered(context), context["run_id"])
        again = context["ti"].try_number > 1
        if again:
            run_turn.refuse_left(plan_id, context["dag_run"].start_date)
        halt = halts.open_halt(plan_id) if again else None
        if halt is not None:
            halts.ask(context, halt)
        return self._turn(context, plan_id, None, again=again)

    def go_on(self, context: Any, event: object = None, left: Mapping[str, Any] | None = None) -> str:  # noqa: ARG002
        """After the pause."""
        return self._turn(context, self._requested(context), left, again=True)

    def answered(self, context: Any, event: object, halt: int, shown: bool) -> str:
        """After an answer, which is kept before Airflow can lose it. One that is none is logged, and it is asked again."""
        plan_id = self._requested(context)
        try:
            given = halts.given(plan_id, event, halt, shown=shown)
            run_turn.keep_answer(plan_id, context["params"], runs.who_triggered(context), context["run_id"], given)
        except halts.NoAnswer as refusal:
            log.warning("What was answered does not count: %s.", refusal)
            found = halts.open_halt(plan_id)
            if found is not None:
                halts.ask(context, found)
            raise
        return self._turn(context, plan_id, None, again=True, given=given)

    def _turn(
        self, context: Any, plan_id: str, left: Mapping[str, Any] | None, *, again: bool, given: "GivenAnswer | None" = None
    ) -> str:
        user, own = runs.who_triggered(context), context["ti"]

        def how_ended() -> str | None:
            return dag_runs.how_ended(own.dag_id, own.run_id, own.task_id, own.map_index)

        run_id = context["run_id"]
        ended = run_turn.turn(plan_id, context["params"], user, run_id, left, again=again, given=given, how_ended=how_ended)
        if isinstance(ended, str):
            return ended
        if isinstance(ended, halts.OpenHalt):
            RunHalted(plan_id, ended.line)(context)
            halts.ask(context, ended)
        raise TaskDeferred(trigger=Pause(wait_between_turns.BETWEEN_TURNS_S), method_name="go_on", kwargs={"left": ended})

    def _requested(self, context: Any) -> str:
        plan_id = rollouts.plan_requested(self.plan_id, context, PLANS)
        context["outlet_events"][JOURNALS].extra = {"plan_id": plan_id}
        return plan_id
