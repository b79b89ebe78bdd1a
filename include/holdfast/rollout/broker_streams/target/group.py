"""From a Snapshot to the group as its coordinator sees it. What a target depends on and the Snapshot does not show is refused."""

from collections.abc import Iterator, Mapping

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka import java
from holdfast.kafka.coordinator.config_keys import ASSIGNOR, STANDBYS
from holdfast.kafka.coordinator.release import RELEASES, Behaviour, behaviour
from holdfast.kafka.coordinator.streams.group import Group, Member, Subtopology
from holdfast.rollout.broker_streams.snapshot.snapshot import (
    GroupTopology,
    StreamsGroupSnapshot,
    StreamThread,
    TopicsOfSubtopology,
)
from holdfast.rollout.json import strict
from holdfast.rollout.json.kafka import ConfigValue

NOT_READY = "NotReady"
"""The state of a group whose topology lacks topics, or has topics with other numbers of partitions than it needs."""


def group_of(snapshot: StreamsGroupSnapshot, topology: tuple[Subtopology, ...]) -> Group:
    """Raise CannotPredict where what decides is unknown, Unsupported for a release or an assignor that is not covered."""
    release = snapshot.broker_release
    if release is None:
        raise CannotPredict(
            f"broker_release: the release of the group's coordinator decides, and is unknown; give one of {', '.join(RELEASES)}"
        )
    facts = behaviour(release)
    config = dict(snapshot.config)
    if config.get(ASSIGNOR) not in (None, "", "sticky"):
        raise Unsupported(f"config.{ASSIGNOR}: the assignor {strict.shown(config[ASSIGNOR])} is not covered; 'sticky' is")
    for one in snapshot.unknown:
        if one.what == "members" or one.what.startswith("members."):
            raise CannotPredict(
                f"{one.what} could not be read ({one.reason}); a target depends on all members. Collect the group again"
            )
    return Group(
        release=release,
        members=tuple(_member(one, facts) for one in snapshot.members),
        subtopologies=topology,
        num_standby_replicas=standby_replicas(snapshot.config),
    )


def standby_replicas(config: tuple[tuple[str, ConfigValue], ...]) -> int:
    """Java's `Integer.parseInt`, of a setting that the broker has validated."""
    value = dict(config).get(STANDBYS)
    text = "0" if value is None else str(value)
    if isinstance(value, bool) or not text.isascii() or not text.isdigit() or int(text) > java.INT_MAX:
        raise InvalidInput(f"a number of standby replicas is needed, {strict.shown(text)} was found", f"config.{STANDBYS}")
    return int(text)


def _member(member: StreamThread, facts: Behaviour) -> Member:
    where = f"members.{strict.step_of(member.member_id)}"
    if member.process_id is None:
        raise CannotPredict(
            f"{where}.process_id is unknown; a target depends on every member's process ID. Collect the group again"
        )
    sticks_to, name = (member.assignment, "assignment") if facts.sticks_to_current else (member.target, "target")
    if sticks_to is None:
        raise CannotPredict(f"{where}.{name} is unknown; Kafka {facts.releases[-1]} sticks to it. Collect the group again")
    return Member(member.member_id, member.process_id, sticks_to.active, sticks_to.standby, member.task_offsets)


def topology_of(snapshot: StreamsGroupSnapshot) -> tuple[Subtopology, ...] | None:
    """The subtopologies with their tasks (`InternalTopicManager.configureTopics`). None: the topology is not ready.

    Raise CannotPredict without a topology, and for a source topic whose partitions are unknown.
    """
    if snapshot.group_state == NOT_READY:
        return None
    if snapshot.topology is None:
        raise CannotPredict("topology: the group's topology is unknown; a target depends on it. Collect the group again")
    counts = {topic.name: topic.partitions for topic in snapshot.topics}
    found = subtopologies_of(snapshot.topology, counts)
    return None if any(_incorrectly_partitioned(snapshot.topology, found, counts)) else found


def subtopologies_of(topology: GroupTopology, counts: Mapping[str, int]) -> tuple[Subtopology, ...]:
    """Those of a topology that is ready. `counts`: the partitions of the topics. Raise CannotPredict where those of a source topic
    are unknown."""
    return tuple(_subtopology(one, counts) for one in topology.subtopologies)


def _subtopology(one: TopicsOfSubtopology, counts: Mapping[str, int]) -> Subtopology:
    sources = (*one.source_topics, *one.repartition_source_topics)
    where = f"topology.subtopologies.{strict.step_of(one.subtopology)}"
    if not sources:
        raise InvalidInput("a subtopology has one source topic or more, none was found", where)
    for topic in sources:
        if not counts.get(topic):
            raise CannotPredict(
                f"topics.{strict.step_of(topic)}: the partitions of this source topic of {where} are unknown; they are its tasks."
                " Collect the group again"
            )
    return Subtopology(one.subtopology, max(counts[topic] for topic in sources), bool(one.changelog_topics))


def _incorrectly_partitioned(topology: GroupTopology, found: tuple[Subtopology, ...], counts: dict[str, int]) -> Iterator[bool]:
    """Whether a changelog has another number of partitions than its subtopology has tasks."""
    for one, subtopology in zip(topology.subtopologies, found, strict=True):
        for topic in one.changelog_topics:
            yield counts.get(topic, subtopology.tasks) != subtopology.tasks
