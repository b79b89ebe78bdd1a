"""JSON Schema of a Snapshot of a consumer group."""

from holdfast.kafka import java
from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.consumer.snapshot.json import NO_GENERATION, PROTOCOL
from holdfast.rollout.contract.unknown import UNKNOWN
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import Shape, fields, items, nullable, one_of, table, text

_generation = nullable(shapes.integer(NO_GENERATION, java.INT_MAX), "Null, or -1: none.")


assignors = items(one_of(Assignor), "In the order of the member's own list.", at_least=1)


subscription = items(shapes.name(), "A topic that is not in `topics` does not exist.")


replica_racks = items(nullable(text()), "Of each replica's broker.")


_consumer = fields(
    {"assignors": assignors, "subscription": subscription},
    {
        "client_id": text(),
        "group_instance_id": nullable(shapes.name()),
        "rack": nullable(text()),
        "host": nullable(text()),
        "owned": items(shapes.TOPIC_PARTITION, "What it would report if the group rebalanced now. The order is input up to 3.7.0."),
        "owned_generation": _generation,
        "assigned": nullable(items(shapes.TOPIC_PARTITION), "What it was handed in the last rebalance. Null: not known."),
    },
)
_partition = fields(
    {"id": shapes.PARTITION},
    {"replica_racks": replica_racks} | {f"{which}_offset": nullable(shapes.OFFSET) for which in ("begin", "end", "committed")},
)
SNAPSHOT: Shape = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "protocol": one_of((PROTOCOL,)),
        "group_id": shapes.name(),
        "consumers": table(shapes.name(), _consumer, "By member ID, in the order of the group's member list.", at_least=1),
    },
    {
        "cluster": text(),
        "captured_at": nullable(shapes.INSTANT),
        "group_state": nullable(text()),
        "kafka_release": nullable(shapes.RELEASE, "That of the clients."),
        "broker_release": nullable({"type": "string", "pattern": r"^[0-9]+(\.|$)"}, "That of the coordinator: how it breaks ties."),
        "generation": _generation,
        "leader_member_id": nullable(shapes.name(), "Null: not known. One of the consumers."),
        "topics": table(shapes.name(), fields({"partitions": items(_partition)})),
        "config": shapes.CONFIG,
        "unknown": shapes.items(UNKNOWN.shape(), "What could not be read, each with its reason."),
    },
    "One consumer group without Kafka Streams at one moment. Fields that are not listed are ignored.",
)
