"""### What the latest snapshots mean

When snapshots arrive: Spark decodes them into tables (`docs/tables.md`), computes where every stateful task is going and who will
still move, finds each change in the order of process IDs, says of every host of every group what its loss would do, and whether
plans came true. What stands out is in `fleet/day=<day>/fleet.md`; what came above a limit of the variable `holdfast_fleet_policy`
since the day before is told to the notifiers in `holdfast_notifiers`. A run is about the days of the snapshots that started it; run
again, it replaces what it wrote.
"""

import pendulum
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import Param, dag, get_current_context, task

from holdfast.airflow_wiring import clusters, fleet, objects, spark


@dag(
    schedule=[objects.SNAPSHOTS],
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=objects.DEFAULTS,
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
    def days(params: dict, *, triggering_asset_events=None) -> str:
        return clusters.days_to_read(params["days"], triggering_asset_events)

    @task
    def package() -> str:
        return spark.prepare_spark()

    @task
    def limits() -> str:
        return fleet.limits()

    @task
    def summary(days: str) -> str:
        return fleet.summarize(days)

    @task
    def alert(folder: str) -> int:
        return fleet.alert(folder, get_current_context())

    wanted = days()
    about = ["--lake", "{{ var.value.holdfast_lake }}", "--days", wanted]
    zipped = package()

    def job(task_id: str, name: str, *more: str, **options) -> SparkSubmitOperator:
        arguments = [*about, *more]
        return SparkSubmitOperator(task_id=task_id, **spark.submitted(name), py_files=zipped, application_args=arguments, **options)

    keep = ["--keep-days", "{{ var.value.get('holdfast_keep_days', '400') }}"]
    decode = job("decode", "decode_snapshots", *keep)
    targets = job("targets", "compute_targets")
    order_changes = job("order_changes", "detect_order_changes")
    forecasts = ["--forecast-ms", "{{ var.value.get('holdfast_forecast_ms', '') }}"]
    blast_radius = job("blast_radius", "blast_radius", *forecasts, outlets=[objects.TABLES])
    scores = job("scores", "score_forecasts")
    findings = job("findings", "summarize_fleet", "--policy", limits())
    written = summary(wanted)
    decode >> targets >> order_changes >> blast_radius >> scores >> findings >> written
    alert(written)


forecast_fleet()
