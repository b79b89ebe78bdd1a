"""### Walk an approved plan

Does the steps that Holdfast can do itself (writing process-metadata files into state directories that this machine reaches) and
leaves the rest to you as a checklist, `plans/<plan id>/checklist.json`. Every act is in the journal beside it before it happens. Do
the step that the checklist waits for and run this again; a step that no snapshot can show is confirmed in the form, under the
name of whoever triggers the run. A plan is refused when the group is not the one it was made for any more: then the log says what
drifted.
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
            description="From the process ID that a client is to start with to its STATE_DIR/APPLICATION_ID on this machine: one of"
            " those that the cluster's connection names for the group.",
        ),
        "confirmed": Param(
            [],
            type="array",
            items={"type": "string"},
            title="Done",
            description="The numbers of your steps that are done, in order.",
        ),
        "snapshot": objects.WHICH_SNAPSHOT,
        "force_lease": Param(
            False,
            type="boolean",
            title="Take over",
            description="From whoever applies a plan for the group, because you know that nobody does anything any more. It is"
            " recorded, and counts once a run.",
        ),
    },
)
def apply_rollout():
    @task
    def plans(params: dict, triggering_asset_events=None) -> list[str]:
        return rollouts.plans_meant(params, triggering_asset_events, objects.PLANS)

    @task(pool=objects.KAFKA_POOL, outlets=[objects.JOURNALS], map_index_template="{{ plan_id }}")
    def walk(plan_id: str, params: dict, *, outlet_events=None, run_id=None) -> str:
        context = get_current_context()
        mine = rollouts.plan_meant(plan_id, context, objects.PLANS)
        outlet_events[objects.JOURNALS].extra = {"plan_id": mine}
        return rollouts.apply(mine, params, runs.who_triggered(context), run_id)

    walk.expand(plan_id=plans())


apply_rollout()
