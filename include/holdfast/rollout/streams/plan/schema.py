"""JSON Schema of a Plan for a Kafka Streams group."""

from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.contract.verdicts import PlanVerdict, Rule
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS
from holdfast.rollout.facts.reasons import BLOCKED, REASON
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json import shapes
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.shapes import (
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
from holdfast.rollout.streams.cost.evaluation import COSTS, Effort
from holdfast.rollout.streams.options.otherwise import Otherwise
from holdfast.rollout.streams.steps.steps import STEPS

_host = nullable(text())
_CONSIDERED = closed(
    {
        "name": shapes.name(),
        "title": text(),
        "why_not": text("Empty for the recommended one."),
        "effort": one_of(Effort),
        "change": CHANGE,
        "summary": COSTS.shape() | {"description": "One an outcome."},
        "rules": items(codec_of(Rule).shape()),
        "unknown": items(text()),
        "refused": nullable(text()),
    },
    {
        "as_asked": shapes.boolean("False: it does not do what was asked; it is there to be compared."),
        "reason": REASON.shape() | {"description": "`why_not` as values."},
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
        "steps": STEPS.shape(),
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
        "blocked": BLOCKED.shape() | {"description": "`blocked_by` as values."},
        "invalid_if": INVALIDATIONS.shape() | {"description": "`wrong_if` as values."},
        "assumptions": ASSUMPTIONS.shape() | {"description": "`preconditions` as values."},
        "requested_by": shapes.name("The user who requested the plan, as Airflow names them. Left out: no user did."),
        "signature": SIGNATURE.shape(),
        "otherwise": items(
            codec_of(Otherwise).shape(), "What the recommended option costs where a condition of its forecast does not hold."
        ),
    },
    about="Steps in order, why this option is recommended, what to expect of each step, and its rollback.",
)
