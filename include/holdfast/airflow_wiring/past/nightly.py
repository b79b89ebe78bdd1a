"""The tasks of `backtest_groups`."""

import logging
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from holdfast.airflow_wiring.airflow_objects import lake
from holdfast.airflow_wiring.clusters import known_cluster
from holdfast.airflow_wiring.signing import signing_keys

log = logging.getLogger(__name__)
_LOGGED, _LONGEST = 100, 600
"""Lines in a log, characters in a line: group IDs come from outside."""


def day_of(context: Mapping[str, Any]) -> str:
    """The UTC day of the run: what is read and judged is filed under it, however long that takes."""
    return str(context["dag_run"].run_after.astimezone(UTC).date().isoformat())


def about_day(context: Mapping[str, Any]) -> list[str]:
    """The parameters of the job."""
    return ["--days", day_of(context)]


def keep_past(cluster: str, day: str) -> int:
    """What the brokers still know of past rebalances of the groups that the cluster's connection names, into the lake, within its
    `collect_seconds`. Return how many files were written. Raise ClusterTrouble where it cannot be read."""
    from holdfast import wiring
    from holdfast.rollout.text.format import printable

    known = known_cluster(cluster)
    kept = wiring.keep_past(known.connection, known.wanted, lake(), day, known.seconds, signing_keys())
    log.info("%s: the past of %d groups", cluster, kept.files)
    for one in kept.left_out[:_LOGGED]:
        log.warning("%s: %s", cluster, printable(one, _LONGEST))
    return kept.files
