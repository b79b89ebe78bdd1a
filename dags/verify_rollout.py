"""### Compare the outcome with the forecast

Observes the group during and after a rollout, compares it with the plan's forecast task by task, and writes
`plans/<plan id>/verdict.json`. A group that diverged from the forecast fails the run: stop the rollout and check the differences.
"""

import pendulum
from airflow.sdk import dag, get_current_context, task

from holdfast.airflow_wiring import airflow_objects, rollouts, runs


@dag(
    schedule=[airflow_objects.JOURNALS],
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    default_args=airflow_objects.DEFAULTS,
    tags=["holdfast", "rollout"],
    doc_md=__doc__,
    params={
        "plan_id": airflow_objects.WHICH_PLAN,
        "snapshot": airflow_objects.WHICH_SNAPSHOT,
    },
)
def verify_rollout():
    @task
    def plans(params: dict, triggering_asset_events=None) -> list[str]:
        return rollouts.plans_requested(params, triggering_asset_events, airflow_objects.JOURNALS)

    @task(pool=airflow_objects.KAFKA_POOL, map_index_template="{{ plan_id }}")
    def compare(plan_id: str, params: dict) -> str:
        context = get_current_context()
        mine = rollouts.plan_requested(plan_id, context, airflow_objects.JOURNALS)
        return rollouts.verify(mine, params, runs.who_triggered(context))

    compare.expand(plan_id=plans())


made = verify_rollout()
