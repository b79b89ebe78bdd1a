"""The task of `compare_protocols`. It asks no broker: what it compares for is a snapshot in the lake."""

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from holdfast.airflow_wiring import airflow_objects, planning, runs
from holdfast.airflow_wiring.airflow_objects import POLICY_VARIABLE, lake
from holdfast.airflow_wiring.protocols.form import FIELDS
from holdfast.airflow_wiring.teams import rights
from holdfast.errors import InvalidInput

log = logging.getLogger(__name__)


def compare(run_id: str, params: Mapping[str, Any], requested_by: str | None = None) -> str:
    """Write the comparison, `comparison.json` and `comparison.md`, into the lake. Return their folder. A run compares once: if
    cleared, it returns what is there. `requested_by`: the user who triggered the run.

    Raise InvalidInput for a group without a snapshot, or a snapshot of another one, and as `comparing.compare`.
    """
    from airflow.sdk import Variable

    from holdfast.rollout.kinds.protocols import from_past, words
    from holdfast.rollout.kinds.protocols.comparison import DeployKind
    from holdfast.rollout.policy.policy import Policy
    from holdfast.workflows import snapshots
    from holdfast.workflows.comparing import kept

    cluster, group, name = str(params["cluster"]), str(params["group"]), airflow_objects.slug(run_id)
    rights.refuse_requester(cluster, group, requested_by)
    runs.refuse_secrets(run_id, params)
    store, page = lake(), _page(cluster, group, name)
    if kept.is_kept(store, cluster, group, name):
        log.info("This run has its comparison already: %s. To compare anew, trigger a new run.", page)
        return "/".join(kept.place(cluster, group, name))
    snapshot_id = str(params["snapshot"] or "") or snapshots.latest(store, cluster, group)
    if snapshot_id is None:
        raise InvalidInput("the lake has no snapshot of such a group: have `collect_groups` take one, or give a snapshot's ID")
    snapshot = snapshots.load(store, snapshot_id)
    if (snapshot.cluster, snapshot.group_id) != (cluster, group):
        raise InvalidInput(
            f"this is a snapshot of group {snapshot.group_id!r} of cluster {snapshot.cluster!r}, and the form asks for {group!r} of"
            f" {cluster!r}: give one of that group, or none",
            "snapshot",
        )
    given = {kind: float(params[field]) for kind, field in zip(DeployKind, FIELDS, strict=True) if params[field] is not None}
    limits = planning.limits(Variable.get(POLICY_VARIABLE, default=None), POLICY_VARIABLE)
    policy = Policy() if limits is None else limits.policy
    past = kept.past_of(store, cluster, group)
    found = from_past.compare(snapshot, given, past, policy, int(params["seed"]), int(params["work"]), _tell)
    folder = kept.keep(store, name, found)
    log.info("From %s: %s. %s", snapshot_id, words.headline(found), page)
    return "/".join(folder)


def _tell(protocol: str) -> None:
    log.info("Forecasting deploys under %s", protocol)


def _page(cluster: str, group: str, name: str) -> str:
    return airflow_objects.address(f"/holdfast/protocols?{urlencode({'cluster': cluster, 'group': group, 'comparison': name})}")
