"""### Judge the past

For each cluster in the variable `holdfast_clusters`: reads what `__consumer_offsets` still holds of past rebalances, of every group
that the connection `holdfast_kafka_<cluster>` names or matches. Spark decides each again and compares it with what Kafka decided:
table `backtests`. The score is at the top of plans, and a score that has fallen is in `fleet.md` (`docs/backtest.md`).
"""

import pendulum
from airflow.sdk import Param, dag, get_current_context, task

from holdfast.airflow_wiring import airflow_objects, collecting, runs, spark
from holdfast.airflow_wiring.jobs import SparkJob
from holdfast.airflow_wiring.past import nightly


@dag(
    schedule="@daily",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=airflow_objects.DEFAULTS,
    tags=["holdfast", "fleet"],
    doc_md=__doc__,
    params={
        "cluster": Param(None, type=["null", "string"], title="Cluster", description="Only this cluster. Empty: all."),
    },
)
def backtest_groups():
    @task
    def clusters(params: dict) -> list[str]:
        return collecting.clusters_to_read(params["cluster"])

    @task
    def package() -> str:
        return spark.prepare_spark()

    @task(pool=airflow_objects.KAFKA_POOL)
    def past(cluster: str, params=None, ti=None) -> int:
        mine = runs.own(collecting.clusters_to_read(params["cluster"]), cluster, ti.map_index, "clusters")
        return nightly.keep_past(mine, nightly.day_of(get_current_context()))

    judge = SparkJob(task_id="judge", job="backtest_groups", arguments=nightly.about_day, trigger_rule="all_done_min_one_success")
    [past.expand(cluster=clusters()), package()] >> judge


made = backtest_groups()
