"""What the doctor finds about a Streams group whose broker assigns: release, topology, members, group configs; with what to do."""

import shlex
from collections.abc import Iterator, Mapping

from holdfast.errors import ClusterTrouble, Unsupported
from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, DEFAULTS, SESSION_TIMEOUT, STANDBYS, number_of
from holdfast.kafka.coordinator.release import behaviour, known, minor_of
from holdfast.kafka.wire.streams_group_description import DescribedGroup
from holdfast.ports import ClusterReader, ObservedGroup
from holdfast.workflows.collecting.collector import Advice

LONGEST_INTERVAL_MS = 15_000
"""`streams.assignment.interval.ms` may not be longer."""


def advice(cluster: ClusterReader, observed: ObservedGroup, servers: str) -> Iterator[Advice]:
    group = observed.described
    if group is None or not group.members:
        return
    release = None if observed.metadata_version is None else minor_of(observed.metadata_version)
    yield _release(release)
    yield from _topology(group)
    yield from _members(group)
    try:
        config = {one.name: one.value for one in cluster.group_configs(group.group_id)}
    except ClusterTrouble:
        return  # the check of the right says so
    yield from _configs(group, config, release, servers)


def _release(release: str | None) -> Advice:
    name = "release of the coordinator"
    if release is None:
        return Advice(name, "unknown: its metadata.version is none of those known", "give --broker-release to holdfast snapshot")
    try:
        behaviour(release)
    except Unsupported as refusal:
        return Advice(name, str(refusal), "upgrade the brokers to Kafka 4.2.1 or later", stops=True)
    return Advice(name, release)


def _topology(group: DescribedGroup) -> Iterator[Advice]:
    name = f"topology of {group.group_id}"
    if group.topology is None or group.topology.subtopologies is None:
        yield Advice(
            name,
            f"not ready (the group is {group.state}): source or internal topics are missing, or have other numbers of partitions"
            " than it needs; the coordinator assigns nothing",
            "create or repair the topics that the application's log names",
            stops=True,
        )
    elif others := sum(one.topology_epoch != group.topology.epoch for one in group.members):
        yield Advice(
            name,
            f"{others} of {len(group.members)} members have another topology epoch than the group: they are of another version of"
            " the application",
            "finish its roll-out, or roll it back",
        )


def _members(group: DescribedGroup) -> Iterator[Advice]:
    name = f"members of {group.group_id}"
    if bare := sum(not one.process_id for one in group.members):
        found = f"{bare} of {len(group.members)} report no process ID: a target cannot be predicted"
        yield Advice(name, found, "run holdfast doctor again when all clients have started", stops=True)
    if static := sum(one.instance_id is not None for one in group.members):
        found = f"{static} of {len(group.members)} are static: their restarts are not forecast"
        yield Advice(name, found, "leave group.instance.id out, or forecast other changes only")


def _configs(group: DescribedGroup, config: Mapping[str, str], release: str | None, servers: str) -> Iterator[Advice]:
    clients = len({one.process_id for one in group.members})
    subtopologies = () if group.topology is None else group.topology.subtopologies or ()
    if any(one.changelog_topics for one in subtopologies):
        yield _standbys(group, number_of(config, STANDBYS), clients, servers)
    yield _session(group, number_of(config, SESSION_TIMEOUT), servers)
    line = None if release is None else known(release)
    if line is not None and line.has_interval:
        yield _interval(group, number_of(config, ASSIGNMENT_INTERVAL), servers)


def _standbys(group: DescribedGroup, replicas: int, clients: int, servers: str) -> Advice:
    if not replicas:
        found = "0: a client that stops hands its stateful tasks to clients that restore them from the changelogs"
        return Advice(STANDBYS, found, _set(group, STANDBYS, 1, servers))
    if replicas >= clients:
        found = f"{replicas}: there are only {clients} clients, and no client has two copies of a task"
        less = _set(group, STANDBYS, clients - 1, servers)
        return Advice(STANDBYS, found, f"run {replicas + 1} clients or more, or lower it:\n{less}")
    return Advice(STANDBYS, f"{replicas}")


def _session(group: DescribedGroup, milliseconds: int, servers: str) -> Advice:
    found = f"{milliseconds / 1000:g} s: tasks have no owner for that long when a client ends without leaving"
    usual = DEFAULTS[SESSION_TIMEOUT]
    return Advice(SESSION_TIMEOUT, found, _set(group, SESSION_TIMEOUT, usual, servers) if milliseconds > usual else "")


def _interval(group: DescribedGroup, milliseconds: int, servers: str) -> Advice:
    if milliseconds >= LONGEST_INTERVAL_MS:
        return Advice(ASSIGNMENT_INTERVAL, f"{milliseconds / 1000:g} s")
    found = (
        f"{milliseconds / 1000:g} s: a client that restarts is away for longer, so that its tasks move to others, and tasks move"
        " again when it is back"
    )
    longer = _set(group, ASSIGNMENT_INTERVAL, LONGEST_INTERVAL_MS, servers)
    back = f"{_alter(group, servers)} --delete-config {ASSIGNMENT_INTERVAL}"
    return Advice(ASSIGNMENT_INTERVAL, found, f"for the time of a roll-out, raise it, then restore it:\n{longer}\n{back}")


def _set(group: DescribedGroup, key: str, value: int, servers: str) -> str:
    return f"{_alter(group, servers)} --add-config {key}={value}"


def _alter(group: DescribedGroup, servers: str) -> str:
    where = f"--bootstrap-server {shlex.quote(servers)}"
    return f"kafka-configs.sh {where} --alter --entity-type groups --entity-name {shlex.quote(group.group_id)}"
