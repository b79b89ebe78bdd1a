"""JSON Schema of a Change to a Kafka Streams group. What stands behind a verb, its event describes (`events`)."""

from collections.abc import Mapping

from holdfast.rollout.contract.batches_json import MOST_EVENTS
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import Shape, closed, items, with_defaults
from holdfast.rollout.streams.change.json import FASTEST_RESTORE, assume_to_json
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.events.fields import WAIT
from holdfast.rollout.streams.scene.assume import Assume, CatchUp, ClosedCopies, DormantCopies

ASSUMED: Mapping[str, object] = assume_to_json(Assume())
"""What is taken for granted where nothing is said. (Such a value of an event's field is in its `DEFAULTS`.)"""
SHAPES: dict[str, Shape] = {event.VERB: event.SHAPE for event in table.EVENTS} | {"then": WAIT}
EVENTS = items(
    {"type": "object", "minProperties": 1, "maxProperties": 1, "properties": SHAPES, "additionalProperties": False},
    "In order; those before a `then` take effect together.",
)
ASSUME = closed(
    {},
    {
        "catch_up": shapes.either(
            shapes.one_of((CatchUp.PROBING_REBALANCE, CatchUp.NEXT_REBALANCE)),
            closed(
                {"records_per_second": shapes.number(0, FASTEST_RESTORE)},
                {"grows_per_second": {"type": "number", "minimum": 0, "maximum": FASTEST_RESTORE, "default": 0}},
            ),
        ),
        "closed_copies": shapes.one_of(ClosedCopies),
        "dormant_copies": shapes.one_of(DormantCopies),
    },
)


ASSUME = with_defaults(ASSUME, ASSUMED)


CHANGE: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION, "events": EVENTS | {"maxItems": MOST_EVENTS}},
    {"assume": ASSUME | {"default": dict(ASSUMED)}},
    "What the operator means to do.",
)
