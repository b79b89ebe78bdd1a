"""JSON Schema of a Snapshot of a Kafka Streams group."""

from holdfast.kafka import java
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN
from holdfast.rollout.contract.unknown import UNKNOWN
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import (
    PROCESS_ID,
    TASK_ID,
    TASK_IDS,
    TOPIC_PARTITION,
    Shape,
    fields,
    items,
    nullable,
    table,
)
from holdfast.rollout.streams.snapshot.defaults import SETTINGS
from holdfast.rollout.streams.snapshot.json import PROTOCOL
from holdfast.rollout.streams.snapshot.snapshot import Stores

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


task = fields(
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
        "tasks": table(TASK_ID, task),
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
        | {"properties": {key: shapes.CONFIG_VALUE | {"default": value} for key, value in SETTINGS.items()}},
        "topics": table(shapes.name(), _topic),
        "missing_topics": items(shapes.name("A source topic that the brokers do not have: the leader sends all members an error.")),
        "state_directories": items(_state_directory),
        "generations": items(_generation, "Completed rebalances."),
        "unknown": shapes.items(UNKNOWN.shape(), "What could not be read, each with its reason."),
        "stores": nullable(
            shapes.one_of(Stores),
            "Where state is kept: without a store on disk no process ID is kept. Null: not said; state directories may show it.",
        ),
    },
    "What one classic Kafka Streams group looked like at one moment. Fields that are not listed are ignored.",
)
