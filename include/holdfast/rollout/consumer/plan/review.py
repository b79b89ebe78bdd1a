"""A plan for a consumer group as a person reads it: what differs from other kinds of group. The rest is `rollout.review`'s."""

from collections.abc import Iterator

from holdfast.rollout.backtest import past
from holdfast.rollout.consumer.change.request_words import request_text
from holdfast.rollout.consumer.plan.figures import ReadFigures, read_figures
from holdfast.rollout.consumer.plan.plan import Considered, ConsumerPlan
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.plan_words import TIMES, WHOSE_STEPS
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.contract.times import Times
from holdfast.rollout.facts import condition_words
from holdfast.rollout.facts.sourced_text import texts_of
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.options import read_words
from holdfast.rollout.review import sections
from holdfast.rollout.review.parts import PlanReview, StepReview, against_baseline, option_table, standing
from holdfast.rollout.text.document_blocks import Block, Heading, Table
from holdfast.rollout.text.format import duration, inside, listed, many, span
from holdfast.rollout.timing import time_words

GLOSSARY = (
    ("Consumer", "one member of the group. Each partition is assigned to one consumer."),
    ("Eager, cooperative", "an eager consumer revokes all its partitions for a rebalance, a cooperative one only those that move."),
    ("Interruption", "no consumer reads the partition: usually until all have joined the rebalance, or until a busy one polls."),
    ("Committed offset", "where the next consumer of a partition resumes; without one, auto.offset.reset decides."),
    ("Collateral", "partitions that move between consumers outside the change."),
    TIMES,
    WHOSE_STEPS,
)


def review(plan: ConsumerPlan) -> tuple[Block, ...]:
    """Everything, in order of importance. That data is skipped is on the first line."""
    return sections.blocks(reviewed(plan))


def reviewed(plan: ConsumerPlan) -> PlanReview:
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
        details=tuple(_details(plan)),
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


def _costs(plan: ConsumerPlan) -> Iterator[tuple[str, str]]:
    option, baseline = plan.recommended_option, plan.baseline_option
    found = None if option is None else read_figures(option)
    if option is None or found is None:
        return
    other = None if baseline is None or baseline is option else read_figures(baseline)
    yield "Downtime", f"{_downtime(found)}{'' if other is None else f' Baseline: {_longest(other)}.'}"
    yield "Read twice", f"{read_words.read_twice(found.read_twice)}."
    if option.times is not None:
        yield "Time", _time(found, option.times)
    yield "Effort", f"{found.effort_text}.{'' if other is None else f' Baseline: {other.effort_text}.'}"


def _time(found: ReadFigures, times: Times) -> str:
    """From when to when, and what is not in it."""
    late = ""
    if (found.unread_most or 0) > (found.unread or 0):
        late = f" A consumer that is slow to poll adds up to {duration(found.unread_most or 0)} to a rebalance."
    return f"from the first step until rebalancing ends: {time_words.estimate(times.rebalancing_ends)}.{late}"


def _longest(found: ReadFigures) -> str:
    if not found.rebalances:
        return "none, except for a restarted consumer's own partitions until it returns"
    if found.unread is None:
        return "unknown"
    return f"usually up to {duration(found.unread)} per partition" if found.unread else "none"


def _downtime(found: ReadFigures) -> str:
    slow = ""
    if found.rebalances and found.unread and (found.unread_most or 0) > found.unread:
        slow = f"; up to {duration(found.unread_most or 0)} where a consumer is slow to poll"
    return f"{_longest(found)}{slow}."


# Steps and options.


def _steps(plan: ConsumerPlan) -> Iterator[StepReview]:
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
            check_command=step.check_command,
        )


def _comparison(plan: ConsumerPlan) -> Table:
    counts = ("partitions moved", "collateral", "rebalances", "interruptions of partitions", "longest interruption")
    return option_table((*counts, "rebalancing ends after"), tuple(_comparison_row(plan, one) for one in plan.candidates))


def _comparison_row(plan: ConsumerPlan, one: Considered) -> tuple[str, ...]:
    ends = "unknown" if one.times is None or one.summary is None else time_words.estimate(one.times.rebalancing_ends)
    why = standing(plan.assessment) if one.name == plan.chosen else one.why_not
    return (one.name, *_counts(one), ends, time_words.effort(one.effort_counts), why)


def _counts(one: Considered) -> tuple[str, ...]:
    summary = one.summary
    if summary is None:
        return ("unknown",) * 5
    moved, collateral, stops = (
        "unknown" if one is None else f"{one:,}" for one in (summary.moved, summary.needless, summary.stops)
    )
    still = summary.longest_stop
    longest = "unknown"
    if still is not None:
        longest = read_words.longest(still.usual, still.most)
    return moved, collateral, span(*one.rebalances), stops, longest


def _details(plan: ConsumerPlan) -> Iterator[Block]:
    """Who reads what, before and after."""
    course = None if plan.recommended_option is None else plan.recommended_option.course
    if course is None or not any(one.now for one in course.shares):
        return
    instances = {member.member_id: member.group_instance_id for member in plan.basis.members}
    before = {one.member_id: one.now for one in course.shares}
    back = dict.fromkeys(one.was for one in course.shares if one.was is not None and one.then is not None)
    rows = []
    for one in course.shares:
        if one.member_id in back:
            continue  # the row of the ID under which it comes back has it
        had = before.get(one.was) if one.was is not None and one.now is None else one.now
        name = instances.get(one.member_id) or instances.get(one.was or "") or one.member_id
        now = "not in the group" if had is None else _listed(had)
        then = "left" if one.then is None else "unchanged" if had == one.then and had else _listed(one.then)
        rows.append((f"{name} on {one.host}" if one.host else name, now, then))
    yield Heading(2, "Partition placement, before and after", aside=True)
    yield Table(("consumer", "before", "after"), tuple(rows[: sections.MOST_ROWS]))


def _listed(partitions: tuple[object, ...]) -> str:
    return listed([str(one) for one in partitions], 12) or "none"
