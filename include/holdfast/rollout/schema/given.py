"""What people and collectors give: Snapshot, Change, Policy, Approval."""

from holdfast.kafka import java
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN
from holdfast.rollout import limits
from holdfast.rollout.change import CatchUp, ClosedCopies, DormantCopies, Wait
from holdfast.rollout.codec.change import FASTEST_RESTORE, LONGEST_STOP, MOST_EVENTS, MOST_PARTITIONS
from holdfast.rollout.codec.policy import AT_LEAST_ONE, MOST_WINDOWS, OPTIONAL_LIMITS, most_of
from holdfast.rollout.codec.snapshot import PROTOCOL
from holdfast.rollout.journal import Decider
from holdfast.rollout.policy import RULES, Review
from holdfast.rollout.rates import RateSource
from holdfast.rollout.schema import defaults, shapes
from holdfast.rollout.schema.shapes import (
    PROCESS_ID,
    TASK_ID,
    TASK_IDS,
    TOPIC_PARTITION,
    Shape,
    closed,
    fields,
    items,
    nullable,
    table,
)
from holdfast.rollout.snapshot import Stores
from holdfast.rollout.steps import ACTIONS

_offset_sum = shapes.integer(-3, java.LONG_MAX, "A sum of offsets; -2 is a running active task, -3 a standby of an old member.")
_metadata_version = shapes.integer(1, java.INT_MAX)

_consumer = fields(
    {},
    {
        "client_id": shapes.text(),
        "group_instance_id": nullable(shapes.text()),
        "owned": items(TOPIC_PARTITION, "What it would report to own if the group rebalanced now."),
        "task_offset_sums": table(TASK_ID, _offset_sum, "What it would report if the group rebalanced now."),
        "metadata_version": nullable(_metadata_version),
        "error_code": shapes.integer(0, java.INT_MAX),
        "assigned": nullable(
            fields({}, {"active": nullable(TASK_IDS), "standby": nullable(TASK_IDS)}), "Evidence: its assignment."
        ),
        "last_join": nullable(
            fields(
                {},
                {
                    "owned": nullable(items(TOPIC_PARTITION)),
                    "task_offset_sums": nullable(table(TASK_ID, shapes.integer(-(2**63), java.LONG_MAX))),
                    "metadata_version": nullable(_metadata_version),
                },
            ),
            "Evidence: what it last sent, regularly old.",
        ),
    },
)
_client = fields(
    {"consumers": table(shapes.name(), _consumer, "By member ID, in the order of the group's member list.", at_least=1)},
    {
        "host": nullable(shapes.text()),
        "rack": nullable(shapes.text()),
        "client_tags": table(shapes.name(), shapes.text()),
        "user_endpoint": nullable(shapes.text()),
    },
)
_task = fields(
    {
        "partitions": items(TOPIC_PARTITION),
        "changelogs": nullable(
            items(shapes.row(shapes.name(), shapes.PARTITION, nullable(shapes.OFFSET))),
            "[topic, partition, end offset]; none: the task is stateless; null: not known.",
        ),
    }
)
_topic = fields(
    {
        "partitions": items(
            fields(
                {"id": shapes.PARTITION},
                {
                    "replica_racks": items(nullable(shapes.text())),
                    "begin_offset": nullable(shapes.OFFSET),
                    "log_bytes": nullable(shapes.OFFSET),
                    "leader": nullable(shapes.PARTITION, "The ID of the broker that leads it."),
                },
            )
        )
    }
)
_lock = nullable(
    fields(
        {"held": nullable(shapes.boolean("Whether a running client held .lock; null: it cannot be known."))},
        {"pid": nullable(shapes.integer(1, java.INT_MAX)), "reason": nullable(shapes.text())},
    )
)
_checkpoint = nullable(items(shapes.row(shapes.name(), shapes.PARTITION, shapes.integer(OFFSET_UNKNOWN, java.LONG_MAX))))
_task_directories = table(
    TASK_ID,
    fields(
        {"non_empty": shapes.boolean()},
        {
            "checkpoint": _checkpoint,
            "stores": items(shapes.text()),
            "offsets_in_stores": shapes.boolean("The checkpoint was read in the stores themselves."),
            "open_stores": items(shapes.text("A store that says that it was not closed (4.3).")),
            "lock": _lock,
            "unreadable": shapes.boolean("Not all that says how far its stores are could be read."),
        },
    ),
)
_first_report = fields(
    {"task_offset_sums": table(TASK_ID, shapes.integer(-(2**63), java.LONG_MAX), "What a client started on it reports.")},
    {"doubts": items(shapes.text())},
)
_state_directory = fields(
    {"url": shapes.name()},
    {
        "process_id": nullable(PROCESS_ID),
        "lock": _lock,
        "global": _checkpoint,
        "files": items(fields({"path": shapes.name(), "size": shapes.OFFSET}, {"modified_at": nullable(shapes.INSTANT)})),
        "tasks": _task_directories,
        "named_topologies": table(shapes.text(), _task_directories, "By name: Kafka Streams 3.x, `__name__/0_1`."),
        "first_report": nullable(_first_report),
        "others": items(shapes.text("An entry that Kafka Streams does not know.")),
        "free_bytes": nullable(shapes.OFFSET, "What may still be written on its file system."),
    },
)
_generation = fields(
    {
        "number": shapes.PARTITION,
        "completed_at": shapes.INSTANT,
        "members": table(
            shapes.name(),
            fields(
                {
                    "subscription": {"type": "string", "contentEncoding": "base64"},
                    "assignment": {"type": "string", "contentEncoding": "base64"},
                },
                {
                    "client_id": shapes.text(),
                    "client_host": shapes.text(),
                    "group_instance_id": nullable(shapes.text()),
                    "session_timeout_ms": nullable(shapes.integer(1, java.INT_MAX)),
                },
            ),
        ),
    },
    {"leader_member_id": nullable(shapes.text()), "protocol": nullable(shapes.text())},
)

SNAPSHOT: Shape = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "protocol": shapes.one_of((PROTOCOL,), "The group protocol."),
        "group_id": shapes.name("The application.id."),
        "tasks": table(TASK_ID, _task),
        "clients": table(PROCESS_ID, _client, "By process ID, in the order of the group's member list."),
    },
    {
        "cluster": shapes.text() | {"default": ""},
        "captured_at": nullable(shapes.INSTANT),
        "group_state": nullable(shapes.text()),
        "kafka_release": nullable(shapes.RELEASE),
        "task_assignor": nullable(shapes.name()),
        "leader_process_id": nullable(PROCESS_ID, "Null: not known. One of the clients."),
        "config": shapes.CONFIG
        | {"properties": {key: shapes.CONFIG_VALUE | {"default": value} for key, value in defaults.SETTINGS.items()}},
        "topics": table(shapes.name(), _topic),
        "missing_topics": items(shapes.name("A source topic that the brokers do not have: the leader sends everybody an error.")),
        "state_directories": items(_state_directory),
        "generations": items(_generation, "Completed rebalances."),
        "unknown": items(shapes.UNKNOWN, "What could not be read, each with its reason."),
        "stores": nullable(
            shapes.one_of(Stores),
            "Where state is kept: without a store on disk no process ID is kept. Null: not said; state directories may show it.",
        ),
    },
    "What one classic Kafka Streams group looked like at one moment. Fields that are not listed are ignored.",
)

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
_added = defaults.with_defaults(_client_that_comes, defaults.ADDED) | {
    "anyOf": [{"required": ["threads"]}, {"required": ["member_ids"]}]
}
_replacement = defaults.with_defaults(_client_that_comes, defaults.REPLACEMENT) | {
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
    "False: it just ends, and the group notices after its session time-out. Null: a Forecast takes it to leave, a Plan does not.",
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
    "set_topology": closed({"tasks": table(TASK_ID, _task)}, {"keeps_state": shapes.boolean()}),
    "stop_application": closed({"minutes": shapes.number(0, LONGEST_STOP)}),
    "then": _wait,
}
_EVENTS |= {verb: defaults.with_defaults(_EVENTS[verb], values) for verb, values in defaults.EVENTS.items() if verb != "add_client"}
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
ASSUME = defaults.with_defaults(ASSUME, defaults.ASSUMED)
CHANGE: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION, "events": EVENTS | {"maxItems": MOST_EVENTS}},
    {"assume": ASSUME | {"default": dict(defaults.ASSUMED)}},
    "What the operator means to do.",
)


def _limit(field: str, about: str) -> Shape:
    shape = shapes.integer(1 if field in AT_LEAST_ONE else 0, most_of(field))
    return nullable(shape, about) if field in OPTIONAL_LIMITS else shape | {"description": about}


_LIMITS = {
    "moved_percent_most": "Stateful tasks, in percent, that leave untouched clients beyond what a new client must get.",
    "without_caught_up_copy_s_most": "Seconds that a task may stand still because nobody has its state.",
    "time_to_stable_s_most": f"Seconds until the last rebalance is over. Null: {limits.LEAST_SECONDS:,}, or twice the probing"
    " intervals that one client's share of the tasks takes, whichever is more; the seconds of the change's own steps come on top.",
    "rebalances_most": "Rebalances beyond those that the requested change causes by itself. Null:"
    f" {limits.LEAST_REBALANCES}, or two for each probing rebalance that one client's share of the tasks takes and two more,"
    " whichever is more.",
    "restored_bytes_most": "Bytes read back from changelogs. Null: no limit.",
    "restore_records_per_second": "How fast one client restores: an assumption until you have measured yours.",
    "restore_slowest": "The least that this speed may really be. Null: as its source says (assumed: a fifth; stated: exact).",
    "restore_fastest": "The most that this speed may really be. Null: as its source says (assumed: five times; stated: exact).",
    "restore_observations": "How many restores it was measured in. Null: it was not.",
    "start_up_s_least": "Seconds from the start of a client's process until it joins the group, at the least: an assumption.",
    "start_up_s": "The same as it usually is: an assumption until you state yours.",
    "start_up_s_most": "The same at the most: an assumption.",
    "between_steps_s_most": "Seconds that may pass after each step until the next one is begun.",
    "copy_bytes_per_second": "How fast a state directory is copied. Null: not known, and so is what rests on it.",
    "bytes_per_record": "The average size of a changelog record where nobody measured the changelog. Null: not known.",
    "copy_state_over_s": "Seconds of standing still above which copying a whole disk is worth the handwork.",
    "valid_for_s": "Seconds after its snapshot for which a plan may be applied; a week at most.",
    "moved_in_all_percent_most": "Stateful tasks, in percent, that change hands for whatever reason. Null: no limit.",
    "without_caught_up_copy_tasks_most": "Tasks that may stand still at the same time. Null: no limit.",
    "restored_bytes_per_hour_most": "Bytes read back from changelogs in any one hour. Null: no limit.",
    "disk_free_bytes_least": "Bytes that must stay free on every client's disk. Null: none, and only disks that were seen count.",
    "copies_on_one_client_percent_most": "Copies of stateful tasks on one client, in percent of an even share. Null: no limit.",
}
_window = closed({"from": shapes.TIME_OF_DAY, "to": shapes.TIME_OF_DAY}, {"days": items(shapes.DAY)})
POLICY: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION},
    {field: _limit(field, about) for field, about in _LIMITS.items()}
    | {
        "finish_before": nullable(
            shapes.text(), "A time of day (06:00Z), a moment, or a time from now (90 min, 2 h). Null: no limit."
        ),
        "restore_rate_source": shapes.one_of(
            RateSource, "Who says how fast a client restores. Left out: the policy where it says so, else nobody."
        ),
        "windows": items(_window, "When a rollout may run: from, to, and on which days (mon to sun). None: at any time.")
        | {"maxItems": MOST_WINDOWS},
        "actions": nullable(items(shapes.one_of(ACTIONS)), "The actions that steps may ask for. Null: all."),
        "untouchable_hosts": items(shapes.text(), "Hosts on which no step may do anything."),
        "review": shapes.one_of(Review, "When a person must look. Never: what would ask a person stops the plan."),
        "four_eyes": shapes.boolean("Whether somebody else than who asked for a plan must approve it. Who asked may reject it."),
        "blocking": items(shapes.one_of(RULES), "Rules whose failure stops a plan; left out: those whose limit this file states."),
        "exclude": items(shapes.text(), "Ways that cannot be done here, by name."),
        "allow": items(shapes.text(), "Ways that are chosen only where they stand here, by name."),
    },
    "The limits of a team. What is left out is Holdfast's own.",
)

POLICY = defaults.with_defaults(POLICY, defaults.POLICY)

APPROVAL: Shape = closed(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name(),
        "approved": shapes.boolean(),
        "by": shapes.name(),
        "reason": shapes.text(),
        "at": shapes.INSTANT,
    },
    {
        "by_id": shapes.nullable(shapes.name("The user's ID where they were logged in.")),
        "decided_by": shapes.one_of(Decider, "A person, the policy, or nobody in time: never an approval then."),
        "plan_fingerprint": shapes.nullable(
            shapes.name("`sha256:` and 64 digits of what was shown: it is approved, and no other.")
        ),
        "asked_by": shapes.nullable(shapes.name("Who asked for the plan; nobody where no person did.")),
        "signature": shapes.signature(),
    },
    about="The answer to one plan, and to no other.",
)
