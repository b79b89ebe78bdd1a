"""The clusters that connections name: which groups they have, and a fresh snapshot of one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airflow.sdk import Asset

from holdfast.airflow_wiring.objects import ABOUT_A_GROUP, CLUSTERS_VARIABLE, KAFKA_CONNECTION, SNAPSHOTS, lake
from holdfast.errors import InvalidInput


def collect(cluster: str, group: str, otherwise: Mapping[str, Any] | None = None) -> str:
    """Take a fresh snapshot of the group and put it into the lake. Return its ID.

    `otherwise`: what is known of the group (as in `ABOUT_A_GROUP`) if the connection says nothing of it.
    """
    from holdfast import wiring
    from holdfast.adapters.connection import ClusterConnection
    from holdfast.workflows import snapshots
    from holdfast.workflows.collect_kind import Given

    properties, groups = _cluster(cluster)
    where = ClusterConnection.of("", properties, cluster)
    about = groups.get(group, otherwise or {})
    given = Given(about.get("kafka_release"), {}, about.get("config", {}), tuple(about.get("changelogs", ())))
    snapshot = wiring.collect_any(where, group, tuple(about.get("state_dirs", ())), given)
    return snapshots.keep(lake(), snapshot)


def groups_to_collect(cluster: str | None, group: str | None) -> list[dict[str, str]]:
    """Every group that a connection of the clusters in `holdfast_clusters` names; of one cluster or of one name only, if given."""
    from airflow.sdk import Variable

    clusters = Variable.get(CLUSTERS_VARIABLE, default=[], deserialize_json=True) if cluster is None else [cluster]
    if not isinstance(clusters, list) or not all(isinstance(name, str) for name in clusters):
        raise InvalidInput(f"the variable {CLUSTERS_VARIABLE} is not a JSON list of the names of clusters")
    return [
        {"cluster": name, "group": known} for name in clusters for known in _cluster(name)[1] if group is None or known == group
    ]


def _cluster(name: str) -> tuple[Mapping[str, str], Mapping[str, Mapping[str, Any]]]:
    """A cluster's connection properties (secrets among them: for the adapter only), and what is said about each of its groups."""
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    conn_id = f"{KAFKA_CONNECTION}{name}"
    try:
        connection = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise InvalidInput(
            f"Airflow has no connection {conn_id}: make one of type generic whose extras are Kafka's own property names "
            "(bootstrap.servers, security.protocol, …) and `groups`, an object from group IDs to what is known of them"
        ) from None
    extras = dict(connection.extra_dejson)
    groups = extras.pop("groups", {})
    if not isinstance(groups, dict) or not all(isinstance(about, dict) for about in groups.values()):
        raise InvalidInput(f"`groups` in the extras of {conn_id} is not an object from group IDs to objects")
    for group, about in groups.items():
        for key, value in about.items():
            if not isinstance(value, ABOUT_A_GROUP.get(key, ())):
                raise InvalidInput(
                    f"{conn_id}: {key!r} of group {group!r} is not known, or of another type. There are kafka_release (a string), "
                    "config (an object), changelogs and state_dirs (lists of strings)"
                )
    return {key: str(value) for key, value in extras.items()}, groups


def days_to_read(given: str | None, events: Mapping[Asset, Sequence[Any]] | None) -> str:
    """The days that a run is about, separated by commas: those given, those of the snapshots that started it, or the last two.

    Raise InvalidInput if there is no snapshot of them.
    """
    from holdfast.workflows import snapshots

    started_by = (event.extra.get("days", ()) for event in (events or {}).get(SNAPSHOTS, ()))
    named = [day.strip() for day in given.split(",") if day.strip()] if given else [day for days in started_by for day in days]
    found = snapshots.days(lake())
    if not found:
        raise InvalidInput("there is no snapshot in the lake yet; collect_groups puts them there")
    missing = [day for day in named if day not in found]
    if missing:
        raise InvalidInput(
            f"there is no snapshot of {', '.join(missing)[:200]} in the lake; there are days from {found[0]} to {found[-1]}"
        )
    return ",".join(sorted(dict.fromkeys(named)) or found[-2:])


def days_of(snapshot_ids: Iterable[str]) -> list[str]:
    """The days in the IDs of snapshots, which are their paths in the lake."""
    parts = (part for one in snapshot_ids for part in one.split("/"))
    return sorted(dict.fromkeys(part.removeprefix("day=") for part in parts if part.startswith("day=")))
