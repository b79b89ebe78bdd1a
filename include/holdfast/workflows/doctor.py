"""What is missing before a group can be collected, forecast and planned for: rights, Java, Spark, folders."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.errors import HoldfastError
from holdfast.kafka.wire import consumer_protocol
from holdfast.ports import ClusterReader, Machine, ObservedGroup, StateDirectoryReader
from holdfast.workflows.collect import PROTOCOL

OFFSETS_TOPIC = "__consumer_offsets"
LEAST_JAVA = 17


class Status(StrEnum):
    """`MISSING` stops the work; `LIMITED` leaves something out of it."""

    OK = "ok"
    LIMITED = "limited"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `remedy` is empty where there is nothing to do."""

    name: str
    status: Status
    found: str
    remedy: str = ""


def examine_group(cluster: ClusterReader, group_id: str) -> tuple[Check, ...]:
    """The group and the rights on it, its topics and the broker's own offsets topic."""
    checks = [_group_right(cluster, group_id)]
    sources: tuple[str, ...] = ()
    try:
        group = cluster.group(group_id)
        checks.append(_kind(group))
        sources = _subscribed(group)
    except HoldfastError as trouble:
        checks.append(Check(f"group {group_id}", Status.MISSING, str(trouble), "see the message"))
    checks.append(_topic_rights(cluster, group_id, sources))
    checks.append(_offsets_right(cluster))
    checks.append(_cluster_right(cluster))
    return tuple(checks)


def examine_machine(machine: Machine, folders: tuple[str, ...]) -> tuple[Check, ...]:
    """Java, Spark, and the folders or URLs that are to be written to."""
    java = machine.java_major()
    spark = machine.package_version("pyspark")
    checks = [
        Check("Java", Status.OK, f"Java {java}")
        if java is not None and java >= LEAST_JAVA
        else Check(
            "Java",
            Status.LIMITED,
            "no Java" if java is None else f"Java {java}",
            f"Spark needs Java {LEAST_JAVA} or newer (Debian: default-jre-headless); the command line does without",
        ),
        Check("Spark", Status.OK, f"pyspark {spark}")
        if spark
        else Check("Spark", Status.LIMITED, "no pyspark", "the DAGs need it: bin/setup installs it; the command line does without"),
    ]
    for folder in folders:
        problem = machine.folder_problem(folder)
        checks.append(
            Check(f"folder {folder}", Status.MISSING, f"cannot be written to: {problem}", "make it, or give the right to write")
            if problem
            else Check(f"folder {folder}", Status.OK, "can be written to")
        )
    return tuple(checks)


def examine_state_directories(disks: StateDirectoryReader, urls: tuple[str, ...]) -> tuple[Check, ...]:
    """Each state directory, read as a collection would."""
    checks = []
    for number, url in enumerate(urls, 1):
        try:
            directory, unknown = disks.read(url)
        except HoldfastError as trouble:
            checks.append(
                Check(f"state directory {number}", Status.LIMITED, str(trouble), "give the right to read, or leave it out")
            )
            continue
        status = Status.LIMITED if unknown else Status.OK
        found = "; ".join(each.reason for each in unknown) or f"process {directory.process_id}, {len(directory.tasks)} tasks"
        checks.append(Check(f"state directory {directory.url}", status, found, "see the message" if unknown else ""))
    return tuple(checks)


def _group_right(cluster: ClusterReader, group_id: str) -> Check:
    name = f"right: DESCRIBE on the group {group_id}"
    if "DESCRIBE" in cluster.group_rights(group_id):
        return Check(name, Status.OK, "granted")
    return Check(name, Status.MISSING, "not granted, or no such group", _acl("Describe", f"--group '{group_id}'"))


def _kind(group: ObservedGroup) -> Check:
    name = f"group {group.group_id}"
    if group.protocol_type not in ("consumer", "") or (group.state == "Stable" and group.protocol != PROTOCOL):
        kind = group.protocol or group.protocol_type
        return Check(name, Status.MISSING, f"{group.state}, of another kind ({kind!r})", "name a classic Kafka Streams group")
    if not group.members:
        return Check(name, Status.LIMITED, f"{group.state}: no member is running", "start the application")
    return Check(name, Status.OK, f"{group.state}, {len(group.members)} members")


def _subscribed(group: ObservedGroup) -> tuple[str, ...]:
    """The topics that the members subscribe to; none, while the broker shows no metadata."""
    members = (member for member in group.members if member.subscription)
    topics = {topic: None for member in members for topic in consumer_protocol.decode_subscription(member.subscription).topics}
    return tuple(sorted(topics))


def _topic_rights(cluster: ClusterReader, group_id: str, sources: tuple[str, ...]) -> Check:
    name = f"right: DESCRIBE on the topics {group_id}-* and the source topics"
    prefixed = f"--topic '{group_id}-' --resource-pattern-type prefixed"
    remedy = f"{_acl('Describe', prefixed)}; and --topic … for each source topic"
    own = cluster.topic_names(f"{group_id}-")
    wanted = tuple(sorted(dict.fromkeys(own + sources)))
    lacking = [topic for topic, rights in cluster.topic_rights(wanted) if "DESCRIBE" not in rights]
    if lacking:
        return Check(name, Status.MISSING, f"not granted, or not there: {', '.join(map(repr, lacking[:5]))}", remedy)
    if not any(topic.endswith("-changelog") for topic in own):
        return Check(
            name, Status.LIMITED, f"no topic {group_id}-…-changelog can be seen: there is none, or it is not granted", remedy
        )
    return Check(name, Status.OK, f"granted on {len(wanted)} topics")


def _offsets_right(cluster: ClusterReader) -> Check:
    name = f"right: READ on {OFFSETS_TOPIC} (optional)"
    if "READ" in dict(cluster.topic_rights((OFFSETS_TOPIC,))).get(OFFSETS_TOPIC, frozenset()):
        return Check(name, Status.OK, "granted")
    return Check(
        name,
        Status.LIMITED,
        "not granted: the leader stays unknown, and no rebalance can be compared with its forecast",
        _acl("Read", f"--topic {OFFSETS_TOPIC}"),
    )


def _cluster_right(cluster: ClusterReader) -> Check:
    name = "right: DESCRIBE on the cluster (optional)"
    if "DESCRIBE" in cluster.cluster_rights():
        return Check(name, Status.OK, "granted")
    return Check(name, Status.LIMITED, "not granted: nobody knows the bytes that a restore reads", _acl("Describe", "--cluster"))


def _acl(operation: str, resource: str) -> str:
    return f"kafka-acls.sh --bootstrap-server … --add --allow-principal User:… --operation {operation} {resource}"
