"""Plans and verdicts as rows of tables: every way that was weighed, and whether what was forecast came true."""

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.rollout.consumer.plan.plan import Considered as ConsideredPlain
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.json import PROTOCOL
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import A_ROW, Fields, loads, nullable
from holdfast.rollout.kinds import any_kind
from holdfast.rollout.kinds.any_kind import AnyPlan
from holdfast.rollout.streams.cost.times_of_costs import times_of
from holdfast.rollout.streams.plan.plan import Considered, Plan

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
    if isinstance(plan, ConsumerPlan):
        return [_plain_candidate(plan, one) for one in plan.candidates]
    return [_candidate(plan, one) for one in plan.candidates]


def _about(plan: AnyPlan, one: Considered | ConsideredPlain) -> Row:
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


def _plain_candidate(plan: ConsumerPlan, one: ConsideredPlain) -> Row:
    """Of a plain consumer group: there is one outcome."""
    about = _about(plan, one)
    if one.summary is None:
        return about
    seconds, still = one.summary.seconds_to_stable, one.summary.partition_seconds
    return about | {
        "moved": one.summary.moved,
        "expected_moved": None if one.summary.moved is None else float(one.summary.moved),
        "needless": one.summary.needless,
        "rebalances_most": one.summary.rebalances,
        "hours_most": None if seconds is None else seconds / 3600,
        "partitions": one.summary.partitions,
        "stopped_partition_seconds": None if still is None else still.usual,
    }


def _candidate(plan: Plan, one: Considered) -> Row:
    """Of several outcomes the worst counts: it moves most, and takes longest."""
    worst = max(one.costs, key=lambda cost: (cost.moved, cost.longest_s), default=None)
    ends = None if worst is None else times_of(worst, plan.policy).rebalancing_ends
    return _about(plan, one) | {
        "stateful_tasks": None if worst is None else worst.stateful_tasks,
        "moved": None if worst is None else worst.moved,
        "expected_moved": sum(cost.probability * cost.moved for cost in one.costs) if one.costs else None,
        "needless": None if worst is None else worst.needless,
        "rebalances_most": None if worst is None else worst.rebalances.high,
        "hours_most": None if ends is None else ends.high / 3600,
        "restored_records": None if worst is None else worst.restored_records,
    }


def _verdict(value: object) -> Row:
    fields = Fields(value)
    things = "partitions" if fields.optional("protocol", strict.name, "") == PROTOCOL else "tasks"
    score = Fields(fields.need("score", strict.mapping))
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
