"""### Take a snapshot of every group

For each cluster in the variable `holdfast_clusters`: takes a snapshot of each group that the connection `holdfast_kafka_<cluster>`
names or matches, and writes it to the lake. A group that cannot be read does not affect the others; the last task names it. A run
that is restarted reads only the missing groups. The variable `holdfast_keep_snapshot_days` sets how long snapshots are kept.
"""

import pendulum
from airflow.sdk import Param, dag, get_current_context, task

from holdfast.airflow_wiring import airflow_objects, collecting, runs


@dag(
    schedule="@hourly",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=airflow_objects.DEFAULTS,
    tags=["holdfast", "fleet"],
    doc_md=__doc__,
    params={
        "cluster": Param(None, type=["null", "string"], title="Cluster", description="Only this cluster. Empty: all."),
        "group": Param(None, type=["null", "string"], title="Group", description="Only this group. Empty: all."),
    },
)
def collect_groups():
    @task
    def clusters(params: dict) -> list[str]:
        return collecting.clusters_to_read(params["cluster"])

    @task(pool=airflow_objects.KAFKA_POOL, map_index_template="{{ looking_at }}")
    def snapshots(cluster: str, params=None, run_id=None, ti=None) -> str:
        mine = runs.own(collecting.clusters_to_read(params["cluster"]), cluster, ti.map_index, "clusters")
        get_current_context()["looking_at"] = mine
        return collecting.collect(mine, params["group"], run_id)

    @task(outlets=[airflow_objects.SNAPSHOTS], trigger_rule="all_done_min_one_success")
    def tell(params: dict, run_id: str, *, outlet_events=None) -> None:
        """One event for all snapshots of this run."""
        outlet_events[airflow_objects.SNAPSHOTS].extra = {"days": collecting.days_of(params["cluster"], run_id)}

    @task(trigger_rule="all_done_min_one_success")
    def missing(params: dict, run_id: str) -> None:
        collecting.say_what_is_missing(params["cluster"], run_id)

    @task(trigger_rule="all_done")
    def forget() -> int:
        return collecting.forget()

    taken = snapshots.expand(cluster=clusters())
    taken >> tell() >> forget()
    taken >> missing()


made = collect_groups()
