"""A plan for a consumer group as a person reads it: the first lines are enough to decide, the rest is there to check them."""

from collections.abc import Iterator
from typing import assert_never

from holdfast.rollout.consumer.change.asked import asked
from holdfast.rollout.consumer.forecast import warning_words
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.contract.plan_age import holds_until, taken
from holdfast.rollout.contract.plan_words import CHECKED, invalid_if, needs_review, option_name
from holdfast.rollout.contract.verdicts import PlanVerdict
from holdfast.rollout.text.rendering import Block, Heading, Lines, Paragraph, Table
from holdfast.rollout.timing import time_words

GLOSSARY = (
    ("Consumer", "one member of the group. Each partition is assigned to one consumer."),
    ("Eager, cooperative", "an eager consumer revokes all its partitions for a rebalance, a cooperative one only those that move."),
    ("Interruption", "no consumer reads the partition: usually until all have joined the rebalance, or until a busy one polls."),
    ("Committed offset", "where the next consumer of a partition resumes; without one, auto.offset.reset decides."),
    ("Collateral", "partitions that move between consumers outside the change."),
)
MOST_ROWS = 40


def review(plan: ConsumerPlan) -> tuple[Block, ...]:
    """Everything, in order of importance. What would skip data stands on the first line, for the headline begins with it."""
    return tuple(_blocks(plan))


def _blocks(plan: ConsumerPlan) -> Iterator[Block]:
    way = plan.chosen_way
    first = "".join(f"{warning_words.label(warning)}, " for warning in (() if way is None else way.warnings))
    where = f"{plan.basis.group_id} on {plan.basis.cluster}" if plan.basis.cluster else plan.basis.group_id
    yield Heading(1, f"Plan {plan.plan_id} for {where}: {first}{_verdict(plan)}")
    yield Paragraph(f"{plan.headline} Requested: {asked(plan.change, plan.basis)}.", strong=True)
    if plan.wrong_if:
        planned_against = f"a snapshot {taken(plan.created_from)}. {holds_until(plan)}"
        yield Lines((("Invalid if", invalid_if(plan.wrong_if)), ("Planned against", planned_against)))
    if way is not None and way.times is not None:
        ends, effort = time_words.estimate(way.times.rebalancing_ends), time_words.effort(way.effort_counts)
        yield Lines((("Time", f"rebalancing ends after {ends}, counted from the first step."), ("Effort", f"{effort}.")))
    if plan.blocked_by:
        yield Lines(tuple(("Blocked", one) for one in plan.blocked_by))
    if plan.steps:
        yield Heading(2, "Steps")
        rows = tuple((step.id, step.says, step.undo) for step in plan.steps[:MOST_ROWS])
        more = len(plan.steps) - MOST_ROWS
        yield Table(("#", "step (manual)", "rollback"), (*rows, *([("…", f"{more} more: see plan.json", "")] if more > 0 else [])))
    if plan.preconditions:
        yield Heading(2, "Assumptions")
        yield Lines(tuple((str(number), text) for number, text in enumerate(plan.preconditions, start=1)))
    yield Heading(2, "Options compared")
    counts = ("partitions moved", "collateral", "rebalances", "interruptions", "longest interruption")
    columns = ("option", *counts, "rebalancing ends after", "effort", "why not")
    yield Table(
        columns,
        tuple(
            (
                option_name(one.name),
                *_figures(one.summary),
                "?" if one.times is None else time_words.estimate(one.times.rebalancing_ends),
                time_words.effort(one.effort_counts),
                "recommended" if one.name == plan.chosen else one.why_not,
            )
            for one in plan.candidates
        ),
    )
    if way is not None:
        yield Heading(2, "Policy checks")
        rules = tuple((one.name, CHECKED[one.status], one.found, one.limit) for one in way.rules)
        yield Table(("rule", "result", "found", "limit"), rules)
        if way.unknown:
            yield Heading(2, "Not known")
            yield Lines(tuple((str(number), text) for number, text in enumerate(way.unknown, start=1)))
    yield Heading(2, "Terms", aside=True)
    yield Lines(GLOSSARY)
    yield Heading(2, "Planned against", aside=True)
    made = plan.created_from
    yield Lines((("Snapshot", made.snapshot), ("Change", made.change), ("Policy", made.policy), *_times(plan)))


def _verdict(plan: ConsumerPlan) -> str:
    match plan.verdict:
        case PlanVerdict.NOTHING_TO_DO:
            return "nothing to do"
        case PlanVerdict.SAFE:
            return "within policy"
        case PlanVerdict.BLOCKED:
            return "blocked, do not apply"
        case PlanVerdict.REVIEW:
            return needs_review(() if plan.chosen_way is None else plan.chosen_way.rules)
        case _:
            assert_never(plan.verdict)


def _times(plan: ConsumerPlan) -> tuple[tuple[str, str], ...]:
    return (
        ("Snapshot taken at", plan.created_from.captured_at or "not known"),
        ("Created at", plan.created_at),
        ("Expires at", plan.expires_at),
    )


def _figures(summary: ConsumerSummary | None) -> tuple[str, ...]:
    if summary is None:
        return ("?",) * 5
    known = ["?" if one is None else f"{one:,}" for one in (summary.moved, summary.needless)]
    longest = "?" if summary.longest_stop is None else f"{summary.longest_stop.usual:g} to {summary.longest_stop.most:g} s"
    return (*known, f"{summary.rebalances:,}", "?" if summary.stops is None else f"{summary.stops:,}", longest)
