"""JSON Schema of a Change to a consumer group."""

from holdfast.rollout.consumer.snapshot.schema import assignors, replica_racks, subscription
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS, MOST_PARTITIONS
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import Shape, closed, items, nullable, one_of, table, text

_like_the_old_one: dict[str, Shape] = {
    "assignors": assignors,
    "subscription": subscription,
    "client_id": text(),
    "host": nullable(text()),
    "rack": nullable(text()),
    "group_instance_id": nullable(shapes.name()),
}
_count = shapes.integer(1, MOST_PARTITIONS)


_racks = nullable(items(replica_racks), "For each new partition.")


_EVENTS: dict[str, Shape] = {
    "add_consumer": closed({"member_id": shapes.name(), "assignors": assignors, "subscription": subscription}, _like_the_old_one),
    "remove_consumer": closed(
        {"member_id": shapes.name()},
        {"leaves": shapes.boolean("False: it ends without leaving."), "hangs": shapes.boolean("It no longer calls poll.")},
    ),
    "replace_consumer": closed({"member_id": shapes.name(), "by": closed({"member_id": shapes.name()}, _like_the_old_one)}),
    "restart_consumer": closed(
        {"member_id": shapes.name()},
        {"new_member_id": nullable(shapes.name()), "within_session": shapes.boolean()} | _like_the_old_one,
        "What is not given stays.",
    ),
    "set_assignors": closed(
        {"assignors": assignors, "member_ids": table(shapes.name(), shapes.name(), "The old ID and the new one.", at_least=1)},
        about="These members restart with that list.",
    ),
    "add_partitions": closed({"topic": shapes.name(), "partitions": _count}, {"replica_racks": _racks}, "The new number."),
    "add_topic": closed({"topic": shapes.name(), "partitions": _count}, {"replica_racks": _racks}),
    "remove_topic": closed({"topic": shapes.name()}),
    "then": one_of(Wait, "What follows comes after one rebalance, or once the group is stable."),
}
EVENTS = items(
    {"type": "object", "minProperties": 1, "maxProperties": 1, "properties": _EVENTS, "additionalProperties": False},
    "In order; those before a `then` take effect together.",
)
CHANGE: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION, "events": EVENTS | {"maxItems": MOST_EVENTS}},
    {"assume": closed({})},
    "The requested change to a consumer group without Kafka Streams.",
)
