"""JSON Schema of a Plan for a Kafka Streams group."""

from holdfast.kafka import java
from holdfast.rollout.contract.batches_json import LONGEST_STOP, MOST_PARTITIONS
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.schema import span
from holdfast.rollout.contract.settings import SettingChange, Who
from holdfast.rollout.contract.times import Act, EffortCounts, Times
from holdfast.rollout.contract.verdicts import PlanVerdict, Rule
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json import shapes
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.shapes import (
    CONFIG_VALUE,
    PROCESS_ID,
    TASK_ID,
    TASK_IDS,
    Shape,
    closed,
    count,
    items,
    nullable,
    one_of,
    table,
    text,
)
from holdfast.rollout.policy.json import POLICY
from holdfast.rollout.streams.change.schema import CHANGE
from holdfast.rollout.streams.cost.evaluation import Effort
from holdfast.rollout.streams.forecast.schema import READS_BY_BROKER, amount, share
from holdfast.rollout.streams.options.otherwise import If
from holdfast.rollout.streams.steps.json import LONGEST_LIMIT_S, MOST_STEPS

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
        "rebalances": span,
        "seconds_to_stable": span,
        "restores": _restores,
        "cold": _restores,
        "busiest_client": nullable(PROCESS_ID),
        "busiest_tasks": count(),
        "rounds": items(_round),
        "end": table(PROCESS_ID, closed(share)),
    },
    {
        "reads_by_broker": READS_BY_BROKER,
        "disks": table(
            PROCESS_ID,
            closed({"now": amount, "most": amount, "end": amount}, {"free": nullable(count())}),
            "The size of the stores on each client's disk.",
        ),
        "restored_tasks": table(TASK_ID, amount, "What is read for each task that is restored."),
        "stops": table(
            TASK_ID,
            closed({"seconds": count(), "seconds_without_copy": count(), "records": count()}),
            "Unavailable tasks: for so many seconds, and then until so many records are read.",
        ),
        "fullest": nullable(closed({"client": PROCESS_ID, "copies": _one_or_more, "even_share": _one_or_more})),
        "rebalances_usual": nullable(count("As many as the forecast has, between the bounds of `rebalances`.")),
        "probes_more": count("Probing rebalances among those that may come beyond it."),
        "acts": items(codec_of(Act).shape(), "What is done, batch by batch, as it takes time."),
        "times": nullable(codec_of(Times).shape()),
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
        "why_not": text("Empty for the recommended one."),
        "effort": one_of(Effort),
        "change": CHANGE,
        "summary": items(COST, "One an outcome."),
        "rules": items(codec_of(Rule).shape()),
        "unknown": items(text()),
        "refused": nullable(text()),
    },
    {
        "as_asked": shapes.boolean("False: it does not do what was asked; it is there to be compared."),
        "effort_counts": codec_of(EffortCounts).shape(),
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
            "late: clients return after their session timeout; in time: static members before it; one by one: not together;"
            " merged: without waiting until the group is stable in between;"
            " stores in memory: no process ID is kept.",
        ),
        "seconds": nullable(shapes.number(0), "How long a client may be away, from when its stop begins; null: not about time."),
        "process_ids": items(PROCESS_ID, "The clients that it is about."),
        "change": CHANGE,
        "summary": items(COST, "One an outcome."),
        "refused": nullable(text()),
    }
)
PLAN: Shape = closed(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name("The first digits of the digest of everything else."),
        "created_at": shapes.INSTANT,
        "expires_at": shapes.INSTANT,
        "created_from": codec_of(CreatedFrom).shape(),
        "verdict": one_of(PlanVerdict),
        "headline": text(),
        "why": text(),
        "wrong_if": text("The one fact that would make it wrong."),
        "blocked_by": items(text()),
        "chosen": nullable(shapes.name()),
        "steps": items(_STEP) | {"maxItems": MOST_STEPS},
        "settings": items(codec_of(SettingChange).shape()),
        "preconditions": items(text()),
        "rules": items(codec_of(Rule).shape()),
        "unknown": items(text()),
        "candidates": items(_CONSIDERED),
        "change": CHANGE,
        "policy": POLICY.shape(),
        "basis": _BASIS,
    },
    {
        "requested_by": shapes.name("The user who requested the plan, as Airflow names them. Left out: no user did."),
        "signature": SIGNATURE.shape(),
        "otherwise": items(_OTHERWISE, "What the recommended option costs where a condition of its forecast does not hold."),
    },
    about="Steps in order, why this option is recommended, what to expect of each step, and its rollback.",
)
