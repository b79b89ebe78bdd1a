"""### Look at every group, and remember

Takes a snapshot of each group that the connections `holdfast_kafka_<cluster>` name, for the clusters in the variable
`holdfast_clusters`, and puts it into the lake. One group that cannot be read does not keep the others from being collected.
"""

import pendulum
from airflow.sdk import Param, dag, get_current_context, task

from holdfast.airflow_wiring import clusters, objects


@dag(
    schedule="@hourly",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args=objects.DEFAULTS,
    tags=["holdfast", "fleet"],
    doc_md=__doc__,
    params={
        "cluster": Param(None, type=["null", "string"], title="Cluster", description="Only this one. Empty: all clusters."),
        "group": Param(None, type=["null", "string"], title="Group", description="Only this one. Empty: all groups."),
    },
)
def collect_groups():
    @task
    def groups(params: dict) -> list[dict[str, str]]:
        return clusters.groups_to_collect(params["cluster"], params["group"])

    @task(pool=objects.KAFKA_POOL, map_index_template="{{ looking_at }}")
    def snapshot(cluster: str, group: str) -> str:
        get_current_context()["looking_at"] = f"{cluster} {group}"
        return clusters.collect(cluster, group)

    @task(outlets=[objects.SNAPSHOTS], trigger_rule="all_done_min_one_success")
    def tell(taken: list[str], *, outlet_events=None) -> None:
        """One event for all snapshots of this run."""
        outlet_events[objects.SNAPSHOTS].extra = {"days": clusters.days_of(taken)}

    tell(snapshot.expand_kwargs(groups()))


collect_groups()
