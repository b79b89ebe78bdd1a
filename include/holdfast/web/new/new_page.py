"""What the page "Plan a rollout" reads: the groups that the lake knows, one group's newest snapshot, and what is asked of it."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from airflow.exceptions import AirflowNotFoundException
from airflow.models.connection import Connection
from airflow.models.variable import Variable

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import planning
from holdfast.airflow_wiring.airflow_objects import CLUSTERS_VARIABLE, KAFKA_CONNECTION, POLICY_VARIABLE
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.teams.sight import Sight
from holdfast.web import overview
from holdfast.web.new import new_request, new_view
from holdfast.web.new.new_request import FRESH, CheckedRequest, Sent
from holdfast.web.new.new_view import Known
from holdfast.workflows import snapshots

MOST_GROUPS = 60
MOST_HISTORY = 12


@dataclass(frozen=True, slots=True)
class Groups:
    """Those that match, the first of them: cluster, group and the day of the newest snapshot. `clusters`: all that are known."""

    rows: tuple[tuple[str, str, str], ...]
    found: int
    there_are: int
    clusters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """One group. `known` None: the lake knows nothing of it, or nothing that can be read, for `problem`."""

    cluster: str
    group_id: str
    known: Known | None
    snapshot: AnySnapshot | None
    problem: str = ""


def groups(place: LakeAddress, text: str, sight: Sight) -> Groups:
    """Those that the user sees. Clusters that only the variable names are suggested to those who see all."""
    everything = [row for row in snapshots.groups(FsspecLake(place)) if sight.sees(row[0], row[1])]
    words = text.casefold().split()
    found = [row for row in everything if all(word in f"{row[0]} {row[1]}".casefold() for word in words)]
    named = Variable.get(CLUSTERS_VARIABLE, default_var=None, deserialize_json=True) if sight.everything else None
    also = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    clusters = sorted({*(cluster for cluster, _, _ in everything), *also} - {""})
    return Groups(tuple(found[:MOST_GROUPS]), len(found), len(everything), tuple(clusters))


def group(place: LakeAddress, cluster: str, group_id: str, now: datetime) -> Group:
    """By its newest snapshot. One that cannot be read is as good as none, and `problem` says why."""
    history = tuple(islice(snapshots.newest_first(FsspecLake(place), cluster, group_id), MOST_HISTORY))
    if not history:
        return Group(cluster, group_id, None, None)
    try:
        snapshot = overview.snapshot(place, history[0])
        found = new_view.known(snapshot, history[0], history, now)
    except HoldfastError as problem:
        return Group(cluster, group_id, None, None, str(problem))
    return Group(cluster, group_id, found, snapshot)


def sees_connection(cluster: str) -> bool:
    """Whether this server knows a connection to the cluster. Workers may know one all the same."""
    try:
        Connection.get_connection_from_secrets(f"{KAFKA_CONNECTION}{cluster}")
    except (AirflowNotFoundException, ValueError):
        return False
    return True


def team_policy() -> object:
    """What the variable holds, which a request may only tighten."""
    return Variable.get(POLICY_VARIABLE, default_var=None)


def asked(one: Group, sent: Sent, now: datetime, read: Callable[[str], AnySnapshot]) -> CheckedRequest:
    """What was typed, checked; against the selected snapshot, or else the newest. `read`: a snapshot by its ID."""
    snapshot = one.snapshot
    chosen = new_request.text(sent, "snapshot")
    problems: dict[str, str] = {}
    try:
        if chosen not in ("", FRESH):
            snapshot = read(chosen)
            if (snapshot.cluster, snapshot.group_id) != (one.cluster, one.group_id):
                raise InvalidInput("a snapshot of another group was found; select one of this group, or a new one", "snapshot")
    except HoldfastError as problem:
        problems["snapshot"] = problem.problem if isinstance(problem, InvalidInput) else str(problem)
    team = None
    try:
        team = planning.additional_policy(team_policy(), new_request.text(sent, "policy").strip(), now)[2]
    except HoldfastError as problem:
        problems["policy"] = problem.problem if isinstance(problem, InvalidInput) else str(problem)
    found = new_request.asked_for(sent, snapshot, team)
    return CheckedRequest(found.conf, {**found.problems, **problems}, "" if problems else found.sentence)


def new_key(now: datetime) -> str:
    """Part of the ID of the run that a form asks for: whatever is sent twice is one run."""
    return f"{now:%Y%m%dT%H%M%S}_{secrets.token_hex(6)}"


def run_id(key: str, conf: Mapping[str, object]) -> str:
    """The same form with the same content asks for the same run."""
    return f"manual__{key}_{CheckedRequest(conf).said[:8]}"
