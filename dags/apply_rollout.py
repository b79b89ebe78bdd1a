"""### Apply an approved plan

Does the automated steps (writes process-metadata files into state directories that this worker reaches) and lists the manual steps
in `plans/<plan id>/checklist.json`. Each action is in the journal before it happens. Do the manual step that the checklist waits
for, then run this DAG again. Confirm a step that no snapshot can show in the form; the journal records it under your name. After
drift (the group no longer matches what was planned against) the plan is refused, and the log lists the drift.
"""

import pendulum
from airflow.sdk import Param, dag, get_current_context, task

from holdfast.airflow_wiring import objects, rollouts, runs


@dag(
    schedule=[objects.PLANS],
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=objects.DEFAULTS,
    tags=["holdfast", "rollout", "acts"],
    doc_md=__doc__,
    params={
        "plan_id": objects.WHICH_PLAN,
        "state_dirs": Param(
            {},
            type="object",
            title="State directories",
            additionalProperties={"type": "string"},
            description="Maps the process ID that a client is to start with to its STATE_DIR/APPLICATION_ID on this machine, one of"
            " those that the cluster's connection names for the group.",
        ),
        "confirmed": Param(
            [],
            type="array",
            items={"type": "string"},
            title="Done",
            description="The numbers of the manual steps that are done, in order.",
        ),
        "snapshot": objects.WHICH_SNAPSHOT,
        "force_lease": Param(
            False,
            type="boolean",
            title="Take over",
            description="Take the group's lease from another apply run that is certainly no longer running. This is"
            " recorded, and takes effect once per run.",
        ),
    },
)
def apply_rollout():
    @task
    def plans(params: dict, triggering_asset_events=None) -> list[str]:
        return rollouts.plans_requested(params, triggering_asset_events, objects.PLANS)

    @task(pool=objects.KAFKA_POOL, outlets=[objects.JOURNALS], map_index_template="{{ plan_id }}")
    def walk(plan_id: str, params: dict, *, outlet_events=None, run_id=None) -> str:
        context = get_current_context()
        mine = rollouts.plan_requested(plan_id, context, objects.PLANS)
        outlet_events[objects.JOURNALS].extra = {"plan_id": mine}
        return rollouts.apply(mine, params, runs.who_triggered(context), run_id)

    walk.expand(plan_id=plans())


apply_rollout()
