"""A plan for a consumer group whose broker assigns as a person reads it. The rest is `rollout.review`'s."""

from collections.abc import Callable, Iterator

from holdfast.rollout.backtest import past
from holdfast.rollout.broker_consumer.change.request_words import request_text
from holdfast.rollout.broker_consumer.plan import effect_words
from holdfast.rollout.broker_consumer.plan.effect_words import ends
from holdfast.rollout.broker_consumer.plan.plan import Considered, GroupPlan
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.plan_words import TIMES, WHOSE_STEPS
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.facts import condition_words
from holdfast.rollout.facts.refusals import applies
from holdfast.rollout.facts.sourced_text import texts_of
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.options import read_words
from holdfast.rollout.review import sections
from holdfast.rollout.review.parts import PlanReview, StepReview, against_baseline, option_table, standing
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.document_blocks import Block, Heading, Paragraph, Table
from holdfast.rollout.text.format import inside, listed, many, span
from holdfast.rollout.timing import time_words

GLOSSARY = (
    ("Target", "the assignment that the group's coordinator computes; the members reach it heartbeat by heartbeat."),
    ("Hand-over", "a partition that a target gives to another consumer. A partition may be handed over several times."),
    (
        "Without an owner",
        "the time between two owners: the old one has given the partition up, and the new one has not heard of it.",
    ),
    ("Assignment interval", "consumer.assignment.interval.ms: the shortest time between two targets (from 4.3 on)."),
    ("Committed offset", "where the next consumer of a partition resumes; without one, auto.offset.reset decides."),
    ("Collateral", "partitions that move between consumers outside the change."),
    TIMES,
    WHOSE_STEPS,
)
COUNTS = ("partitions moved", "collateral", "hand-overs", "targets", "partition-seconds without an owner", "longest")


def review(plan: GroupPlan) -> tuple[Block, ...]:
    """Everything, in order of importance. That data is skipped is on the first line."""
    return sections.blocks(reviewed(plan))


def reviewed(plan: GroupPlan) -> PlanReview:
    """The parts of the review, in words."""
    option = plan.recommended_option
    return PlanReview(
        plan_id=plan.plan_id,
        cluster=plan.basis.cluster,
        group_id=plan.basis.group_id,
        assessment=plan.assessment,
        flags=() if option is None else tuple(map(warning_words.label, option.warnings)),
        request=request_text(plan.change, plan.basis) if plan.change.events else "",
        recommended=bool(plan.steps) and plan.chosen != BASELINE_NAME,
        headline=plan.headline,
        costs=tuple(_costs(plan)),
        why=against_baseline(plan.recommended_option, plan.baseline_option, len(plan.candidates)),
        blocked_by=plan.blocked_by[int(option is None) :],
        condition=condition_words.labelled(plan),
        of_snapshot=many(len(plan.basis.members), "consumer"),
        contingencies=(),
        steps=tuple(_steps(plan)),
        assumptions=plan.preconditions,
        settings=() if option is None else option.settings,
        comparison=(_comparison(plan),) if any(one.summary is not None for one in plan.candidates) else (),
        details=tuple(_placement(plan)),
        rules=() if option is None else option.rules,
        unknown=texts_of(plan.unknown),
        glossary=GLOSSARY,
        created_from=plan.created_from,
        created_at=plan.created_at,
        expires_at=plan.expires_at,
        acts=plan.policy.acts,
        past="" if plan.past is None else past.sentence(plan.past),
        learnt=past.learnt(plan.past),
    )


# What it costs.


def _costs(plan: GroupPlan) -> Iterator[tuple[str, str]]:
    option, baseline = plan.recommended_option, plan.baseline_option
    if option is None or option.summary is None:
        return
    other = baseline if baseline is not option else None
    yield "Hand-overs", _with_baseline(option, other, _hand_overs)
    busy = " A consumer that is busy gives partitions up with its next poll, up to max.poll.interval.ms later."
    yield "Downtime", f"{_with_baseline(option, other, _downtime)}{busy if option.summary.moves else ''}"
    yield "Read twice", f"{read_words.read_twice(option.read_twice)}."
    if option.times is not None:
        yield "Time", f"from the first step until rebalancing ends: {time_words.estimate(option.times.rebalancing_ends)}."
    yield "Effort", _with_baseline(option, other, lambda one: time_words.effort(one.effort_counts))
    if option.bounds is not None and option.bounds.open:
        yield "New random IDs", effect_words.chance(option.bounds)


def _with_baseline(option: Considered, other: Considered | None, says: Callable[[Considered], str]) -> str:
    baseline = f" Baseline: {says(other)}." if other is not None and other.summary is not None else ""
    return f"{says(option)}.{baseline}"


def _hand_overs(one: Considered) -> str:
    return "" if one.summary is None else effect_words.hand_overs(one.summary, one.bounds)


def _downtime(one: Considered) -> str:
    return effect_words.longest(one.longest or Seconds(0, 0, 0))


# Steps and options.


def _steps(plan: GroupPlan) -> Iterator[StepReview]:
    for step in plan.steps:
        yield StepReview(
            id=step.id,
            title=step.says,
            brief=inside(step.says),
            who=Who.OPERATOR,
            before=step.check_before,
            expect=step.expect,
            check=step.check_after,
            rollback=step.undo,
            about_command=kafka_commands.ABOUT if step.command else "",
            command=step.command,
            check_command=step.check_command,
        )


def _comparison(plan: GroupPlan) -> Table:
    return option_table((*COUNTS, "rebalancing ends after"), tuple(_comparison_row(plan, one) for one in plan.candidates))


def _comparison_row(plan: GroupPlan, one: Considered) -> tuple[str, ...]:
    known = one.times is not None and one.summary is not None
    end = time_words.estimate(one.times.rebalancing_ends) if known and one.times is not None else "unknown"
    why = standing(plan.assessment) if one.name == plan.chosen else one.why_not
    return (one.name, *_counts(one), end, time_words.effort(one.effort_counts), why)


def _counts(one: Considered) -> tuple[str, ...]:
    summary, bounds = one.summary, one.bounds
    if summary is None or one.unowned is None:
        return ("unknown" if one.refusal is None or applies(one.refusal) else "–",) * len(COUNTS)
    spreads = (None,) * 3 if bounds is None else (bounds.moved, bounds.collateral, bounds.moves)
    figures = (summary.moved, summary.collateral, summary.moves)
    counts = (span(*ends(count, spread)) for count, spread in zip(figures, spreads, strict=True))
    return (*counts, f"{summary.targets:,}", f"{round(one.unowned.usual):,}", _downtime(one))


def _placement(plan: GroupPlan) -> Iterator[Block]:
    """Who reads what, before and after."""
    course = None if plan.recommended_option is None else plan.recommended_option.course
    if course is None or not any(one.now for one in course.shares):
        return
    rows = []
    for one in course.shares:
        name = one.instance_id or one.member_id
        now = "not in the group" if one.now is None else _listed(one.now)
        then = "left" if one.then is None else "unchanged" if one.now == one.then and one.now else _listed(one.then)
        rows.append((f"{name} on {one.host}" if one.host else name, now, then))
    yield Heading(2, "Partition placement, before and after", aside=True)
    if any(target.undetermined for target in course.targets):
        yield Paragraph("An example: partitions whose place depends on new random IDs may end elsewhere.")
    yield Table(("consumer", "before", "after"), tuple(rows[: sections.MOST_ROWS]))


def _listed(partitions: tuple[object, ...]) -> str:
    return listed([str(one) for one in partitions], 12) or "none"
