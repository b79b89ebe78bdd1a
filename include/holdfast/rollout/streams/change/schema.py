"""JSON Schema of a Change to a Kafka Streams group."""

from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS, MOST_PARTITIONS
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import PROCESS_ID, TASK_ID, Shape, closed, items, nullable, table, with_defaults
from holdfast.rollout.streams.change import defaults
from holdfast.rollout.streams.change.change import CatchUp, ClosedCopies, DormantCopies
from holdfast.rollout.streams.change.json import FASTEST_RESTORE, LONGEST_STOP
from holdfast.rollout.streams.snapshot.schema import task

_member_ids = nullable(items(shapes.name(), at_least=1), "One a thread.")
_where: dict[str, Shape] = {
    "host": nullable(shapes.text()),
    "rack": nullable(shapes.text()),
    "client_tags": table(shapes.name(), shapes.text()),
    "user_endpoint": nullable(shapes.text()),
    "member_ids": _member_ids,
}
_new_id = nullable(PROCESS_ID, "Null: a fresh random one.")
_client_that_comes = closed({"process_id": _new_id}, {"threads": nullable(shapes.THREADS)} | _where)


_added = with_defaults(_client_that_comes, defaults.ADDED) | {"anyOf": [{"required": ["threads"]}, {"required": ["member_ids"]}]}


_replacement = with_defaults(_client_that_comes, defaults.REPLACEMENT) | {
    "description": "What is left out of host, rack, client_tags and threads is that of the old client."
}
_wait = shapes.one_of(Wait, "What follows waits for this.")
_settings = shapes.table(shapes.name(), shapes.CONFIG_VALUE, at_least=1)
_named = shapes.name(
    "A client by its host or pod, its client ID, its group.instance.id, or 4 or more digits that one process ID begins with."
)


def _of_a_client(required: dict[str, Shape], optional: dict[str, Shape]) -> Shape:
    """An event with a client: by its process ID, or by name in the place of that."""
    return closed(required, {"process_id": PROCESS_ID, "client": _named} | optional) | {
        "oneOf": [{"required": ["process_id"]}, {"required": ["client"]}]
    }


_leaves = nullable(
    shapes.boolean(),
    "False: it ends, and the group notices after its session timeout. Null: a Forecast assumes that it leaves, a Plan does not.",
)
_within_session = nullable(
    shapes.boolean(),
    "True: static members return before their sessions time out, without a rebalance. Null: a Forecast counts the rebalance, a Plan"
    " takes static members to return in time.",
)
_late = shapes.boolean("True: it is away for longer than its session lasts: the group rebalances without it, and when it is back.")
_EVENTS: dict[str, Shape] = {
    "add_client": _added,
    "add_partitions": closed(
        {"topic": shapes.name(), "partitions": shapes.integer(1, MOST_PARTITIONS)}, {"changelogs_grown": shapes.boolean()}
    ),
    "remove_client": _of_a_client({}, {"leaves": _leaves}),
    "replace_client": _of_a_client(
        {"by": _replacement},
        {
            "state": shapes.either(
                shapes.one_of(("empty", "kept")), closed({"copied_from": PROCESS_ID}), closed({"copied_from_client": _named})
            ),
            "late": _late,
        },
    ),
    "restart_client": _of_a_client(
        {},
        {
            "keeps_process_id": shapes.boolean(),
            "new_process_id": _new_id,
            "keeps_state": shapes.boolean(),
            "threads": nullable(shapes.THREADS),
            "member_ids": _member_ids,
            "within_session": _within_session,
            "late": _late,
        },
    ),
    "rolling_restart": closed(
        {},
        {
            "process_ids": nullable(items(PROCESS_ID, at_least=1), "Null: all, in their order."),
            "clients": items(_named, "In the place of `process_ids`.", at_least=1),
            "at_once": shapes.integer(1, MOST_EVENTS),
            "wait": _wait,
            "keeps_process_id": shapes.boolean(),
            "keeps_state": shapes.boolean(),
            "set_config": _settings,
            "kafka_release": nullable(shapes.RELEASE),
            "within_session": _within_session,
            "late": _late,
        },
    ),
    "set_config": _settings,
    "set_release": closed({"kafka_release": shapes.RELEASE}),
    "set_threads": _of_a_client({"threads": shapes.THREADS}, {"member_ids": _member_ids}),
    "set_topology": closed({"tasks": table(TASK_ID, task)}, {"keeps_state": shapes.boolean()}),
    "stop_application": closed({"minutes": shapes.number(0, LONGEST_STOP)}),
    "then": _wait,
}
_EVENTS |= {verb: with_defaults(_EVENTS[verb], values) for verb, values in defaults.EVENTS.items() if verb != "add_client"}


EVENTS = items(
    {"type": "object", "minProperties": 1, "maxProperties": 1, "properties": _EVENTS, "additionalProperties": False},
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


ASSUME = with_defaults(ASSUME, defaults.ASSUMED)


CHANGE: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION, "events": EVENTS | {"maxItems": MOST_EVENTS}},
    {"assume": ASSUME | {"default": dict(defaults.ASSUMED)}},
    "What the operator means to do.",
)
