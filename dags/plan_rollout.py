"""### Plan a change before you make it

Select the group and the change type, and fill in the fields that it needs. (The page *Plan a rollout* also offers the group's hosts
and settings to select from.) A run takes a snapshot of the group (or uses one in the lake), forecasts the options, on Spark where
that is quicker, and writes `plan.json`, `plan.md` below `plans/<plan id>/`. Then it asks: **approve** or **reject**, with a
reason (docs/approval.md). The decision is recorded with the plan; `apply_rollout` applies approved plans. This DAG changes nothing
in the group. A run creates one plan; if cleared, it asks about the same plan again.
"""

import pendulum
from airflow.sdk import dag, get_current_context, task

from holdfast.airflow_wiring import airflow_objects, decisions, failures, form, planning, runs
from holdfast.airflow_wiring.approval import PLAN_PAGE, AskForApproval
from holdfast.airflow_wiring.jobs import SparkJob


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    default_args=airflow_objects.DEFAULTS | {"on_failure_callback": failures.keep, "on_retry_callback": failures.keep},
    tags=["holdfast", "rollout"],
    doc_md=__doc__,
    params=form.fields(),
)
def plan_rollout():
    @task(pool=airflow_objects.KAFKA_POOL)
    def snapshot(params: dict, run_id: str) -> str:
        context = get_current_context()
        return planning.draft(run_id, params, runs.who_triggered(context), cleared=runs.was_cleared(context))

    @task.branch
    def search(run_id: str) -> str:
        return planning.search(run_id)

    @task(trigger_rule="none_failed_min_one_success")
    def assemble(run_id: str) -> str:
        return planning.assemble(run_id)

    @task(outlets=[airflow_objects.PLANS])
    def record(run_id: str, *, outlet_events=None) -> str:
        plan_id = decisions.go_by_decision(run_id)
        outlet_events[airflow_objects.PLANS].extra = {"plan_id": plan_id}
        return plan_id

    on_spark = SparkJob(task_id=planning.ON_SPARK, job="search_candidates", arguments=planning.search_arguments, replaces=False)
    made = assemble()
    made.operator.operator_extra_links = (PLAN_PAGE,)
    approve = AskForApproval(task_id="approve")
    snapshot() >> (searched := search()) >> on_spark >> made >> approve >> record()
    searched >> made


made = plan_rollout()
