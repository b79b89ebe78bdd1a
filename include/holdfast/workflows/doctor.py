"""What is missing to collect a group, forecast its rebalances and plan for it: permissions, Java, Spark, folders."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from holdfast.errors import HoldfastError
from holdfast.ports import ClusterReader, HostRights, Machine, ObservedGroup, StateDirectoryReader
from holdfast.rollout.disks.host_templates import Hosts
from holdfast.rollout.kinds.registry import called, keeps_state
from holdfast.rollout.streams.snapshot import churn
from holdfast.rollout.text.format import printable
from holdfast.workflows.collecting import registry
from holdfast.workflows.collecting.collector import Advice
from holdfast.workflows.collecting.settling import PROTOCOL_TYPE

OFFSETS_TOPIC = "__consumer_offsets"
LEAST_JAVA = 17
_TOPICS_A_LINE, _MOST_TOPICS = 10, 100


class CheckStatus(StrEnum):
    """`MISSING` stops the work; `LIMITED` leaves something out of it."""

    OK = "ok"
    LIMITED = "limited"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `remedy` is empty where there is nothing to do."""

    name: str
    status: CheckStatus
    found: str
    remedy: str = ""


def examine_group(
    cluster: ClusterReader, group_id: str, now: datetime | None = None, servers: str = "HOST:PORT"
) -> tuple[Check, ...]:
    """The group and the rights on it, its topics, the broker's own offsets topic, and whether a client dies again and again.

    `now`: when this is asked; None: right after the group's newest rebalance. `servers`: what the commands name as the brokers.
    """
    checks = [_group_right(cluster, group_id, servers)]
    sources: tuple[str, ...] = ()
    advised: list[Check] = []
    collector = registry.COLLECTORS[0]
    try:
        group = cluster.group(group_id)
        checks.append(_group(group))
        collector = registry.collector_of(group)
        if collector.reads_configs:
            checks += [_configs_right(cluster, group_id, servers), _sets_right(cluster, group_id, servers)]
        sources = collector.topics(group)
        advised = [_advised(one) for one in collector.advice(cluster, group, servers)]
    except HoldfastError as trouble:
        checks.append(Check(f"group {group_id}", CheckStatus.MISSING, str(trouble), "see the message"))
    checks.append(_topic_rights(cluster, group_id, sources, servers, keeps_state=keeps_state(collector.kind)))
    checks.append(_offsets_right(cluster, servers, collector.without_offsets))
    checks.extend(advised)
    checks.extend(_churn(cluster, group_id, now))
    checks.append(_cluster_right(cluster, servers))
    return tuple(checks)


def examine_machine(machine: Machine, folders: tuple[str, ...]) -> tuple[Check, ...]:
    """Java, Spark, and the folders or URLs that are to be written to."""
    java = machine.java_major()
    spark = machine.package_version("pyspark")
    checks = [
        Check("Java", CheckStatus.OK, f"Java {java}")
        if java is not None and java >= LEAST_JAVA
        else Check(
            "Java",
            CheckStatus.LIMITED,
            "no Java" if java is None else f"Java {java}",
            f"Spark needs Java {LEAST_JAVA} or newer (Debian: default-jre-headless); the command line works without it",
        ),
        Check("Spark", CheckStatus.OK, f"pyspark {spark}")
        if spark
        else Check(
            "Spark", CheckStatus.LIMITED, "no pyspark", "needed by the DAGs: run bin/setup; the command line works without it"
        ),
    ]
    for folder in folders:
        problem = machine.folder_problem(folder)
        checks.append(
            Check(
                f"folder {folder}", CheckStatus.MISSING, f"cannot be written to: {problem}", "create it, or grant write permission"
            )
            if problem
            else Check(f"folder {folder}", CheckStatus.OK, "can be written to")
        )
    return tuple(checks)


def examine_state_directories(disks: StateDirectoryReader, urls: tuple[str, ...]) -> tuple[Check, ...]:
    """Each state directory, read as a collection would."""
    answers = disks.read_many(urls) if urls else {}
    checks = []
    for number, answer in enumerate(answers.values(), 1):
        if isinstance(answer, HoldfastError):
            checks.append(
                Check(f"state directory {number}", CheckStatus.LIMITED, str(answer), "grant read permission, or leave it out")
            )
            continue
        directory, unknown = answer
        status = CheckStatus.LIMITED if unknown else CheckStatus.OK
        found = "; ".join(each.reason for each in unknown) or f"process {directory.process_id}, {len(directory.tasks)} tasks"
        checks.append(Check(f"state directory {directory.url}", status, found, "see the message" if unknown else ""))
    return tuple(checks)


def hosts_of(cluster: ClusterReader, group_id: str) -> Hosts:
    """Of the group's members, as the broker sees them; none, where it cannot be described."""
    try:
        group = cluster.group(group_id)
    except HoldfastError:
        return Hosts(())
    return Hosts.of(group.hosts)


def examine_host_names(found: Hosts) -> tuple[Check, ...]:
    """What brokers report as members' hosts and is none: {host} does not stand for it."""
    if not found.no_names:
        return ()
    shown = ", ".join(repr(printable(one, 100)) for one in found.no_names[:5])
    return (
        Check("hosts of the members", CheckStatus.LIMITED, f"not a host name: {shown}", "check which clients these members are"),
    )


def examine_hosts(found: tuple[HostRights, ...]) -> tuple[Check, ...]:
    """The rights on hosts, where those have rights of their own."""
    return tuple(
        Check(f"right: {one.shown}", CheckStatus.LIMITED, one.trouble, one.remedy)
        if one.trouble is not None
        else Check(f"right: {one.shown}", CheckStatus.LIMITED, f"not granted: {', '.join(one.lacking)}", one.remedy)
        if one.lacking
        else Check(f"right: {one.shown}", CheckStatus.OK, "granted")
        for one in found
    )


def _group_right(cluster: ClusterReader, group_id: str, servers: str) -> Check:
    name = f"right: DESCRIBE on the group {group_id}"
    if "DESCRIBE" in cluster.group_rights(group_id):
        return Check(name, CheckStatus.OK, "granted")
    return Check(
        name, CheckStatus.MISSING, "not granted, or no such group", _acl(servers, "Describe", f"--group {shlex.quote(group_id)}")
    )


def _group(group: ObservedGroup) -> Check:
    """Whether it can be collected. A group without members is of the kind that its protocol type leaves open."""
    name = f"group {group.group_id}"
    if registry.owner_of(group) is not None and group.size:
        return Check(name, CheckStatus.OK, f"{group.state}, {group.size} members")
    if group.members or (registry.owner_of(group) is None and group.protocol_type not in (PROTOCOL_TYPE, "")):
        kind = group.protocol or group.protocol_type
        covered = " or ".join(called(one.kind) for one in registry.COLLECTORS)
        return Check(name, CheckStatus.MISSING, f"{group.state}, of a kind that is not covered ({kind!r})", f"give {covered}")
    return Check(name, CheckStatus.LIMITED, f"{group.state}: no member is running", "start the application")


def _advised(one: Advice) -> Check:
    status = CheckStatus.MISSING if one.stops else CheckStatus.LIMITED if one.remedy else CheckStatus.OK
    return Check(one.name, status, one.found, one.remedy)


def _configs_right(cluster: ClusterReader, group_id: str, servers: str) -> Check:
    without = "the group's configs are unknown, among them the number of standby replicas"
    return _optional_right(cluster, group_id, servers, "DESCRIBE_CONFIGS", "DescribeConfigs", without)


def _sets_right(cluster: ClusterReader, group_id: str, servers: str) -> Check:
    without = "a run cannot set the group's configs (set_config in the policy's acts)"
    return _optional_right(cluster, group_id, servers, "ALTER_CONFIGS", "AlterConfigs", without)


def _optional_right(cluster: ClusterReader, group_id: str, servers: str, right: str, operation: str, without: str) -> Check:
    """`operation`: the right as kafka-acls.sh names it; `without`: what is so where it is not granted."""
    name = f"right: {right} on the group {group_id} (optional)"
    if right in cluster.group_rights(group_id):
        return Check(name, CheckStatus.OK, "granted")
    remedy = _acl(servers, operation, f"--group {shlex.quote(group_id)}")
    return Check(name, CheckStatus.LIMITED, f"not granted: {without}", remedy)


def _topic_rights(cluster: ClusterReader, group_id: str, sources: tuple[str, ...], servers: str, *, keeps_state: bool) -> Check:
    name = f"right: DESCRIBE on the topics {group_id}-* and the source topics"
    own = cluster.topic_names(f"{group_id}-")
    wanted = tuple(sorted(dict.fromkeys(own + sources)))
    lacking = [topic for topic, rights in cluster.topic_rights(wanted) if "DESCRIBE" not in rights]
    remedy = _describe_topics(group_id, [topic for topic in lacking if not topic.startswith(f"{group_id}-")], servers)
    if lacking:
        return Check(name, CheckStatus.MISSING, f"not granted, or missing: {', '.join(map(repr, lacking[:5]))}", remedy)
    if keeps_state and not any(topic.endswith("-changelog") for topic in own):
        return Check(
            name,
            CheckStatus.LIMITED,
            f"no topic {group_id}-…-changelog is visible: none exists, or the permission is missing",
            remedy,
        )
    return Check(name, CheckStatus.OK, f"granted on {len(wanted)} topics")


def _describe_topics(group_id: str, sources: Sequence[str], servers: str) -> str:
    """A command a line: the application's own topics by their prefix, source topics by name."""
    prefixed = f"--topic {shlex.quote(f'{group_id}-')} --resource-pattern-type prefixed"
    some = [sources[at : at + _TOPICS_A_LINE] for at in range(0, min(len(sources), _MOST_TOPICS), _TOPICS_A_LINE)]
    named = (" ".join(f"--topic {shlex.quote(topic)}" for topic in topics) for topics in some)
    return "\n".join(_acl(servers, "Describe", which) for which in (prefixed, *named))


def _offsets_right(cluster: ClusterReader, servers: str, missing: str) -> Check:
    name = f"right: READ on {OFFSETS_TOPIC} (optional)"
    if "READ" in dict(cluster.topic_rights((OFFSETS_TOPIC,))).get(OFFSETS_TOPIC, frozenset()):
        return Check(name, CheckStatus.OK, "granted")
    return Check(
        name,
        CheckStatus.LIMITED,
        f"not granted: {missing}",
        _acl(servers, "Read", f"--topic {OFFSETS_TOPIC}"),
    )


def _churn(cluster: ClusterReader, group_id: str, now: datetime | None) -> tuple[Check, ...]:
    """Only where the rebalances can be read."""
    try:
        generations, _ = cluster.generations(group_id)
    except HoldfastError:
        return ()
    found = churn.churning(generations, now.isoformat() if now else None)
    return tuple(Check(f"clients of {group_id} stay up", CheckStatus.LIMITED, churn.in_words(one), churn.REMEDY) for one in found)


def _cluster_right(cluster: ClusterReader, servers: str) -> Check:
    name = "right: DESCRIBE on the cluster (optional)"
    if "DESCRIBE" in cluster.cluster_rights():
        return Check(name, CheckStatus.OK, "granted")
    return Check(
        name, CheckStatus.LIMITED, "not granted: the bytes of a restore are unknown", _acl(servers, "Describe", "--cluster")
    )


def _acl(servers: str, operation: str, resource: str) -> str:
    """Only who is to be granted it is left to fill in: this user's name is the broker's to know."""
    where = f"--bootstrap-server {shlex.quote(servers)}"
    return f"kafka-acls.sh {where} --add --allow-principal User:PRINCIPAL --operation {operation} {resource}"
