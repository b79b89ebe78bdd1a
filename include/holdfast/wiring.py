"""Airflow connections and command-line options → adapters → workflows. The only module that knows all three."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from holdfast.adapters.broker.connection import ClusterConnection
from holdfast.errors import ClusterTrouble, HoldfastError
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import GroupConfigs, Lake, ProcessMetadataFiles, ReadDirectory, StateDirectoryReader
from holdfast.rollout.disks.host_templates import Hosts
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.journal.seal import NO_KEYS, SigningKeys
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.tables.collection_report import CollectionReport
from holdfast.workflows import doctor, seed_places
from holdfast.workflows.collecting import one_group
from holdfast.workflows.collecting.collect_many import PAUSES_S, Time, Wanted
from holdfast.workflows.collecting.collect_many import collect as collect_many_groups
from holdfast.workflows.collecting.collector import OneGroup, StatedByOperator
from holdfast.workflows.collecting.observed import Reading
from holdfast.workflows.collecting.settling import Patience
from holdfast.workflows.collecting.streams import collect
from holdfast.workflows.collecting.streams.settings import GroupSettings
from holdfast.workflows.doctor import Check, CheckStatus
from holdfast.workflows.seed_places import PodsOfTemplates

T = TypeVar("T")

if TYPE_CHECKING:
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.recorded_groups import Spool
    from holdfast.adapters.deadline import Deadline
    from holdfast.adapters.hosts.kubernetes.clusters import Clusters
    from holdfast.adapters.hosts.kubernetes.connection import Access
    from holdfast.adapters.hosts.ssh_places import SshPlaces
    from holdfast.adapters.hosts.ssh_settings import SshSettings
    from holdfast.adapters.hosts.state_directories import Reach
    from holdfast.rollout.backtest.results import Given
    from holdfast.workflows.backtest import Found
    from holdfast.workflows.pasts import Kept

    Journals = tuple[Lake, SigningKeys]  # the lake of a cluster's plans, and the keys that its journals are trusted by

DEFAULT_TIMEOUT_S = 60.0
_DIRECTORY_S = 30.0
_SHARE_FOR_REBALANCES = 0.5
"""Of the time limit: how long a collection waits for a rebalance to end."""


@dataclass(frozen=True, slots=True)
class HostAccess:
    """How hosts are reached, by what their URLs name. None: as the user of this machine reaches them (kubeconfig, OpenSSH)."""

    kubernetes: "Callable[[str], Access] | None" = None
    ssh: "SshSettings | None" = None


HERE = HostAccess()


def state_directories(deadline: "Deadline", answer_s: float | None = None, hosts: HostAccess = HERE) -> StateDirectoryReader:
    """Whatever kind of URL they have. `answer_s`: what one host, or one directory, is waited for at most."""
    from holdfast.adapters.hosts.kubernetes import clusters
    from holdfast.adapters.hosts.state_directories import StateDirectories

    expands = {clusters.SCHEME: _pods(deadline, hosts).expanded}
    return StateDirectories(deadline, _reaches(deadline, hosts), expands, answer_s=answer_s)


DirectoryAnswer = ReadDirectory | HoldfastError
"""What a directory holds, or why it could not be read."""


def read_directories(
    urls: Sequence[str], timeout_s: float = DEFAULT_TIMEOUT_S, hosts: HostAccess = HERE
) -> tuple[tuple[str, DirectoryAnswer], ...]:
    """Each state directory that the URLs name, in order; templates have become the URLs that they stand for."""
    from holdfast.adapters.deadline import Deadline

    return tuple(state_directories(Deadline(timeout_s), hosts=hosts).read_many(urls).items())


def public_url(url: str) -> str:
    """The URL of a state directory without user, password and parameters."""
    from holdfast.adapters.state_dirs import state_files

    return state_files.public_url(url)


def process_metadata_files(timeout_s: float | None = None, hosts: HostAccess = HERE) -> ProcessMetadataFiles:
    """Of directories on this machine and on hosts. `timeout_s`: for each look at one and each script there; None: the usual."""
    from holdfast.adapters.deadline import Deadline
    from holdfast.adapters.hosts.kubernetes import clusters
    from holdfast.adapters.hosts.process_metadata import HostProcessMetadataFiles
    from holdfast.adapters.state_dirs.process_metadata import LIMIT_S, LocalProcessMetadataFiles

    pods_s, limit_s = (DEFAULT_TIMEOUT_S, LIMIT_S) if timeout_s is None else (timeout_s, timeout_s)
    reaches = dict(_reaches(Deadline(pods_s), hosts))
    reaches[clusters.SCHEME] = lambda url: _pods(Deadline(pods_s), hosts).place(url)
    return HostProcessMetadataFiles(reaches, LocalProcessMetadataFiles(limit_s), limit_s)


def pods_of_templates(hosts: HostAccess = HERE, timeout_s: float = DEFAULT_TIMEOUT_S) -> PodsOfTemplates:
    """Whether a template stands for the pod of a URL, and for how many more than its workload has."""
    from holdfast.adapters.deadline import Deadline

    return lambda template, url, more: _pods(Deadline(timeout_s), hosts).stands_for(template, url, more)


def _reaches(deadline: "Deadline", hosts: HostAccess) -> "Mapping[str, Reach]":
    from holdfast.adapters.hosts import ssh_places
    from holdfast.adapters.hosts.kubernetes import clusters

    return {clusters.SCHEME: _pods(deadline, hosts).place, ssh_places.SCHEME: _ssh(hosts).place}


def _ssh(hosts: HostAccess) -> "SshPlaces":
    from holdfast.adapters.hosts.ssh_places import SshPlaces
    from holdfast.adapters.hosts.ssh_settings import SshSettings

    return SshPlaces(hosts.ssh or SshSettings())


def _pods(deadline: "Deadline", hosts: HostAccess) -> "Clusters":
    from holdfast.adapters.hosts.kubernetes.clusters import Clusters
    from holdfast.adapters.hosts.kubernetes.connection import Access

    return Clusters(hosts.kubernetes or Access.of_context, deadline)


def seed_files(plan: AnyPlan, snapshot: AnySnapshot, url: str, hosts: HostAccess = HERE) -> dict[str, str]:
    """The plan's process IDs as files for GitOps, by name; none where the plan writes none. `url`: a StatefulSet's directories."""
    from holdfast.adapters.deadline import Deadline

    writes = seed_places.writes_of(plan)
    known = {one.process_id: one.url for one in getattr(snapshot, "state_directories", ()) if one.process_id is not None}
    return _pods(Deadline(DEFAULT_TIMEOUT_S), hosts).seed_files(url, writes, known) if writes else {}


def directories_in_pods(plan: AnyPlan, url: str, hosts: HostAccess = HERE) -> dict[ProcessId, str]:
    """Where each process ID of the plan is written, by a StatefulSet's template: the volumes say which pod is which client.

    Raise InvalidInput where that is unclear, HostTrouble.
    """
    from holdfast.adapters.deadline import Deadline

    known = {
        answer[0].process_id: one
        for one, answer in read_directories((url,), hosts=hosts)
        if not isinstance(answer, HoldfastError) and answer[0].process_id is not None
    }
    return _pods(Deadline(DEFAULT_TIMEOUT_S), hosts).directories(url, seed_places.writes_of(plan), known)


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

    deadline = Deadline(timeout_s)
    with KafkaSession(cluster, deadline) as session:
        return collect.snapshot(
            KafkaCluster(session),
            state_directories(deadline),
            Reading(cluster.name, group, tuple(state_dirs), _patience(timeout_s), _now),
            settings,
        )


def collect_any(
    cluster: ClusterConnection,
    group: str,
    state_dirs: Sequence[str],
    given: StatedByOperator,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    hosts: HostAccess = HERE,
) -> AnySnapshot:
    """A Snapshot of a live group of whichever kind it is, within `timeout_s`.

    Raise InvalidInput for what is given and means nothing for its kind, and all that a collection raises.
    """
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import KafkaSession
    from holdfast.adapters.deadline import Deadline

    one_group.refuse_given(group, given)
    deadline = Deadline(timeout_s)
    with KafkaSession(cluster, deadline) as session:
        wanted = OneGroup(cluster.name, group, tuple(state_dirs), _patience(timeout_s), _now, given)
        return one_group.snapshot(KafkaCluster(session), state_directories(deadline, hosts=hosts), wanted)


def backtest(
    cluster: ClusterConnection,
    group: str | None,
    given: "Given",
    timeout_s: float,
    processes: int | None,
    tell: Callable[[str], None],
    journals: "Journals | None" = None,
) -> "Found":
    """Past rebalances of one group, or of all (None), decided again. `timeout_s`: for reading the cluster, which may raise
    ClusterTrouble; `journals`: None: when rollouts stopped members is unknown."""
    from holdfast.adapters.broker import recorded_groups
    from holdfast.rollout.json import instants
    from holdfast.workflows import backtest as backtests
    from holdfast.workflows import pasts

    with recorded_groups.spool((lambda _: True) if group is None else group.__eq__) as past:
        tell("reading __consumer_offsets")
        name, known = _read_past(cluster, past, group, timeout_s, journals)
        if journals is not None and not pasts.has_rollouts(journals[0], name):
            tell(f"the lake has no rollout of a cluster {name!r}, so no journal is read; --cluster gives its name there")
        about = backtests.About(name, instants.to_second(_now()), given.since)
        return backtests.run(past, lambda group_id: known(group_id, given), about, processes, tell)


def keep_past(
    cluster: ClusterConnection, wanted: Wanted, lake: Lake, day: str, timeout_s: float, keys: SigningKeys = NO_KEYS
) -> "Kept":
    """What `__consumer_offsets` still holds of the wanted groups, into the lake, as of `day`; and when rollouts stopped members, by
    the journals there. Raise ClusterTrouble."""
    from holdfast.adapters.broker import recorded_groups
    from holdfast.rollout.backtest.results import Given
    from holdfast.rollout.json import instants
    from holdfast.workflows import pasts

    with recorded_groups.spool(lambda group_id: wanted.of(group_id) is not None) as past:
        name, known = _read_past(cluster, past, None, timeout_s, (lake, keys))

        def given_of(group_id: str) -> Given:
            about = wanted.of(group_id)
            return known(group_id, Given() if about is None else pasts.stated(group_id, about.given))

        return pasts.keep(lake, pasts.When(name, day, instants.to_second(_now())), past, given_of)


def _read_past(
    cluster: ClusterConnection, past: "Spool", group: str | None, timeout_s: float, journals: "Journals | None"
) -> tuple[str, "Callable[[str, Given], Given]"]:
    """Read records into `past`. The cluster's name, and a function that adds to what is stated of a group what is known of it."""
    from dataclasses import replace

    from holdfast.adapters.broker import recorded_groups
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import KafkaSession
    from holdfast.adapters.deadline import Deadline
    from holdfast.workflows import backtest as backtests
    from holdfast.workflows import pasts

    with KafkaSession(cluster, Deadline(timeout_s)) as session:
        recorded_groups.read(session, past, group)
        reader = KafkaCluster(session, past.wanted)
        ends = backtests.changelog_ends(reader, sorted({one.group_id for one in past.groups}))
        configs = backtests.group_configs(reader, sorted({one.group_id for one in past.groups if one.coordinated}))
        name, newest = cluster.name or reader.info().cluster_id, reader.newest_release()

    def known(group_id: str, given: "Given") -> "Given":
        stopped = () if journals is None else pasts.stops(journals[0], (name, group_id), journals[1])
        there = replace(given, changelogs=ends.get(group_id, ()), brokers_newest=newest)
        return replace(there, group_configs=configs.get(group_id, ()), stopped=stopped)

    return name, known


def lag(cluster: ClusterConnection, group: str, timeout_s: float) -> int | None:
    """How many records the group has not committed, in all partitions that it has committed for. None: unknown for one of them."""
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import KafkaSession
    from holdfast.adapters.deadline import Deadline

    with KafkaSession(cluster, Deadline(timeout_s)) as session:
        reader = KafkaCluster(session)
        committed = dict(reader.committed_offsets(group))
        ends = dict(reader.end_offsets(tuple(sorted(committed)))[0])
    if any(partition not in ends for partition in committed):
        return None
    return sum(max(0, ends[partition] - offset) for partition, offset in committed.items())


@dataclass(frozen=True, slots=True)
class ClusterGroupSettings:
    """The port `GroupSettings`: each call has a connection of its own, for `timeout_s` at most."""

    cluster: ClusterConnection
    timeout_s: float

    def group_configs(self, group_id: str) -> GroupConfigs:
        return self._with(lambda reader: reader.group_configs(group_id))

    def alter_group_configs(self, group_id: str, settings: Mapping[str, str | None]) -> None:
        self._with(lambda reader: reader.alter_group_configs(group_id, settings))

    def _with(self, ask: "Callable[[KafkaCluster], T]") -> T:
        from holdfast.adapters.broker.kafka_cluster import KafkaCluster
        from holdfast.adapters.broker.session import KafkaSession
        from holdfast.adapters.deadline import Deadline

        with KafkaSession(self.cluster, Deadline(self.timeout_s)) as session:
            return ask(KafkaCluster(session))


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
    hosts: HostAccess = HERE,
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
                state_directories(deadline, _DIRECTORY_S, hosts),
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


def examine(
    cluster: ClusterConnection,
    group: str,
    state_dirs: Sequence[str],
    folders: Sequence[str],
    timeout_s: float = DEFAULT_TIMEOUT_S,
    hosts: HostAccess = HERE,
) -> tuple[Check, ...]:
    """What is missing to collect, forecast and plan for a group. A cluster that cannot be reached is a check that failed."""
    from holdfast.adapters.broker.kafka_cluster import KafkaCluster
    from holdfast.adapters.broker.session import SHOWN_CREDENTIALS, KafkaSession
    from holdfast.adapters.deadline import Deadline

    deadline, named = Deadline(timeout_s), Hosts(())
    name = f"cluster {', '.join(cluster.bootstrap_servers)}"
    try:
        with KafkaSession(cluster, deadline) as session:
            reader = KafkaCluster(session)
            found = (
                f"cluster {reader.info().cluster_id}, brokers of {reader.info().broker_version or 'an unknown version'} or later"
            )
            servers, named = ",".join(cluster.bootstrap_servers), doctor.hosts_of(reader, group)
            seen = (
                (Check("security.protocol", CheckStatus.LIMITED, "SASL_PLAINTEXT", SHOWN_CREDENTIALS),)
                if cluster.shows_credentials()
                else ()
            )
            checks = (Check(name, CheckStatus.OK, found), *seen, *doctor.examine_group(reader, group, datetime.now(UTC), servers))
    except ClusterTrouble as trouble:
        checks = (Check(name, CheckStatus.MISSING, str(trouble), "see the message"),)
    if named.names or named.no_names:
        checks += doctor.examine_host_names(named)
        state_dirs = tuple(one for url in state_dirs for one in named.expanded(url))
    return checks + examine_places(state_dirs, folders, deadline, hosts)


def examine_places(
    state_dirs: Sequence[str], folders: Sequence[str], deadline: "Deadline", hosts: HostAccess = HERE
) -> tuple[Check, ...]:
    """What is missing on hosts, in Kubernetes and on this machine. That needs no cluster."""
    from holdfast.adapters.machine import ThisMachine

    on_disks = doctor.examine_state_directories(state_directories(deadline, hosts=hosts), tuple(state_dirs))
    rights = doctor.examine_hosts((*_pods(deadline, hosts).rights(state_dirs), *_ssh(hosts).rights(state_dirs)))
    return rights + on_disks + doctor.examine_machine(ThisMachine(), tuple(folders))
