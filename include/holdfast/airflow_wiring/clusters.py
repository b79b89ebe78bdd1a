"""The clusters that connections name: what is known of their groups, and a fresh snapshot of one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset

from holdfast.airflow_wiring.airflow_objects import ABOUT_A_GROUP, COLLECT_SECONDS, KAFKA_CONNECTION, SNAPSHOTS, lake
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.actor import Actor
    from holdfast.adapters.broker.connection import ClusterConnection
    from holdfast.adapters.hosts.http_settings import HttpLogin
    from holdfast.adapters.hosts.kubernetes.connection import Access
    from holdfast.adapters.hosts.ssh_settings import SshSettings
    from holdfast.wiring import HostAccess
    from holdfast.workflows.collecting.collect_many import About, Wanted

_MAY_BE_EMPTY = ("ssl.endpoint.identification.algorithm",)
"""Of Kafka's properties: there it means that host names are not checked."""


@dataclass(frozen=True, slots=True)
class KnownCluster:
    """`seconds`: how long reading all of its groups may take. `actors`: by group ID or pattern, as given."""

    connection: "ClusterConnection"
    wanted: "Wanted"
    seconds: float
    actors: Mapping[str, Mapping[str, Any]]
    ssh: "SshSettings | None" = None
    """How hosts are reached over SSH, where the connection names one of type ssh."""


def collect(cluster: str, group: str, otherwise: Mapping[str, Any] | None = None) -> str:
    """Take a fresh snapshot of the group and put it into the lake. Return its ID.

    `otherwise`: what is known of the group (as in `ABOUT_A_GROUP`) if the connection says nothing of it.
    """
    from holdfast import wiring
    from holdfast.workflows import snapshots

    known = known_cluster(cluster)
    about = known.wanted.of(group) or _about(otherwise or {})
    return snapshots.keep(lake(), wiring.collect_any(known.connection, group, about.state_dirs, about.given, hosts=hosts(known)))


def known_cluster(name: str) -> KnownCluster:
    """What the connection of a cluster says. Secrets are among it: for the adapter only."""
    return known_by(f"{KAFKA_CONNECTION}{name}")


def known_by(conn_id: str) -> KnownCluster:
    """The same, by the connection's ID; the cluster is called by what follows `holdfast_kafka_` in it."""
    from airflow.sdk.log import mask_secret

    from holdfast.adapters.broker import sasl
    from holdfast.adapters.broker.connection import ClusterConnection
    from holdfast.workflows.collecting.collect_many import Wanted

    extras, user, password = _connection(conn_id)
    groups, seconds = extras.pop("groups", {}), extras.pop("collect_seconds", COLLECT_SECONDS)
    ssh = _ssh(extras.pop("ssh_connection", None))
    if not isinstance(groups, dict) or not all(isinstance(about, dict) for about in groups.values()):
        raise InvalidInput(f"`groups` in the extras of {conn_id} is not an object from group IDs, or patterns like *, to objects")
    for group, about in groups.items():
        for key, value in about.items():
            if not isinstance(value, ABOUT_A_GROUP.get(key, ())):
                raise InvalidInput(
                    f"{conn_id}: {key!r} of group {group!r} is unknown, or of another type. There are kafka_release (a string), "
                    "config and actors (objects), stores (persistent, in-memory or mixed), topology (what Topology.describe()"
                    " prints), changelogs and state_dirs (lists of strings)"
                )
        if "actors" in about and any(wild in group for wild in "*?["):
            raise InvalidInput(f"{conn_id}: `actors` is for one group, by its ID; {group!r} is a pattern")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 1 <= seconds <= 86_400:
        raise InvalidInput(f"collect_seconds in the extras of {conn_id} is not a number of seconds from 1 to 86400")
    properties = sasl.with_login({key: str(value) for key, value in extras.items()}, user, password)
    for secret in sasl.secrets_in(properties):
        mask_secret(secret)  # Airflow knows a secret by its key in the extras, and does not know Kafka's keys
    connection = ClusterConnection.of("", properties, conn_id.removeprefix(KAFKA_CONNECTION))
    wanted = Wanted({group: _about(about) for group, about in groups.items()})
    actors = {group: about["actors"] for group, about in groups.items() if "actors" in about}
    return KnownCluster(connection, wanted, float(seconds), actors, ssh)


def actor(known: KnownCluster, group: str) -> "Actor":
    """What stops and starts the clients of a group: what the cluster's connection says of it by name, never of a pattern. Without
    it every such step is a person's."""
    from holdfast.adapters.hosts import actors_file
    from holdfast.airflow_wiring.dag_runs import AirflowDagRuns

    if group not in known.actors:
        return actors_file.nothing()
    try:
        return actors_file.of_group(known.actors[group], group, known.ssh, _kubernetes, _http, AirflowDagRuns())
    except InvalidInput as problem:
        raise InvalidInput(str(problem), f"actors in the connection {KAFKA_CONNECTION}{known.connection.name}") from None


def hosts(known: KnownCluster | None = None) -> "HostAccess":
    """Hosts by Airflow's connections: the first part of a `kubernetes://` URL is a connection of that type, or a context; for
    `ssh://` it is the one that the cluster's connection names."""
    from holdfast.wiring import HostAccess

    return HostAccess(kubernetes=_kubernetes, ssh=known.ssh if known else None)


def _ssh(conn_id: object) -> "SshSettings | None":
    """What an Airflow connection of type ssh says. Secrets are among it: for the adapter only."""
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException
    from airflow.sdk.log import mask_secret

    from holdfast.adapters.hosts import ssh_settings

    if conn_id is None:
        return None
    try:
        found = BaseHook.get_connection(str(conn_id))
    except AirflowNotFoundException:
        raise InvalidInput(
            f"ssh_connection names {conn_id!r}, and Airflow has no such connection: create one of type ssh"
        ) from None
    if found.conn_type != "ssh":
        raise InvalidInput(f"the connection {conn_id} is of type {found.conn_type}; one of type ssh is needed")
    settings = ssh_settings.of_connection(found.host, found.port, found.login, found.password, found.extra_dejson, str(conn_id))
    for secret in settings.secrets:
        mask_secret(secret)
    return settings


def _kubernetes(name: str) -> "Access":
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    from holdfast.adapters.hosts.kubernetes.connection import Access

    if not name:
        return Access.of_context(name)
    try:
        connection = BaseHook.get_connection(name)
    except AirflowNotFoundException:
        return Access.of_context(name)
    if connection.conn_type != "kubernetes":
        raise InvalidInput(f"the connection {name} is of type {connection.conn_type}; one of type kubernetes is needed")
    return Access.of_extras(name, connection.extra_dejson)


def _http(conn_id: str) -> "HttpLogin":
    """What an Airflow connection of type http says. Secrets are among it: for the adapter only."""
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException
    from airflow.sdk.log import mask_secret

    from holdfast.adapters.hosts.http_settings import HttpLogin

    try:
        found = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise InvalidInput(f"`http` names the connection {conn_id!r}, and Airflow has none: create one of type http") from None
    if found.conn_type != "http":
        raise InvalidInput(f"the connection {conn_id} is of type {found.conn_type}; one of type http is needed")
    login = HttpLogin.of_connection(found.host, found.login, found.password, found.extra_dejson, conn_id)
    for secret in (*login.headers.values(), *((login.password,) if login.password else ())):
        mask_secret(secret)
    return login


def _about(extras: Mapping[str, Any]) -> "About":
    from holdfast.workflows.collecting.collect_many import About
    from holdfast.workflows.collecting.collector import StatedByOperator

    given = StatedByOperator(
        extras.get("kafka_release"),
        {},
        extras.get("config", {}),
        tuple(extras.get("changelogs", ())),
        extras.get("stores"),
        extras.get("broker_release"),
        extras.get("topology"),
    )
    return About(given, tuple(extras.get("state_dirs", ())))


def _connection(conn_id: str) -> tuple[dict[str, Any], str | None, str | None]:
    """Its extras, but for those that a form left empty; the login and the password."""
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    try:
        found = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise InvalidInput(
            f"Airflow has no connection {conn_id}: create one of type holdfast_kafka (or generic) whose extras are Kafka's own"
            " property names (bootstrap.servers, security.protocol, …) and `groups`, an object from group IDs to what is known of"
            " them"
        ) from None
    extras = {
        key: value for key, value in found.extra_dejson.items() if value is not None and (value != "" or key in _MAY_BE_EMPTY)
    }
    return extras, found.login, found.password


def days_of_run(context: Mapping[str, Any]) -> list[str]:
    """The days that a run of `forecast_fleet` is about, by its own parameters and events: every airflow task of it asks here."""
    until = context["dag_run"].run_after.astimezone(UTC).date().isoformat()
    return days_to_read(context["params"]["days"], context.get("triggering_asset_events"), until)


def days_to_read(given: str | None, events: Mapping[Asset, Sequence[Any]] | None, until: str = "9999") -> list[str]:
    """Those given, those of the snapshots that started the run, or the last two until `until`; sorted.

    Raise InvalidInput if there is no snapshot of them.
    """
    from holdfast.workflows import snapshots

    started_by = (event.extra.get("days", ()) for event in (events or {}).get(SNAPSHOTS, ()))
    named = [day.strip() for day in given.split(",") if day.strip()] if given else [str(day) for days in started_by for day in days]
    found = snapshots.days(lake())
    if not found:
        raise InvalidInput("the lake has no snapshot yet; run collect_groups")
    missing = [day for day in named if day not in found]
    if missing:
        raise InvalidInput(
            f"there is no snapshot of {', '.join(missing)[:200]} in the lake; there are days from {found[0]} to {found[-1]}"
        )
    return sorted(dict.fromkeys(named)) or [*([day for day in found if day <= until] or found)[-2:]]
