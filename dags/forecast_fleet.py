"""### Forecast the fleet

When snapshots arrive, Spark decodes them into tables (`docs/tables.md`), computes the target of every stateful task and the pending
moves, finds each change of the process-ID order, forecasts the loss of each host of each group, scores verified plans, and examines
the settings of each group once a day. The summary is `fleet/day=<day>/fleet.md`. What newly exceeds a limit of the variable
`holdfast_fleet_policy` goes to the notifiers in `holdfast_notifiers`. A run covers the days of the snapshots that triggered it, and
replaces its own earlier output.
"""

import pendulum
from airflow.sdk import Param, dag, get_current_context, task

from holdfast.airflow_wiring import airflow_objects, clusters, fleet, spark
from holdfast.airflow_wiring.jobs import SparkJob


@dag(
    schedule=[airflow_objects.SNAPSHOTS],
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=airflow_objects.DEFAULTS,
    tags=["holdfast", "fleet"],
    doc_md=__doc__,
    params={
        "days": Param(
            None,
            type=["null", "string"],
            title="Days",
            description="Such as 2026-11-20,2026-11-21. Empty: those of the snapshots that started the run, or the last two.",
        ),
    },
)
def forecast_fleet():
    @task
    def days() -> str:
        return ",".join(clusters.days_of_run(get_current_context()))

    @task
    def package() -> str:
        return spark.prepare_spark()

    @task
    def summary() -> str:
        return fleet.summarize(clusters.days_of_run(get_current_context()))

    @task
    def alert() -> int:
        context = get_current_context()
        return fleet.alert(clusters.days_of_run(context)[-1], context)

    def job(task_id: str, name: str, arguments=fleet.about_days, **options) -> SparkJob:
        return SparkJob(task_id=task_id, job=name, arguments=arguments, **options)

    decode = job("decode", "decode_snapshots", fleet.and_keep_days)
    targets = job("targets", "compute_targets")
    order_changes = job("order_changes", "detect_order_changes")
    blast_radius = job("blast_radius", "blast_radius", fleet.and_forecast_ms, outlets=[airflow_objects.TABLES])
    scores = job("scores", "score_forecasts")
    settings = job("settings", "examine_settings", fleet.and_policy)
    findings = job("findings", "summarize_fleet", fleet.and_limits)
    (
        [days(), package()]
        >> decode
        >> targets
        >> order_changes
        >> blast_radius
        >> scores
        >> settings
        >> findings
        >> summary()
        >> alert()
    )


made = forecast_fleet()
