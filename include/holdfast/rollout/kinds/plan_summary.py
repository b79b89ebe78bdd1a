"""A plan in a few figures, for lists of thousands of plans and the top of a plan's page."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from holdfast.rollout.consumer.plan.figures import ReadFigures
from holdfast.rollout.contract.times import ESTIMATE, EffortCounts, Times
from holdfast.rollout.contract.verdicts import PlanVerdict
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import Fields, nullable, one_of
from holdfast.rollout.kinds.plan_title import title_of
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.streams.plan.figures import Figures


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """`plain`: the figures of doing it plainly, where that is another way and was forecast. `title`: what is to be done.

    `reads` and `plain_reads`: the same of a consumer group, which has no stateful tasks: the others are None then."""

    plan_id: str
    created_at: str
    expires_at: str
    cluster: str
    group_id: str
    verdict: PlanVerdict
    title: str
    steps: int
    figures: Figures | None
    plain: Figures | None
    reads: ReadFigures | None = None
    plain_reads: ReadFigures | None = None
    request: str = ""
    """What was asked for, as the plan's title; empty in a summary from before there was one."""


def summary(plan: AnyPlan) -> PlanSummary:
    way = plan.chosen_way
    brief = PlanSummary(
        plan_id=plan.plan_id,
        created_at=plan.created_at,
        expires_at=plan.expires_at,
        cluster=plan.basis.cluster,
        group_id=plan.basis.group_id,
        verdict=plan.verdict,
        title=plan.headline if way is None else way.title,
        steps=len(plan.steps),
        figures=None,
        plain=None,
        request=title_of(plan),
    )
    return replace(brief, **kind_of(plan).figures(plan))


def summary_to_json(one: PlanSummary) -> dict[str, object]:
    found: dict[str, object] = asdict(one)
    for which, shown in (("figures", one.figures), ("plain", one.plain), ("reads", one.reads), ("plain_reads", one.plain_reads)):
        if shown is not None:
            found[which] = _figures_to_json(shown)
    return {"format_version": strict.FORMAT_VERSION, **found, "verdict": one.verdict.value}


def _figures_to_json(one: Figures | ReadFigures) -> dict[str, object]:
    found = asdict(one) | {
        "times": None if one.times is None else codec_of(Times).write(one.times),
        "effort": None if one.effort is None else codec_of(EffortCounts).write(one.effort),
    }
    if isinstance(one, Figures):
        found["rebalances"] = None if one.rebalances is None else list(one.rebalances)
    return found


def summary_from_json(value: object) -> PlanSummary:
    fields = Fields(value)
    fields.need("format_version", strict.format_version)
    found = PlanSummary(
        plan_id=fields.need("plan_id", strict.name),
        created_at=fields.need("created_at", strict.instant),
        expires_at=fields.need("expires_at", strict.instant),
        cluster=fields.need("cluster", strict.text),
        group_id=fields.need("group_id", strict.text),
        verdict=fields.need("verdict", one_of(PlanVerdict)),
        title=fields.need("title", strict.text),
        steps=fields.need("steps", _count),
        figures=fields.need("figures", nullable(_figures)),
        plain=fields.need("plain", nullable(_figures)),
        reads=fields.optional("reads", nullable(_read_figures), None),
        plain_reads=fields.optional("plain_reads", nullable(_read_figures), None),
        request=fields.optional("request", strict.text, ""),
    )
    fields.finish(closed=False)
    return found


def _three(value: object) -> tuple[int, int, int]:
    found = ESTIMATE.read(value)
    return found.low, found.usual, found.high


def _count(value: object) -> int:
    return strict.integer(value, 0, 2**63 - 1)


def _figures(value: object) -> Figures:
    fields = Fields(value)
    found: Mapping[str, int] = {
        key: fields.need(key, _count) for key in ("moved", "stateful_tasks", "without_copy", "cold_tasks", "records")
    }
    figures = Figures(
        **found,
        to_stable=fields.need("to_stable", nullable(_count)),
        bytes=fields.need("bytes", nullable(_count)),
        stands_still=fields.optional("stands_still", _count, found["without_copy"]),
        noticed=fields.optional("noticed", _count, 0),
        times=fields.optional("times", nullable(codec_of(Times).read), None),
        effort=fields.optional("effort", nullable(codec_of(EffortCounts).read), None),
        rebalances=fields.optional("rebalances", nullable(_three), None),
        downtime_task_seconds=fields.optional("downtime_task_seconds", nullable(_count), None),
    )
    fields.finish()
    return figures


def _read_figures(value: object) -> ReadFigures:
    fields = Fields(value)
    maybe = {key: fields.need(key, nullable(_count)) for key in ("moved", "unread", "unread_most", "to_stable", "read_twice")}
    figures = ReadFigures(
        **maybe,
        partitions=fields.need("partitions", _count),
        rebalances=fields.need("rebalances", _count),
        times=fields.optional("times", nullable(codec_of(Times).read), None),
        effort=fields.optional("effort", nullable(codec_of(EffortCounts).read), None),
    )
    fields.finish()
    return figures
