"""Airflow connections and command-line options → adapters → workflows. The only module that knows all three."""

from collections.abc import Sequence
from datetime import UTC, datetime

from holdfast.adapters.connection import ClusterConnection
from holdfast.rollout.snapshot import Snapshot
from holdfast.workflows import collect
from holdfast.workflows.settings import GroupSettings

DEFAULT_TIMEOUT_S = 60.0
_SHARE_FOR_REBALANCES = 0.5
"""Of the time limit: how long a collection waits for a rebalance to end."""


def collect_snapshot(
    cluster: ClusterConnection,
    group: str,
    state_dirs: Sequence[str],
    settings: GroupSettings,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> Snapshot:
    """A Snapshot of a live group, within `timeout_s`. `settings` come from `workflows.settings.read`."""
    from holdfast.adapters.deadline import Deadline
    from holdfast.adapters.kafka_cluster import KafkaCluster
    from holdfast.adapters.session import KafkaSession
    from holdfast.adapters.state_files import FsspecStateDirectories

    deadline = Deadline(timeout_s)
    with KafkaSession(cluster, deadline) as session:
        return collect.snapshot(
            KafkaCluster(session),
            FsspecStateDirectories(deadline),
            cluster_name=cluster.name,
            group_id=group,
            state_dirs=tuple(state_dirs),
            settings=settings,
            patience=collect.Patience(_SHARE_FOR_REBALANCES * timeout_s),
            now=lambda: datetime.now(UTC),
        )
