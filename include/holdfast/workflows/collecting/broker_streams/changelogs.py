"""The changelogs of a streams group's topology: where their logs begin and end, and their sizes. They decide nothing about targets:
they show what a restore costs."""

from collections.abc import Mapping

from holdfast.errors import ClusterTrouble
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.streams_group_description import DescribedGroup
from holdfast.ports import ClusterReader
from holdfast.rollout.broker_streams.snapshot.snapshot import PartitionLog
from holdfast.workflows.collecting.observed import Observed


def measured(
    cluster: ClusterReader, found: Observed[DescribedGroup], partitions: Mapping[str, int]
) -> dict[str, tuple[PartitionLog, ...]]:
    """By changelog topic. `partitions`: how many each topic has. What cannot be read is noted, and left out."""
    subtopologies = () if found.group.topology is None else found.group.topology.subtopologies or ()
    topics = dict.fromkeys(topic.name for one in subtopologies for topic in one.changelog_topics)
    logs = tuple(TopicPartition(topic, number) for topic in sorted(topics) for number in range(partitions.get(topic, 0)))
    if not logs:
        return {}
    asked = {"begin_offset": cluster.begin_offsets, "end_offset": cluster.end_offsets, "log_bytes": cluster.log_bytes}
    figures: list[dict[TopicPartition, int]] = []
    for called, ask in asked.items():
        try:
            known, unknown = ask(logs)
        except ClusterTrouble as trouble:
            found.note(f"{called}.{found.group.group_id}", str(trouble))
            known, unknown = (), ()
        figures.append(dict(known))
        found.unknown.extend(unknown)
    begins, ends, sizes = figures
    by_topic: dict[str, list[PartitionLog]] = {}
    for one in logs:
        log = PartitionLog(one.partition, begins.get(one), ends.get(one), sizes.get(one))
        if log.known:
            by_topic.setdefault(one.topic, []).append(log)
    return {topic: tuple(some) for topic, some in by_topic.items()}
