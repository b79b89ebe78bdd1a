"""### Apply an approved plan

Does the automated steps (writes process-metadata files into state directories that this worker reaches) and lists the manual steps
in `plans/<plan id>/checklist.json`. Each action is in the journal before it happens. Do the manual step that the checklist waits
for, then run this DAG again. Confirm a step that no snapshot can show in the form; the journal records it under your name. After
drift (the group no longer matches what was planned against) the plan is refused, and the log lists the drift.

With **Carry out the whole plan** one run does every step that the plan's policy lists (`acts`), by what the cluster's connection
names for the group (`actors`), and watches the group in between without occupying a worker. Where reality leaves the forecast, it
halts before the next act and asks, under *Required Actions*: go on, go back, or leave it
(docs/apply.md).
"""

import pendulum
from airflow.sdk import Param, dag, task

from holdfast.airflow_wiring import airflow_objects, rollouts
from holdfast.airflow_wiring.apply_turns import TRIED_AGAIN_AT_MOST, ApplyPlan


@dag(
    schedule=[airflow_objects.PLANS],
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=16,  # one at a time for each group: its lease refuses a second one
    default_args=airflow_objects.DEFAULTS,
    tags=["holdfast", "rollout", "acts"],
    doc_md=__doc__,
    params={
        "plan_id": airflow_objects.WHICH_PLAN,
        "run": Param(
            False,
            type="boolean",
            title="Carry out the whole plan",
            description="Do every step that the plan's policy lets Holdfast do, one after the other; watch the group in between.",
        ),
        "back": airflow_objects.ROLL_BACK,
        "accept_rebalances": Param(
            False,
            type="boolean",
            title="Accept the extra rebalances",
            description="Go on although the last run of the whole plan halted because of extra rebalances. This is recorded.",
        ),
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
            description="The numbers of the manual steps that are done, in order. With *Roll back*: of those rolled back.",
        ),
        "snapshot": airflow_objects.WHICH_SNAPSHOT,
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
    @task(retries=TRIED_AGAIN_AT_MOST)
    def plans(params: dict, triggering_asset_events=None) -> list[str]:
        return rollouts.plans_requested(params, triggering_asset_events, airflow_objects.PLANS)

    fixed = {"retries": TRIED_AGAIN_AT_MOST, "pool": airflow_objects.KAFKA_POOL, "outlets": [airflow_objects.JOURNALS]}
    ApplyPlan.partial(task_id="walk", map_index_template="{{ task.plan_id }}", **fixed).expand(plan_id=plans())


made = apply_rollout()
