"""Airflow connections and command-line options → adapters → workflows. The only module that knows all three."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.errors import ClusterTrouble
from holdfast.ports import Lake
from holdfast.rollout.contract.unknown import Unknown
from holdfast.rollout.group.values import AnySnapshot
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, StateDirectory
from holdfast.rollout.tables.collection_report import CollectionReport
from holdfast.workflows import doctor
from holdfast.workflows.collecting import one_group
from holdfast.workflows.collecting.collect_many import PAUSES_S, Time, Wanted
from holdfast.workflows.collecting.collect_many import collect as collect_many_groups
from holdfast.workflows.collecting.collector import Given, OneGroup
from holdfast.workflows.collecting.observed import Reading
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.collecting.streams import collect
from holdfast.workflows.collecting.streams.settings import GroupSettings
from holdfast.workflows.doctor import Check, Status

if TYPE_CHECKING:
    from holdfast.adapters.deadline import Deadline

DEFAULT_TIMEOUT_S = 60.0
_DIRECTORY_S = 30.0
_SHARE_FOR_REBALANCES = 0.5
"""Of the time limit: how long a collection waits for a rebalance to end."""


def collect_snapshot(
    cluster: ClusterConnection,
    group: str,
    state_dirs: Sequence[str],
    settings: GroupSettings,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> Snapshot:
    """A Snapshot of a live group, within `timeout_s`. `settings` come from `collecting.streams.settings.read`."""
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import KafkaSession
    from holdfast.adapters.deadline import Deadline
    from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories

    deadline = Deadline(timeout_s)
    with KafkaSession(cluster, deadline) as session:
        return collect.snapshot(
            KafkaCluster(session),
            FsspecStateDirectories(deadline),
            Reading(cluster.name, group, tuple(state_dirs), _patience(timeout_s), _now),
            settings,
        )


def collect_any(
    cluster: ClusterConnection,
    group: str,
    state_dirs: Sequence[str],
    given: Given,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> AnySnapshot:
    """A Snapshot of a live group of whichever kind it is, within `timeout_s`.

    Raise InvalidInput for what is given and means nothing for its kind, and all that a collection raises.
    """
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import KafkaSession
    from holdfast.adapters.deadline import Deadline
    from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories

    one_group.refuse_given(group, given)
    deadline = Deadline(timeout_s)
    with KafkaSession(cluster, deadline) as session:
        wanted = OneGroup(cluster.name, group, tuple(state_dirs), _patience(timeout_s), _now, given)
        return one_group.snapshot(KafkaCluster(session), FsspecStateDirectories(deadline), wanted)


def _patience(timeout_s: float) -> Patience:
    return Patience(_SHARE_FOR_REBALANCES * timeout_s)


def _now() -> datetime:
    return datetime.now(UTC)


def collect_many(
    cluster: ClusterConnection,
    wanted: Wanted,
    lake: Lake,
    run_name: str,
    limit_s: float,
    tell: Callable[[str], None],
    *,
    pauses_s: tuple[float, ...] = PAUSES_S,
) -> tuple[CollectionReport, int]:
    """Snapshots of all wanted groups of a cluster into the lake, within `limit_s`; and how many requests that took."""
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import KafkaSession
    from holdfast.adapters.deadline import Deadline

    deadline = Deadline(limit_s)
    with KafkaSession(cluster, deadline) as session:
        reader = KafkaCluster(session, among=lambda group_id: wanted.of(group_id) is not None)
        try:
            report = collect_many_groups(
                reader,
                _ShortlyReadDirectories(deadline),
                lake,
                wanted,
                cluster_name=cluster.name or reader.info().cluster_id,
                run_name=run_name,
                time=Time(limit_s, time.monotonic, time.sleep, lambda: datetime.now(UTC), pauses_s),
                tell=tell,
            )
        finally:
            reader.close()
        return report, reader.requests


@dataclass(frozen=True, slots=True)
class _ShortlyReadDirectories:
    """State directories of many groups: no host is waited for longer than half a minute, a directory."""

    whole: "Deadline"

    def read(self, url: str) -> tuple[StateDirectory, tuple[Unknown, ...]]:
        from holdfast.adapters.deadline import Deadline
        from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories

        return FsspecStateDirectories(Deadline(min(_DIRECTORY_S, self.whole.remaining_s()))).read(url)


def examine(
    cluster: ClusterConnection,
    group: str,
    state_dirs: Sequence[str],
    folders: Sequence[str],
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> tuple[Check, ...]:
    """What is missing to collect, forecast and plan for a group. A cluster that cannot be reached is a check that failed."""
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import SHOWN_CREDENTIALS, KafkaSession
    from holdfast.adapters.deadline import Deadline
    from holdfast.adapters.machine import ThisMachine
    from holdfast.adapters.state_dirs.state_files import FsspecStateDirectories

    deadline = Deadline(timeout_s)
    name = f"cluster {', '.join(cluster.bootstrap_servers)}"
    try:
        with KafkaSession(cluster, deadline) as session:
            reader = KafkaCluster(session)
            found = (
                f"cluster {reader.info().cluster_id}, brokers of {reader.info().broker_version or 'an unknown version'} or later"
            )
            servers = ",".join(cluster.bootstrap_servers)
            seen = (
                (Check("security.protocol", Status.LIMITED, "SASL_PLAINTEXT", SHOWN_CREDENTIALS),)
                if cluster.shows_credentials()
                else ()
            )
            checks = (Check(name, Status.OK, found), *seen, *doctor.examine_group(reader, group, datetime.now(UTC), servers))
    except ClusterTrouble as trouble:
        checks = (Check(name, Status.MISSING, str(trouble), "see the message"),)
    on_disks = doctor.examine_state_directories(FsspecStateDirectories(deadline), tuple(state_dirs))
    return checks + on_disks + doctor.examine_machine(ThisMachine(), tuple(folders))
