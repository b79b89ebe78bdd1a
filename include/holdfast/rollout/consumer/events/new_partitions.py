"""Fields of events that bring partitions: how each is read, and its JSON Schema."""

from holdfast.rollout.consumer.events.scene import Racks
from holdfast.rollout.consumer.snapshot.snapshot import REPLICA_RACKS
from holdfast.rollout.contract.batches_json import MOST_PARTITIONS
from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.shapes import closed, items, nullable

COUNT = shapes.integer(1, MOST_PARTITIONS)
SHAPE = closed(
    {"topic": shapes.name(), "partitions": COUNT},
    {"replica_racks": nullable(items(REPLICA_RACKS.shape()), "For each new partition.")},
)
SEEN = "kafka-topics.sh --describe shows it."
"""What the operator sees after a topic has changed."""


def count(value: object) -> int:
    return strict.integer(value, 1, MOST_PARTITIONS)


def racks(value: object) -> Racks | None:
    return None if value is None else strict.each(value, lambda found: strict.each(found, strict.nullable(strict.text)))


def to_json(topic: str, partitions: int, given: Racks | None) -> dict[str, object]:
    known = {} if given is None else {"replica_racks": [list(one) for one in given]}
    return {"topic": topic, "partitions": partitions} | known
