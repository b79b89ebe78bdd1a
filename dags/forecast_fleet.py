"""### What the latest snapshots mean

When snapshots arrive: Spark decodes them into tables (`tables/<run>/`), computes where every stateful task is going and who will
still move (`targets/<run>/`), and reports each change in the order of process IDs (`order_changes/<run>/`).
"""

import pendulum
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import Param, dag, task

from holdfast.airflow_wiring import clusters, objects, spark

LAKE = "{{ var.value.holdfast_lake }}"
TABLES = "tables/{{ slug(run_id) }}"


@dag(
    schedule=[objects.SNAPSHOTS],
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=objects.DEFAULTS,
    tags=["holdfast", "fleet"],
    doc_md=__doc__,
    user_defined_macros={"slug": objects.slug},
    params={
        "days": Param(
            2, type="integer", minimum=1, maximum=31, title="Days", description="Snapshots of so many days, the latest there are."
        ),
    },
)
def forecast_fleet():
    @task
    def days(params: dict) -> str:
        return clusters.days_to_read(params["days"])

    @task
    def package() -> str:
        return spark.prepare_spark()

    zipped = package()
    decode = SparkSubmitOperator(
        task_id="decode",
        **spark.submitted("decode_snapshots"),
        py_files=zipped,
        application_args=["--lake", LAKE, "--days", days(), "--out", TABLES],
    )
    targets = SparkSubmitOperator(
        task_id="targets",
        **spark.submitted("compute_targets"),
        py_files=zipped,
        application_args=["--lake", LAKE, "--tables", TABLES, "--out", "targets/{{ slug(run_id) }}"],
    )
    order_changes = SparkSubmitOperator(
        task_id="order_changes",
        **spark.submitted("detect_order_changes"),
        py_files=zipped,
        application_args=["--lake", LAKE, "--tables", TABLES, "--out", "order_changes/{{ slug(run_id) }}"],
        outlets=[objects.TABLES],
    )
    decode >> targets >> order_changes


forecast_fleet()
