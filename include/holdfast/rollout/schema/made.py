"""What Holdfast makes: Assignment, Forecast, Plan, Journal, Verdict, and whether a plan is stale."""

from holdfast.kafka import java
from holdfast.kafka.streams.group import NextRebalance
from holdfast.rollout.basis import Kind
from holdfast.rollout.codec.change import LONGEST_STOP, MOST_PARTITIONS
from holdfast.rollout.codec.steps import LONGEST_LIMIT_S, MOST_STEPS
from holdfast.rollout.evaluation import Effort
from holdfast.rollout.evidence import Shown
from holdfast.rollout.otherwise import If
from holdfast.rollout.plan_value import PlanVerdict
from holdfast.rollout.rules import Status
from holdfast.rollout.schema import shapes
from holdfast.rollout.schema.given import ASSUME, CHANGE, EVENTS, POLICY
from holdfast.rollout.schema.shapes import (
    CONFIG_VALUE,
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
from holdfast.rollout.steps import Who
from holdfast.rollout.times import ConditionKind, PhaseKind
from holdfast.rollout.verify import Result

_names = items(shapes.name())
_share = {"active": TASK_IDS, "standby": TASK_IDS}
_undetermined = fields(
    {},
    {
        "clients": closed({}, {"standby": items(PROCESS_ID)}) | {"additionalProperties": True},
        "consumers": fields({}, {"active": _names, "standby": _names, "withheld": _names}),
    },
    "Where else a task may stand: Kafka itself leaves it to chance.",
)
_decided = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "probing_rebalance_needed": shapes.boolean(),
        "clients": table(PROCESS_ID, fields(_share)),
        "consumers": table(shapes.name(), fields(_share | {"withheld": TASK_IDS, "next_rebalance": one_of(NextRebalance)})),
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

_amount = closed({"records": count("By offset, at most."), "bytes": nullable(count())})
READS_BY_BROKER = table(
    {"type": "string", "pattern": "^(0|[1-9][0-9]{0,9}|unknown)$"},
    closed({"total": _amount, "at_once": _amount}),
    "What each broker serves to clients that restore, by its ID; `at_once`: in one rebalance.",
)
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
        "stopped_task_seconds": shapes.number(0, about="Tasks of clients that ended, until the group notices, all together."),
        "stopped": table(TASK_ID, fields({"seconds": shapes.number(0), "seconds_without_copy": shapes.number(0)})),
        "reads_by_broker": READS_BY_BROKER,
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
        "assumptions": ASSUME,
        "events": EVENTS,
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
        "unknown": items(shapes.UNKNOWN),
    },
    about="What Kafka will do about a change, rebalance by rebalance, for every place that fresh process IDs can take.",
)

RULE = closed(
    {"name": shapes.name(), "found": text(), "limit": text(), "status": one_of(Status), "blocking": shapes.boolean()},
)
_span = shapes.row(count(), count(), about="[low, high]")
_restores = table(PROCESS_ID, closed({"tasks": TASK_IDS, "records": count()}, {"bytes": nullable(count())}))
_round = closed(
    {
        "trigger": shapes.name(),
        "at_seconds": count(),
        "handed_over": count(),
        "withheld": count(),
        "warm_ups": count(),
        "restoring_longest": count(),
    },
    {"without_caught_up_copy": count(), "restoring": table(PROCESS_ID, count(), "Records that each client begins to restore.")},
)
ESTIMATE = shapes.row(count(), count(), count(), about="Seconds from the first act: [at least, usually, at most].")
CONDITION = closed(
    {
        "kind": one_of(ConditionKind),
        "within_s": count(),
        "directories": count(),
        "tasks": count(),
        "records": count(),
        "bytes": nullable(count()),
        "met": nullable(shapes.boolean(), "By the copy speed that the policy states; null: not known."),
        "otherwise_rebalancing_ends": nullable(ESTIMATE),
        "otherwise_restored": nullable(ESTIMATE),
        "otherwise_downtime_s": count(),
    },
    about="The figures beside it hold only if it is met.",
)
TIMES = closed(
    {
        "rebalancing_ends": nullable(ESTIMATE, "When the last rebalance is over. Null: never."),
        "restored": nullable(ESTIMATE, "When all state is restored, standby copies included. Null: never."),
    },
    {
        "condition": nullable(CONDITION),
        "phases": items(
            closed({"kind": one_of(PhaseKind), "seconds": ESTIMATE, "rebalance": nullable(shapes.integer(1, java.INT_MAX))}),
            "One after the other; `rebalance`: the number of the one that it is or leads to.",
        ),
        "rebalances": items(ESTIMATE, "When each is complete."),
    },
    "How long it takes, from the first act.",
)
_ACT = closed(
    {
        "rebalances": count("That follow from it."),
        "starts": count("Clients that are started in it."),
        "noticed_s": count("The session time-out that has to pass."),
        "stopped_s": count(),
        "refresh_s": count(),
        "unseen": shapes.boolean("Static members that return before the group notices."),
    }
)
EFFORT_COUNTS = closed(
    {
        "restarts": count("Clients that are restarted where they are."),
        "manual_steps": count("Steps that people do."),
        "copies": count("State directories that are copied."),
        "files": count("Process-metadata files that are written."),
    }
)
_one_or_more = shapes.integer(1, java.LONG_MAX)
COST = closed(
    {
        "probability": shapes.number(0, 1),
        "process_ids": items(PROCESS_ID),
        "stable": shapes.boolean(),
        "stateful_tasks": count(),
        "moved": count(),
        "needless": count(),
        "handovers": count(),
        "rebalances": _span,
        "seconds_to_stable": _span,
        "restores": _restores,
        "cold": _restores,
        "busiest_client": nullable(PROCESS_ID),
        "busiest_tasks": count(),
        "rounds": items(_round),
        "end": table(PROCESS_ID, closed(_share)),
    },
    {
        "reads_by_broker": READS_BY_BROKER,
        "disks": table(
            PROCESS_ID,
            closed({"now": _amount, "most": _amount, "end": _amount}, {"free": nullable(count())}),
            "What the stores on each client's disk weigh.",
        ),
        "restored_tasks": table(TASK_ID, _amount, "What is read for each task that anybody restores."),
        "stops": table(
            TASK_ID,
            closed({"seconds": count(), "seconds_without_copy": count(), "records": count()}),
            "Tasks that stand still: for so long, and then until so many records are read.",
        ),
        "fullest": nullable(closed({"client": PROCESS_ID, "copies": _one_or_more, "even_share": _one_or_more})),
        "rebalances_usual": nullable(count("As many as the forecast has, between the bounds of `rebalances`.")),
        "probes_more": count("Probing rebalances among those that may come beyond it."),
        "acts": items(_ACT, "What is done, batch by batch, as it takes time."),
        "times": nullable(TIMES),
        "unsettled": nullable(text("Why it is not stable.")),
    },
)
_host = nullable(text())
_limit = shapes.integer(1, LONGEST_LIMIT_S)
_INPUTS: dict[str, Shape] = {
    "stop_client": closed({"process_id": PROCESS_ID, "host": _host}),
    "write_process_metadata": closed(
        {"process_id": PROCESS_ID, "host": _host, "source": nullable(PROCESS_ID)}, {"replaces": nullable(PROCESS_ID)}
    ),
    "copy_state_directory": closed({"process_id": PROCESS_ID, "from_host": _host, "to_host": _host}),
    "start_client": closed({"process_id": nullable(PROCESS_ID), "threads": shapes.THREADS, "host": _host}),
    "restart_client": closed(
        {"process_id": PROCESS_ID, "host": _host, "comes_back_as": nullable(PROCESS_ID), "keeps_state": shapes.boolean()}
    ),
    "set_config": closed({"key": shapes.name(), "value": CONFIG_VALUE, "was": CONFIG_VALUE}),
    "set_release": closed({"kafka_release": shapes.RELEASE, "was": nullable(shapes.RELEASE)}),
    "set_threads": closed({"process_id": PROCESS_ID, "host": _host, "threads": shapes.THREADS, "was": shapes.THREADS}),
    "add_partitions": closed({"topic": shapes.name(), "partitions": shapes.integer(1, MOST_PARTITIONS)}),
    "stop_application": closed({"minutes": shapes.number(0, LONGEST_STOP)}),
    "deploy_topology": closed({"tasks": count(), "keeps_state": shapes.boolean()}),
    "await_rebalance": closed({"limit_s": _limit}),
    "await_stable": closed({"limit_s": _limit}),
}
_STEP = closed(
    {
        "id": shapes.name("Its number, from 1."),
        "action": one_of(_INPUTS),
        "who": one_of(Who),
        "inputs": {"type": "object"},
        "check_before": text(),
        "check_after": text(),
        "undo": text(),
        "expect": text(),
    }
) | {
    "allOf": [
        {"if": {"properties": {"action": {"const": verb}}}, "then": {"properties": {"inputs": inputs}}}
        for verb, inputs in _INPUTS.items()
    ]
}
_CONSIDERED = closed(
    {
        "name": shapes.name(),
        "title": text(),
        "why_not": text("Empty for the chosen one."),
        "effort": one_of(Effort),
        "change": CHANGE,
        "summary": items(COST, "One an outcome."),
        "rules": items(RULE),
        "unknown": items(text()),
        "refused": nullable(text()),
    },
    {
        "as_asked": shapes.boolean("False: it does not do what was asked; it is there to be compared."),
        "effort_counts": EFFORT_COUNTS,
    },
)
_client_basis = closed(
    {"host": _host, "members": items(text()), "active": TASK_IDS},
    {"rack": nullable(text()), "client_tags": table(shapes.name(), text())},
)
_subtopology = closed({"topics": items(text()), "stores": items(text())})
_BASIS = closed(
    {
        "cluster": text(),
        "group_id": text(),
        "protocol": text(),
        "kafka_release": nullable(text()),
        "task_assignor": nullable(text()),
        "config": shapes.CONFIG,
        "tasks": table(TASK_ID, nullable(shapes.boolean()), "Whether it keeps state; null: not known."),
        "clients": table(PROCESS_ID, _client_basis),
    },
    {
        "generation": nullable(count()),
        "subtopologies": table(
            shapes.name(), _subtopology, "By number: the topics that its tasks read, the stores that they keep."
        ),
    },
    about="What the plan relies on: a fresh snapshot is compared with it before anything is done.",
)
_OTHERWISE = closed(
    {
        "if": one_of(
            If,
            "late: clients are back after their sessions; in time: static members before; one by one: not together;"
            " stores in memory: no process ID is kept.",
        ),
        "seconds": nullable(shapes.number(0), "How long a client may be away, from when its stop begins; null: not about time."),
        "process_ids": items(PROCESS_ID, "The clients that it is about."),
        "change": CHANGE,
        "summary": items(COST, "One an outcome."),
        "refused": nullable(text()),
    }
)
SETTING = closed({"key": shapes.name(), "value": CONFIG_VALUE, "revert_to": CONFIG_VALUE, "note": text()})
_fingerprint = shapes.name("sha256: and 64 hexadecimal digits.")
PLAN: Shape = closed(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name("The first digits of the digest of everything else."),
        "created_at": shapes.INSTANT,
        "expires_at": shapes.INSTANT,
        "created_from": closed(
            {"snapshot": _fingerprint, "change": _fingerprint, "policy": _fingerprint}, {"captured_at": shapes.INSTANT}
        ),
        "verdict": one_of(PlanVerdict),
        "headline": text(),
        "why": text(),
        "wrong_if": text("The one fact that would make it wrong."),
        "blocked_by": items(text()),
        "chosen": nullable(shapes.name()),
        "steps": items(_STEP) | {"maxItems": MOST_STEPS},
        "settings": items(SETTING),
        "preconditions": items(text()),
        "rules": items(RULE),
        "unknown": items(text()),
        "candidates": items(_CONSIDERED),
        "change": CHANGE,
        "policy": POLICY,
        "basis": _BASIS,
    },
    {
        "requested_by": shapes.name("Who asked for the plan, as Airflow names the user; nobody where no person did."),
        "signature": shapes.signature(),
        "otherwise": items(_OTHERWISE, "What the chosen way costs where a condition of its forecast does not hold."),
    },
    about="Steps in order, why they were chosen over the alternatives, what they are expected to do, how to undo them.",
)

VERDICT: Shape = fields(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name(),
        "cluster": text(),
        "group_id": text(),
        "observed_at": nullable(text()),
        "result": one_of(Result),
        "score": fields({"tasks_as_forecast": count(), "tasks": count()}),
        "rebalances": fields({"expected": _span, "found": nullable(count())}),
        "differences": items(text()),
        "tasks": table(TASK_ID, fields({"expected": PROCESS_ID, "found": nullable(PROCESS_ID)})),
    },
    {
        "steps": items(fields({"step": shapes.name(), "what": text(), "shown": one_of(Shown), "evidence": text()})),
        "standbys": table(TASK_ID, fields({"expected": items(PROCESS_ID), "found": items(PROCESS_ID)})),
    },
    about="The forecast against what happened, and what shows that each step did.",
)
STALENESS: Shape = closed(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name(),
        "stale": shapes.boolean(),
        "drifts": items(
            closed(
                {
                    "kind": one_of(Kind),
                    "found": text(),
                    "matters": shapes.boolean(),
                    "why": text(),
                    "process_id": nullable(PROCESS_ID),
                }
            )
        ),
    },
    about="How a fresh snapshot differs from what a plan relies on, and whether that matters to it.",
)
