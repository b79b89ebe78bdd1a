"""What keeps a classic group from moving to `group.protocol=streams`, as its Snapshot and the request show it."""

from collections.abc import Iterator

from holdfast.kafka.coordinator.config_keys import MOST_STANDBYS, STANDBYS
from holdfast.kafka.coordinator.release import FIRST_FOR_PRODUCTION, FIRST_WITH_STATIC_MEMBERS, LOSES_GROUPS
from holdfast.kafka.release_lines import is_older
from holdfast.kafka.streams.config import HIGH_AVAILABILITY
from holdfast.kafka.streams.group import Task
from holdfast.rollout.facts.moves import Prevention, Prevents
from holdfast.rollout.streams.events.move_to_streams_protocol import MoveToStreamsProtocol
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.text.format import listed, printable, some_of


def prevented(snapshot: Snapshot, event: MoveToStreamsProtocol) -> Iterator[Prevention]:
    """All at once; without the features that the request gives up."""
    yield from _releases(snapshot, event)
    instances = [one.group_instance_id for one in snapshot.consumers() if one.group_instance_id is not None]
    clients = event.kafka_release or snapshot.kafka_release
    if instances and any(one is None or is_older(one, FIRST_WITH_STATIC_MEMBERS) for one in (event.broker_release, clients)):
        yield Prevention(Prevents.STATIC_MEMBERS, some_of([printable(one) for one in instances], 3))
    names = [name for one in snapshot.state_directories for name, tasks in one.named_topologies if tasks]
    if names:
        yield Prevention(Prevents.NAMED_TOPOLOGIES, some_of([printable(one) for one in dict.fromkeys(names)], 3))
    if event.source_patterns:
        yield Prevention(Prevents.SOURCE_PATTERNS)
    if snapshot.missing_topics:
        yield Prevention(Prevents.MISSING_TOPICS, listed([printable(one) for one in snapshot.missing_topics]))
    wrong = list(_wrongly_partitioned(snapshot.tasks, {one.name: len(one.partitions) for one in snapshot.topics}))
    if wrong:
        yield Prevention(Prevents.PARTITIONS, some_of(wrong, 3))
    yield from (one for one in _ignored(snapshot) if one.kind not in event.gives_up)
    standbys = standbys_of(snapshot)
    if standbys > MOST_STANDBYS and STANDBYS not in dict(event.config):
        yield Prevention(Prevents.STANDBYS, f"{standbys:,}")


def _releases(snapshot: Snapshot, event: MoveToStreamsProtocol) -> Iterator[Prevention]:
    broker, clients = event.broker_release, event.kafka_release or snapshot.kafka_release
    if is_older(broker, FIRST_FOR_PRODUCTION):
        yield Prevention(Prevents.BROKER_TOO_OLD, printable(broker))
    elif broker in LOSES_GROUPS:
        yield Prevention(Prevents.BROKER_LOSES_GROUP, broker)
    if clients is not None and is_older(clients, FIRST_FOR_PRODUCTION):
        yield Prevention(Prevents.CLIENT_TOO_OLD, printable(clients))


def _ignored(snapshot: Snapshot) -> Iterator[Prevention]:
    """What the application uses, and no covered coordinator has."""
    config = dict(snapshot.config)
    tags, strategy = config.get("rack.aware.assignment.tags"), config.get("rack.aware.assignment.strategy")
    if tags:
        yield Prevention(Prevents.CLIENT_TAGS, printable(",".join(tags) if isinstance(tags, tuple) else str(tags)))
    if strategy not in (None, "", "none"):
        yield Prevention(Prevents.RACK_AWARE, printable(str(strategy)))
    for given in (config.get("task.assignor.class"), config.get("internal.task.assignor.class"), snapshot.task_assignor):
        if given and str(given).rpartition(".")[2] != HIGH_AVAILABILITY:
            yield Prevention(Prevents.TASK_ASSIGNOR, printable(str(given)))
            return


def standbys_of(snapshot: Snapshot) -> int:
    """`num.standby.replicas` of the clients: with `group.protocol=streams` they ignore it."""
    text = str(dict(snapshot.config).get("num.standby.replicas", 0))
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _wrongly_partitioned(tasks: tuple[Task, ...], counts: dict[str, int]) -> Iterator[str]:
    """Changelogs that do not have a partition a task."""
    needed: dict[str, int] = {}
    of_subtopology: dict[int, int] = {}
    for task in tasks:
        of_subtopology[task.id.subtopology] = max(of_subtopology.get(task.id.subtopology, 0), task.id.partition + 1)
    for task in tasks:
        for one in task.changelogs or ():
            needed[one.topic] = of_subtopology[task.id.subtopology]
    for topic, count in needed.items():
        if counts.get(topic, count) != count:
            yield f"{printable(topic)}: {counts[topic]:,}, needed {count:,}"
