"""JSON Schema of a Plan for a consumer group."""

from holdfast.rollout.consumer.change.schema import CHANGE, SHAPES
from holdfast.rollout.consumer.forecast.course import Course
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.forecast.positions import OffsetWarning
from holdfast.rollout.consumer.options import proposals
from holdfast.rollout.consumer.snapshot.json import SNAPSHOT
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.created_from import CreatedFrom
from holdfast.rollout.contract.settings import SettingChange, Who
from holdfast.rollout.contract.times import EffortCounts, Times
from holdfast.rollout.contract.verdicts import PlanVerdict, Rule
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS
from holdfast.rollout.facts.reasons import BLOCKED, REASON
from holdfast.rollout.journal.signature import SIGNATURE
from holdfast.rollout.json import shapes
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.shapes import Shape, closed, count, items, nullable, one_of, text
from holdfast.rollout.policy.json import POLICY

_ACTIONS = (*(name for name in SHAPES if name != "then"), *(f"await_{wait}" for wait in Wait))
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
_considered = closed(
    {
        "name": one_of(proposals.NAMES),
        "title": text(),
        "why_not": text("Empty for the recommended one."),
        "change": CHANGE,
        "summary": nullable(codec_of(ConsumerSummary).shape()),
        "rules": items(codec_of(Rule).shape()),
        "warnings": items(text()),
        "unknown": items(text()),
        "refused": nullable(text()),
        "settings": items(codec_of(SettingChange).shape(), "For the time of the roll."),
    },
    {
        "offset_warnings": items(nullable(codec_of(OffsetWarning).shape()), "The same as `warnings`, as figures."),
        "records_read_twice_at_most": count(),
        "course": codec_of(Course).shape(),
        "times": codec_of(Times).shape(),
        "reason": REASON.shape() | {"description": "`why_not` as values."},
        "effort_counts": codec_of(EffortCounts).shape(),
    },
)
PLAN: Shape = closed(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name("The first digits of the digest of everything else."),
        "protocol": one_of((PROTOCOL,)),
        "created_at": shapes.INSTANT,
        "expires_at": shapes.INSTANT,
        "created_from": codec_of(CreatedFrom).shape(),
        "cluster": text(),
        "group_id": shapes.name(),
        "verdict": one_of(PlanVerdict),
        "headline": text("A warning of skipped data comes first."),
        "wrong_if": text("The one fact that would make it wrong."),
        "blocked_by": items(text()),
        "chosen": nullable(one_of(proposals.NAMES)),
        "steps": items(_step),
        "settings": items(codec_of(SettingChange).shape()),
        "preconditions": items(text()),
        "rules": items(codec_of(Rule).shape()),
        "unknown": items(text()),
        "candidates": items(_considered),
        "change": CHANGE,
        "policy": POLICY.shape(),
        "basis": SNAPSHOT.shape(),
    },
    {
        "blocked": BLOCKED.shape() | {"description": "`blocked_by` as values."},
        "invalid_if": INVALIDATIONS.shape() | {"description": "`wrong_if` as values."},
        "assumptions": ASSUMPTIONS.shape() | {"description": "`preconditions` as values."},
        "requested_by": shapes.name("The user who requested the plan, as Airflow names them. Left out: no user did."),
        "signature": SIGNATURE.shape(),
    },
    about="The recommended option for a change to a consumer group without Kafka Streams, and why not the others.",
)
