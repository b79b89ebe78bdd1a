"""Plans and verdicts as rows of tables: every option compared, and whether its forecast came true."""

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.group.values import AnyConsidered, AnyPlan
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import A_ROW, Fields, loads, nullable
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.kinds.registry import kind_of

Row = dict[str, object]
MOST_DIFFERENCES = 20
UNKNOWN = "unknown"


def plan_rows(path: str, content: bytes) -> Row:
    """`plans/<plan id>/plan.json` as `candidates`, or `plans/<plan id>/verdict.json` as `verdicts`; else a `problem`."""
    try:
        if path.endswith("/verdict.json"):
            return {"path": path, "problem": None, "candidates": [], "verdicts": [_verdict(loads(content, A_ROW))]}
        plan = any_kind.plan_from_json(loads(content, A_ROW))
    except HoldfastError as refusal:
        return {"path": path, "problem": str(refusal), "candidates": [], "verdicts": []}
    return {"path": path, "problem": None, "candidates": _candidates(plan), "verdicts": []}


def _candidates(plan: AnyPlan) -> list[Row]:
    """What plans of every kind of group say of an option, and what only its kind does."""
    return [_about(plan, one) | more for one, more in zip(plan.candidates, kind_of(plan).option_rows(plan), strict=True)]


def _about(plan: AnyPlan, one: AnyConsidered) -> Row:
    return {
        "cluster": plan.basis.cluster or UNKNOWN,
        "day": plan.created_at[:10],
        "group_id": plan.basis.group_id,
        "plan_id": plan.plan_id,
        "created_at": plan.created_at,
        "name": one.name,
        "title": one.title,
        "chosen": one.name == plan.chosen,
        "refused": one.refused,
        "why_not": one.why_not,
    }


def _verdict(value: object) -> Row:
    fields = Fields(value)
    score = Fields(fields.need("score", strict.mapping))
    things = "partitions" if score.has("partitions") else "tasks"
    rebalances = Fields(fields.need("rebalances", strict.mapping))
    observed_at = fields.need("observed_at", nullable(strict.instant))
    expected = rebalances.need("expected", lambda found: strict.each(found, _whole))
    row: Row = {
        "cluster": fields.need("cluster", strict.text) or UNKNOWN,
        "day": (observed_at or "")[:10] or UNKNOWN,
        "group_id": fields.need("group_id", strict.name),
        "plan_id": fields.need("plan_id", strict.name),
        "observed_at": observed_at,
        "result": fields.need("result", strict.name),
        **{name: score.need(name, _whole) for name in (things, f"{things}_as_forecast")},
        "rebalances_least": expected[0] if expected else None,
        "rebalances_most": expected[-1] if expected else None,
        "rebalances": rebalances.need("found", nullable(_whole)),
        "differences": list(fields.need("differences", lambda found: strict.each(found, strict.text)) or ())[:MOST_DIFFERENCES],
    }
    for each in (fields, score, rebalances):
        each.finish()
    if not expected or len(expected) != 2:
        raise InvalidInput("the rebalances that were expected are not a pair", "rebalances.expected")
    return row


def _whole(value: object) -> int:
    return strict.integer(value, 0, 2**31 - 1)
