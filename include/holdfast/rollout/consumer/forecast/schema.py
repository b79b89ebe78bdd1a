"""JSON Schema of an Assignment and a Forecast of a consumer group."""

from holdfast.kafka.consumer.config import Reset
from holdfast.kafka.consumer.group import Assignor, NextRebalance
from holdfast.rollout.consumer.change.change import ITEM
from holdfast.rollout.consumer.events.parts.timing import SPAN
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.contract.batches_json import IN_ORDER
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.contract.unknown import UNKNOWN
from holdfast.rollout.json import shapes
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.shapes import Shape, count, fields, items, nullable, one_of, table, text

partitions = items(shapes.TOPIC_PARTITION)


_part = fields({"partitions": partitions, "withheld": partitions, "revoked": partitions, "next_rebalance": one_of(NextRebalance)})


ASSIGNMENT: Shape = {
    "description": "What the leader decides in one rebalance; `error` where it would fail.",
    "if": {"required": ["error"]},
    "then": fields({"format_version": shapes.FORMAT_VERSION, "error": text()}),
    "else": fields(
        {
            "format_version": shapes.FORMAT_VERSION,
            "assignor": one_of(Assignor, "The one that the coordinator picks."),
            "consumers": table(shapes.name(), _part),
        }
    ),
}


_round = fields(
    {
        "trigger": one_of((Trigger.CHANGE, Trigger.IMMEDIATE)),
        "at_seconds": shapes.number(0),
        "assignment": ASSIGNMENT,
        "stopped": nullable(count("Partitions that were read and are unavailable while the members join; null: not known.")),
        "unread": count("Partitions that no consumer reads at the end."),
        "noticed_seconds": shapes.number(0, about="Until the group noticed what brought it about."),
        "lasts_seconds": SPAN.shape(),
    }
)
_positions = fields(
    {
        "committed": count("Partitions that are taken up at their committed offset."),
        "reset": count("Those without one that is in range."),
        "unknown": count("Those of which it is not known."),
        "reset_to": one_of(Reset),
        "records_skipped": nullable(count()),
        "records_read_twice_at_most": nullable(count()),
        "skipping": items(shapes.row(shapes.name(), shapes.PARTITION, nullable(count()))),
    },
    about="Where those go on who begin to read a partition.",
)
FORECAST: Shape = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "assumptions": fields({"given": items(text("A setting that the Snapshot has; the others are Kafka's defaults."))}),
        "events": items(ITEM.shape(), IN_ORDER),
        "outcomes": items(
            fields(
                {
                    "probability": shapes.number(0, 1),
                    "member_ids": items(shapes.name()),
                    "stable": shapes.boolean(),
                    "warnings": items(text("What a reader has to see first.")),
                    "positions": _positions,
                    "summary": codec_of(ConsumerSummary).shape(),
                },
                {"rounds": items(_round, "Left out with `--detail summary`.")},
            )
        ),
        "unknown": shapes.items(UNKNOWN.shape()),
    },
    about="What Kafka will do about a change to a consumer group without Kafka Streams, rebalance by rebalance.",
)
