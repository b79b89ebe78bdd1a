"""Plans and verdicts as rows of tables: every option compared, and whether its forecast came true."""

from holdfast.errors import HoldfastError
from holdfast.rollout.execution.verdict import SCORED, VERDICT_VERSION, PartitionScore, TaskScore, range_of
from holdfast.rollout.group.values import AnyConsidered, AnyPlan
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT, TEXTS, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import A_ROW, loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.kinds.score_json import COUNTED

Row = dict[str, object]
MOST_DIFFERENCES = 20
UNKNOWN = "unknown"


@record(closed=False)
class _Rebalances:
    """As `execution.verdict.Rebalances`, within the bounds of the table's columns."""

    expected: tuple[int, int] = member(range_of(SCORED))
    found: int | None = member(nullable(SCORED))


@record(version=VERDICT_VERSION, closed=False)
class _Verdict:
    """The fields of a verdict, of any kind of group and any minor version, that are columns."""

    plan_id: str = member(NAME)
    cluster: str = member(TEXT)
    group_id: str = member(NAME)
    observed_at: str | None = member(nullable(INSTANT))
    result: str = member(NAME)
    score: TaskScore | PartitionScore = member(COUNTED)
    rebalances: _Rebalances = member(codec_of(_Rebalances))
    differences: tuple[str, ...] = member(TEXTS)


_VERDICT = codec_of(_Verdict)


def plan_rows(path: str, content: bytes) -> Row:
    """`plans/<plan id>/plan.json` as `candidates`, or `plans/<plan id>/verdict.json` as `verdicts`; else a `problem`."""
    try:
        if path.endswith("/verdict.json"):
            return {"path": path, "problem": None, "candidates": [], "verdicts": [_verdict(loads(content, A_ROW))]}
        plan = any_document.plan_from_json(loads(content, A_ROW))
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
    found = _VERDICT.read(value)
    score, (least, most) = found.score, found.rebalances.expected
    return {
        "cluster": found.cluster or UNKNOWN,
        "day": (found.observed_at or "")[:10] or UNKNOWN,
        "group_id": found.group_id,
        "plan_id": found.plan_id,
        "observed_at": found.observed_at,
        "result": found.result,
        f"{score.THING}s": score.compared,
        f"{score.THING}s_as_forecast": score.as_forecast,
        "rebalances_least": least,
        "rebalances_most": most,
        "rebalances": found.rebalances.found,
        "differences": list(found.differences[:MOST_DIFFERENCES]),
    }
