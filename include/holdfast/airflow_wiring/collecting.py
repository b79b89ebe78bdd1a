"""The tasks of `collect_groups`: all groups of all clusters into the lake, what could not be read, and what is old enough to go."""

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from holdfast.airflow_wiring import runs
from holdfast.airflow_wiring.airflow_objects import CLUSTERS_VARIABLE, KEEP_SNAPSHOT_DAYS_VARIABLE, lake, now, slug
from holdfast.airflow_wiring.clusters import hosts, known_cluster
from holdfast.errors import ClusterTrouble, InvalidInput

if TYPE_CHECKING:
    from holdfast.rollout.tables.collection_report import CollectionReport

log = logging.getLogger(__name__)
_NAMED, _LOGGED, _LONGEST = 20, 200, 600
"""Lines in a message, lines in a log, characters in a line: group IDs and reasons come from outside."""


def clusters_to_read(cluster: str | None) -> list[str]:
    """The clusters in `holdfast_clusters`, or the one that is given."""
    from airflow.sdk import Variable

    runs.refuse_secrets("", {"cluster": cluster})  # Airflow keeps what an airflow task hands on, and shows it
    names = Variable.get(CLUSTERS_VARIABLE, default=[], deserialize_json=True) if cluster is None else [cluster]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f'the variable {CLUSTERS_VARIABLE} is not a JSON list of cluster names, like ["prod"]')
    return names


def collect(cluster: str, group: str | None, run_id: str) -> str:
    """Snapshots of the groups that the cluster's connection names, or of one, into the lake. Return the path of the report.

    Run again with the same `run_id` it reads only what it has not read. Raise ClusterTrouble if nothing at all could be read.
    """
    from holdfast import wiring
    from holdfast.rollout.text.format import printable
    from holdfast.workflows.collecting import collect_runs
    from holdfast.workflows.collecting.collect_many import Wanted

    runs.refuse_secrets("", {"group": group})
    known = known_cluster(cluster)
    wanted = known.wanted
    if group is not None:
        about = wanted.of(group)
        if about is None:
            raise InvalidInput(f"the connection of cluster {cluster!r} does not name the group {group!r}: name it, or a pattern")
        wanted = Wanted({group: about})
    report, requests = wiring.collect_many(
        known.connection, wanted, lake(), slug(run_id), known.seconds, log.info, hosts=hosts(known)
    )
    stored = "/".join(collect_runs.place(report))
    log.info("%s: %d of %d groups in %.1f s, with %d requests", cluster, report.taken, report.groups, report.seconds, requests)
    for what, number in report.left_out:
        log.info("%s: %d groups that match a pattern are left out: %s", cluster, number, printable(what))
    for one in report.unread[:_LOGGED]:
        log.warning("%s: %s", cluster, printable(f"{one.group_id}: {one.why}: {one.problem}", _LONGEST))
    if len(report.unread) > _LOGGED:
        log.warning("%s: and %d more, all in %s", cluster, len(report.unread) - _LOGGED, stored)
    if report.unread and not report.taken:
        raise ClusterTrouble(f"no group of {cluster} could be read; the first one: {report.unread[0].problem}")
    return stored


def _reports(cluster: str | None, run_id: str) -> list["CollectionReport"]:
    """Of a run: those that are there, one a cluster."""
    from holdfast.workflows.collecting import collect_runs

    found = (collect_runs.report_of(lake(), name, slug(run_id)) for name in clusters_to_read(cluster))
    return [one for one in found if one is not None]


def days_of(cluster: str | None, run_id: str) -> list[str]:
    """The days of all the snapshots of a run. Skip what follows if there are none."""
    from airflow.sdk.exceptions import AirflowSkipException

    found = {day for report in _reports(cluster, run_id) for day in report.days}
    if not found:
        raise AirflowSkipException("there is no group to read: the connections' `groups` name them")
    return sorted(found)


def say_what_is_missing(cluster: str | None, run_id: str) -> None:
    """Fail if a group that should have been read was not, or a broker did not say which groups it has."""
    from airflow.sdk.exceptions import AirflowFailException

    from holdfast.rollout.tables.collection_report import Why
    from holdfast.rollout.text.format import printable

    found = _reports(cluster, run_id)
    unread = [
        f"{report.cluster}: {one.group_id}: {one.problem}" for report in found for one in report.unread if one.why is Why.NOT_READ
    ]
    texts = [f"{report.cluster}: {line}" for report in found for line in report.unlisted] + unread
    if texts:
        lines = [printable(text, _LONGEST) for text in texts[:_NAMED]]
        more = [f"and {len(texts) - _NAMED} more"] if len(texts) > _NAMED else []
        raise AirflowFailException("\n".join([f"groups that were not read: {len(unread)}", *lines, *more]))


def forget() -> int:
    """Delete raw snapshots older than the variable says, if it says anything; return how many days of clusters went."""
    from airflow.sdk import Variable
    from airflow.sdk.exceptions import AirflowSkipException

    from holdfast.workflows.collecting import retention

    text = Variable.get(KEEP_SNAPSHOT_DAYS_VARIABLE, default=None)
    if text is None:
        raise AirflowSkipException(f"raw snapshots are kept: the variable {KEEP_SNAPSHOT_DAYS_VARIABLE} is not set")
    if not str(text).isdigit() or not 1 <= int(text) <= 36_500:
        raise InvalidInput(f"the variable {KEEP_SNAPSHOT_DAYS_VARIABLE} is not a number of days from 1 to 36500")
    before = (now() - timedelta(days=int(text))).date().isoformat()
    gone = retention.forget(lake(), before)
    for line in gone:
        log.info("%s", line)
    return len(gone)
