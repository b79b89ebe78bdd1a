"""JSON Schema of a Change to a consumer group. What stands behind a verb, its event describes (`events`)."""

from holdfast.rollout.consumer.events import table
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import Shape, closed, items, one_of

SHAPES: dict[str, Shape] = {event.VERB: event.SHAPE for event in table.EVENTS} | {
    "then": one_of(Wait, "What follows comes after one rebalance, or once the group is stable.")
}
EVENTS = items(
    {"type": "object", "minProperties": 1, "maxProperties": 1, "properties": SHAPES, "additionalProperties": False},
    "In order; those before a `then` take effect together.",
)
CHANGE: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION, "events": EVENTS | {"maxItems": MOST_EVENTS}},
    {"assume": closed({})},
    "The requested change to a consumer group without Kafka Streams.",
)
