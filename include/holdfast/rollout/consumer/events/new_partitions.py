"""What the events that bring partitions have in common: their fields, how each is read and written, and its JSON Schema."""

from dataclasses import dataclass
from typing import Self

from holdfast.rollout.consumer.events.event import ConsumerEvent
from holdfast.rollout.consumer.events.scene import Racks
from holdfast.rollout.consumer.snapshot.snapshot import REPLICA_RACKS
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.shapes import closed, items, nullable
from holdfast.rollout.json.strict import Fields

COUNT = shapes.integer(1, MOST_PARTITIONS)
SHAPE = closed(
    {"topic": shapes.name(), "partitions": COUNT},
    {"replica_racks": nullable(items(REPLICA_RACKS.shape()), "For each new partition.")},
)
SEEN = "kafka-topics.sh --describe shows it."
"""What the operator sees after a topic has changed."""


@dataclass(frozen=True, slots=True)
class NewPartitions(ConsumerEvent):
    """`replica_racks`: of each new partition; None: not known."""

    topic: str
    partitions: int
    replica_racks: Racks | None = None

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value)
        event = cls(
            fields.need("topic", strict.name),
            fields.need("partitions", _count),
            fields.optional("replica_racks", _racks, None),
        )
        fields.finish(closed=True)
        return event

    def to_json(self) -> dict[str, object]:
        known = {} if self.replica_racks is None else {"replica_racks": [list(one) for one in self.replica_racks]}
        return {"topic": self.topic, "partitions": self.partitions} | known

    def topic_changed(self) -> str | None:
        return self.topic

    def racks_not_given(self) -> bool:
        return self.replica_racks is None


def _count(value: object) -> int:
    return strict.integer(value, 1, MOST_PARTITIONS)


def _racks(value: object) -> Racks | None:
    return None if value is None else strict.each(value, lambda found: strict.each(found, strict.nullable(strict.text)))
