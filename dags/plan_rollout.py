"""### Plan a change before anybody makes it

Choose the group and what is to be done to it; only the fields that it asks for need anything. (The page *Plan a rollout* has the
group's hosts and settings to choose from.) A run takes a snapshot of the group
(or one that is already in the lake), lets Spark search the ways to make the change, and writes `plans/<plan id>/plan.json` and
`plan.md`. Then it asks: **approve** or **reject**, and why (docs/approval.md). The answer is kept beside the plan; an approved plan
is what `apply_rollout` walks. Nothing is changed by this DAG.
"""

import pendulum
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import dag, task

from holdfast.airflow_wiring import decisions, failures, form, objects, planning, spark
from holdfast.airflow_wiring.approval import PLAN_PAGE, AskForApproval


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    default_args=objects.DEFAULTS | {"on_failure_callback": failures.keep, "on_retry_callback": failures.keep},
    tags=["holdfast", "rollout"],
    doc_md=__doc__,
    params=form.fields(),
)
def plan_rollout():
    @task(pool=objects.KAFKA_POOL)
    def snapshot(params: dict, run_id: str) -> str:
        return planning.draft(run_id, params)

    @task
    def package() -> str:
        return spark.prepare_spark()

    @task
    def assemble(draft: str) -> str:
        return planning.assemble(draft)

    @task(outlets=[objects.PLANS])
    def record(plan_id: str, *, outlet_events=None) -> str:
        outlet_events[objects.PLANS].extra = {"plan_id": decisions.go_by_decision(plan_id)}
        return plan_id

    draft = snapshot()
    search = SparkSubmitOperator(
        task_id="search",
        **spark.submitted("search_candidates"),
        py_files=package(),
        application_args=["--lake", "{{ var.value.holdfast_lake }}", "--draft", draft],
    )
    plan_id = assemble(draft)
    plan_id.operator.operator_extra_links = (PLAN_PAGE,)
    approve = AskForApproval(task_id="approve", plan_id=plan_id, draft=draft)
    draft >> search >> plan_id >> approve >> record(plan_id)


plan_rollout()
