"""JSON Schema of an Assignment and a Forecast of a Kafka Streams group."""

from holdfast.kafka import java
from holdfast.kafka.streams.group import NextRebalance
from holdfast.rollout.contract.batches_json import IN_ORDER
from holdfast.rollout.contract.unknown import UNKNOWN
from holdfast.rollout.json import shapes
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.shapes import (
    PROCESS_ID,
    TASK_ID,
    TASK_IDS,
    Shape,
    closed,
    count,
    fields,
    items,
    nullable,
    one_of,
    table,
    text,
)
from holdfast.rollout.streams.change.change import ITEM
from holdfast.rollout.streams.forecast.amounts import READS
from holdfast.rollout.streams.scene.assume import Assume

_names = items(shapes.name())


share = {"active": TASK_IDS, "standby": TASK_IDS}
_undetermined = fields(
    {},
    {
        "clients": closed({}, {"standby": items(PROCESS_ID)}) | {"additionalProperties": True},
        "consumers": fields({}, {"active": _names, "standby": _names, "withheld": _names}),
    },
    "Other possible owners of a task: Kafka itself chooses at random.",
)
_decided = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "probing_rebalance_needed": shapes.boolean(),
        "clients": table(PROCESS_ID, fields(share)),
        "consumers": table(shapes.name(), fields(share | {"withheld": TASK_IDS, "next_rebalance": one_of(NextRebalance)})),
    },
    {"undetermined_tasks": table(TASK_ID, _undetermined), "unknown": items(text())},
)
_failed = fields({"format_version": shapes.FORMAT_VERSION}, {"error": text(), "error_code": shapes.integer(0, java.INT_MAX)}) | {
    "anyOf": [{"required": ["error"]}, {"required": ["error_code"]}]
}
ASSIGNMENT: Shape = {
    "description": "What the leader decides in one rebalance; `error` or `error_code` where it would fail.",
    "if": {"anyOf": [{"required": ["error"]}, {"required": ["error_code"]}]},
    "then": _failed,
    "else": _decided,
}


_waiting = closed({"tasks": count(), "task_seconds": shapes.number(0), "longest_seconds": shapes.number(0), "records": count()})
SUMMARY = closed(
    {
        "stateful_tasks": count(),
        "active_moved": count("Stateful tasks whose owner at the end is not the one before."),
        "rebalances": count(),
        "rebalances_at_least": count(),
        "rebalances_at_most": nullable(count()),
        "seconds_to_stable": nullable(shapes.number(0)),
        "seconds_to_stable_at_least": nullable(shapes.number(0)),
        "restore_records": count(),
        "restore_bytes": nullable(count()),
        "restore_records_by_client": table(PROCESS_ID, count()),
        "without_caught_up_copy": _waiting | {"additionalProperties": True},
    },
    {
        "stopped_task_seconds": shapes.number(0, about="Task-seconds of downtime until the session timeout of clients that ended."),
        "stopped": table(TASK_ID, fields({"seconds": shapes.number(0), "seconds_without_copy": shapes.number(0)})),
        "reads_by_broker": READS.shape(),
    },
) | {"additionalProperties": True}
_forecast_round = fields(
    {
        "trigger": one_of(("change", "immediate", "probing")),
        "at_seconds": shapes.number(0),
        "assignment": ASSIGNMENT,
        "restoring": table(PROCESS_ID, count()),
        "restoring_bytes": table(PROCESS_ID, nullable(count())),
        "restoring_tasks": table(PROCESS_ID, table(TASK_ID, count())),
        "without_caught_up_copy": TASK_IDS,
    }
)
FORECAST: Shape = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "assumptions": codec_of(Assume).shape(),
        "events": items(ITEM.shape(), IN_ORDER),
        "outcomes": items(
            fields(
                {
                    "probability": shapes.number(0, 1),
                    "process_ids": items(PROCESS_ID),
                    "stable": shapes.boolean(),
                    "summary": SUMMARY,
                },
                {"rounds": items(_forecast_round, "Left out with `--detail summary`.")},
            )
        ),
        "unknown": shapes.items(UNKNOWN.shape()),
    },
    about="What Kafka will do about a change, rebalance by rebalance, for every rank that new random process IDs can have.",
)
