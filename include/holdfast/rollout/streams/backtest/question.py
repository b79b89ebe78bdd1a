"""A recorded rebalance as a question with a known answer: all that the leader's decision depended on, and what of it is unknown.

A question is complete in itself: a mismatch is sent as one (`rollout.kinds.mismatch`), and judged again from its file.
"""

from holdfast.kafka.streams.group import Changelog, Task
from holdfast.kafka.vocabulary import TaskId, TopicPartition
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAME, TEXTS, items, nullable
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.kafka_codecs import CONFIG, TASK_ID, TOPIC_PARTITIONS
from holdfast.rollout.json.record import codec_of, key, keyed, member, record
from holdfast.rollout.streams.snapshot.snapshot import PROTOCOL

Settings = tuple[tuple[str, ConfigValue], ...]


@record
class PastTask:
    """A task at that moment. `stateful` None: unknown. Its end-offset sum was between `low` and `high` (None: unknown)."""

    id: TaskId = key(TASK_ID)
    partitions: tuple[TopicPartition, ...] = member(TOPIC_PARTITIONS)
    stateful: bool | None = member(nullable(BOOLEAN))
    low: int = member(COUNT, default=0)
    high: int | None = member(nullable(COUNT), default=None)

    def at(self, end: int, *, stateful: bool) -> Task:
        """The task as the leader sees it, if its end-offset sum is `end`."""
        return Task(self.id, self.partitions, (Changelog(_ANY, self.id.partition, end),) if stateful else ())


_ANY = "changelog"
"""Which topics a task's changelogs are decides nothing but where replicas' racks do."""


@record(version="1.0", about="One recorded rebalance of a classic Streams group, and what its leader's decision depended on.")
class StreamsQuestion:
    """`releases`: one of each line of releases that the leader may have run; a single one where it is given.

    `alternatives`: settings that the group's other rebalances were decided with, where settings were not given.
    """

    protocol: str = member(NAME)
    releases: tuple[str, ...] = member(TEXTS)
    config: Settings = member(CONFIG)
    tasks: tuple[PastTask, ...] = member(keyed(codec_of(PastTask)))
    generation: Generation = member(codec_of(Generation))
    alternatives: tuple[Settings, ...] = member(items(CONFIG), default=(), omit=True)


def of(
    releases: tuple[str, ...],
    config: Settings,
    tasks: tuple[PastTask, ...],
    generation: Generation,
    alternatives: tuple[Settings, ...] = (),
) -> StreamsQuestion:
    return StreamsQuestion(PROTOCOL, releases, config, tasks, generation, alternatives)
