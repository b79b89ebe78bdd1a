"""What the events that bring partitions have in common: their fields."""

from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.events.parts.scene import Racks
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.json.codec import NAME, integer, items, nullable
from holdfast.rollout.json.consumed_topics import REPLICA_RACKS
from holdfast.rollout.json.record import member, record
from holdfast.rollout.text import kafka_commands

SEEN = "The topic has that number of partitions."
"""What the operator sees after a topic has changed."""


@record
class NewPartitions(ConsumerEvent):
    """`replica_racks`: of each new partition; None: unknown."""

    topic: str = member(NAME)
    partitions: int = member(integer(1, MOST_PARTITIONS))
    replica_racks: Racks | None = member(nullable(items(REPLICA_RACKS)), "For each new partition.", default=None, omit=True)

    def check(self) -> str:
        """A shell command that shows what is `SEEN`."""
        return kafka_commands.describe_topic(self.topic)

    def topic_changed(self) -> str | None:
        return self.topic

    def partitions_wanted(self) -> int | None:
        return self.partitions

    def racks_not_given(self) -> bool:
        return self.replica_racks is None
