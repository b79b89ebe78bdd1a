"""The contracts of plain consumer groups: Snapshot, Change, Assignment, Forecast, Plan."""

from holdfast.kafka import java
from holdfast.kafka.consumer.config import Reset
from holdfast.kafka.consumer.group import Assignor, NextRebalance
from holdfast.rollout.change import Wait
from holdfast.rollout.codec.change import MOST_EVENTS, MOST_PARTITIONS
from holdfast.rollout.codec.consumer_snapshot import NO_GENERATION, PROTOCOL
from holdfast.rollout.consumer import ways
from holdfast.rollout.outcomes import Trigger
from holdfast.rollout.plan_value import PlanVerdict
from holdfast.rollout.schema import shapes
from holdfast.rollout.schema.given import POLICY
from holdfast.rollout.schema.made import EFFORT_COUNTS, RULE, SETTING, TIMES
from holdfast.rollout.schema.shapes import Shape, closed, count, fields, items, nullable, one_of, table, text
from holdfast.rollout.steps import Who

_generation = nullable(shapes.integer(NO_GENERATION, java.INT_MAX), "Null, or -1: none.")
_assignors = items(one_of(Assignor), "In the order of the member's own list.", at_least=1)
_subscription = items(shapes.name(), "A topic that is not in `topics` does not exist.")
_replica_racks = items(nullable(text()), "Of each replica's broker.")
_partitions = items(shapes.TOPIC_PARTITION)

_consumer = fields(
    {"assignors": _assignors, "subscription": _subscription},
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
    {"replica_racks": _replica_racks} | {f"{which}_offset": nullable(shapes.OFFSET) for which in ("begin", "end", "committed")},
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
        "unknown": items(shapes.UNKNOWN, "What could not be read, each with its reason."),
    },
    "What one plain consumer group looked like at one moment. Fields that are not listed are ignored.",
)

_like_the_old_one: dict[str, Shape] = {
    "assignors": _assignors,
    "subscription": _subscription,
    "client_id": text(),
    "host": nullable(text()),
    "rack": nullable(text()),
    "group_instance_id": nullable(shapes.name()),
}
_count = shapes.integer(1, MOST_PARTITIONS)
_racks = nullable(items(_replica_racks), "For each new partition.")
_EVENTS: dict[str, Shape] = {
    "add_consumer": closed({"member_id": shapes.name(), "assignors": _assignors, "subscription": _subscription}, _like_the_old_one),
    "remove_consumer": closed(
        {"member_id": shapes.name()},
        {"leaves": shapes.boolean("False: it just ends."), "hangs": shapes.boolean("It no longer calls poll.")},
    ),
    "replace_consumer": closed({"member_id": shapes.name(), "by": closed({"member_id": shapes.name()}, _like_the_old_one)}),
    "restart_consumer": closed(
        {"member_id": shapes.name()},
        {"new_member_id": nullable(shapes.name()), "within_session": shapes.boolean()} | _like_the_old_one,
        "What is not given stays.",
    ),
    "set_assignors": closed(
        {"assignors": _assignors, "member_ids": table(shapes.name(), shapes.name(), "The old ID and the new one.", at_least=1)},
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
    "What is meant to be done to a plain consumer group.",
)

_part = fields(
    {"partitions": _partitions, "withheld": _partitions, "revoked": _partitions, "next_rebalance": one_of(NextRebalance)}
)
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

_span = shapes.row(
    shapes.number(0), shapes.number(0), about="Usually (members poll as soon as they hear of it), and at most (one is busy)."
)
_round = fields(
    {
        "trigger": one_of((Trigger.CHANGE, Trigger.IMMEDIATE)),
        "at_seconds": shapes.number(0),
        "assignment": ASSIGNMENT,
        "stopped": nullable(count("Partitions that were read and stand still while the members join; null: not known.")),
        "unread": count("Partitions that nobody reads once it is over."),
        "noticed_seconds": shapes.number(0, about="Until the group noticed what brought it about."),
        "lasts_seconds": _span,
    }
)
SUMMARY = closed(
    {
        "partitions": count("That somebody subscribes to at the end."),
        "moved": nullable(count("That another member reads than before.")),
        "needless": nullable(count("The same between members that were there all the time.")),
        "rebalances": count(),
        "stops": nullable(count("How often a partition stands still, over all rounds.")),
        "seconds_to_stable": nullable(shapes.number(0)),
        "longest_stop_seconds": nullable(_span, "How long one partition stands still at a time."),
        "stopped_partition_seconds": nullable(_span, "All of them together."),
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
        "events": EVENTS,
        "outcomes": items(
            fields(
                {
                    "probability": shapes.number(0, 1),
                    "member_ids": items(shapes.name()),
                    "stable": shapes.boolean(),
                    "warnings": items(text("What a reader has to see first.")),
                    "positions": _positions,
                    "summary": SUMMARY,
                },
                {"rounds": items(_round, "Left out with `--detail summary`.")},
            )
        ),
        "unknown": items(shapes.UNKNOWN),
    },
    about="What Kafka will do about a change to a plain consumer group, rebalance by rebalance.",
)

_ACTIONS = (*(name for name in _EVENTS if name != "then"), *(f"await_{wait}" for wait in Wait))
_step = closed(
    {
        "id": shapes.name("Its number, from 1."),
        "action": one_of(_ACTIONS),
        "who": one_of((Who.OPERATOR,)),
        "inputs": {"type": "object", "description": "The event's content, or how long to wait."},
        "says": text("What is done."),
        "check_before": text(),
        "check_after": text(),
        "undo": text(),
        "expect": text(),
    }
)
_course = closed(
    {
        "rounds": items(
            closed(
                {
                    "trigger": one_of((Trigger.CHANGE, Trigger.IMMEDIATE)),
                    "at_seconds": shapes.number(0),
                    "handed_over": count("Partitions that another member reads from then on."),
                    "stopped": nullable(count()),
                    "unread": count(),
                    "lasts_seconds": _span,
                }
            )
        ),
        "members": items(
            closed(
                {
                    "member_id": shapes.name(),
                    "host": nullable(text()),
                    "was": nullable(shapes.name("The member ID that it has now, where it comes back under another.")),
                    "now": nullable(_partitions, "Null: it is not there yet."),
                    "then": nullable(_partitions, "Null: it is gone."),
                }
            ),
            "In Kafka's order of members.",
        ),
    },
    about="How it goes and who reads what: of the chosen and of the plain way.",
)
_considered = closed(
    {
        "name": one_of(ways.NAMES),
        "title": text(),
        "why_not": text("Empty for the chosen one."),
        "change": CHANGE,
        "summary": nullable(SUMMARY),
        "rules": items(RULE),
        "warnings": items(text()),
        "unknown": items(text()),
        "refused": nullable(text()),
        "settings": items(SETTING, "For the time of the roll."),
    },
    {"records_read_twice_at_most": count(), "course": _course, "times": TIMES, "effort_counts": EFFORT_COUNTS},
)
_fingerprint = shapes.name("sha256: and 64 hexadecimal digits.")
PLAN: Shape = closed(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name("The first digits of the digest of everything else."),
        "protocol": one_of((PROTOCOL,)),
        "created_at": shapes.INSTANT,
        "expires_at": shapes.INSTANT,
        "created_from": closed(
            {"snapshot": _fingerprint, "change": _fingerprint, "policy": _fingerprint}, {"captured_at": shapes.INSTANT}
        ),
        "cluster": text(),
        "group_id": shapes.name(),
        "verdict": one_of(PlanVerdict),
        "headline": text("What would skip data stands first."),
        "wrong_if": text("The one fact that would make it wrong."),
        "blocked_by": items(text()),
        "chosen": nullable(one_of(ways.NAMES)),
        "steps": items(_step),
        "settings": items(SETTING),
        "preconditions": items(text()),
        "rules": items(RULE),
        "unknown": items(text()),
        "candidates": items(_considered),
        "change": CHANGE,
        "policy": POLICY,
        "basis": SNAPSHOT,
    },
    {
        "requested_by": shapes.name("Who asked for the plan, as Airflow names the user; nobody where no person did."),
        "signature": shapes.signature(),
    },
    about="The best way to make a change to a plain consumer group, and why not the others.",
)
