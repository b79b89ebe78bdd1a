"""Whether a topology is ready for its coordinator after topics have grown (`InternalTopicManager.configureTopics`)."""

from collections.abc import Iterator, Mapping

from holdfast.errors import TopologyRejected
from holdfast.kafka.coordinator.streams.group import Subtopology
from holdfast.rollout.broker_streams.snapshot.snapshot import GroupTopology, Topic
from holdfast.rollout.broker_streams.target.group import subtopologies_of
from holdfast.rollout.coordinated.roster import quoted


def subtopologies(topology: GroupTopology, before: tuple[Topic, ...], now: tuple[Topic, ...]) -> tuple[Subtopology, ...]:
    """The subtopologies with the topics as they are now. `before`: as in the Snapshot, where the topology was ready.

    Raise TopologyRejected where the coordinator finds internal topics with other numbers of partitions than it needs.
    """
    was = {topic.name: topic.partitions for topic in before}
    found = subtopologies_of(topology, {topic.name: topic.partitions for topic in now})
    if now == before:
        return found
    counts = was | {topic.name: topic.partitions for topic in now}
    for name, needed in _needed(topology, found, subtopologies_of(topology, was), was):
        there = counts.get(name, needed[0])
        if there != needed[1]:
            raise TopologyRejected(
                "the topology is not ready then: its coordinator answers INCORRECTLY_PARTITIONED_TOPICS (Existing topic"
                f" {quoted(name)} has different number of partitions: expected {needed[1]}, found {there}) and assigns nothing."
                " Kafka Streams does not grow internal topics: grow them in the same batch, or use a new application ID"
            )
    return found


def _needed(
    topology: GroupTopology, now: tuple[Subtopology, ...], before: tuple[Subtopology, ...], was: Mapping[str, int]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Internal topics, with the partitions that they needed before and need now.

    A repartition topic has as many as the largest subtopology that writes it has tasks, unless the application gives it a number of
    its own: one that was another before.
    """
    writes: dict[str, tuple[int, int]] = {}
    for one, old, new in zip(topology.subtopologies, before, now, strict=True):
        for name in one.repartition_sink_topics:
            most = writes.get(name, (0, 0))
            writes[name] = max(most[0], old.tasks), max(most[1], new.tasks)
    yield from ((name, needed) for name, needed in writes.items() if was.get(name, needed[0]) == needed[0])
    for one, old, new in zip(topology.subtopologies, before, now, strict=True):
        yield from ((name, (old.tasks, new.tasks)) for name in one.changelog_topics)
