"""A plan for a plain consumer group as a person reads it: the first lines are enough to decide, the rest is there to check them."""

from collections.abc import Iterator

from holdfast.rollout.consumer.change.asked import asked
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.contract.plan_age import holds_until, taken
from holdfast.rollout.contract.verdicts import PlanVerdict, Status
from holdfast.rollout.text.rendering import Block, Heading, Lines, Paragraph, Table
from holdfast.rollout.timing import time_words

_VERDICTS = {
    PlanVerdict.NOTHING_TO_DO: "nothing to do",
    PlanVerdict.SAFE: "safe, within every limit of your policy",
    PlanVerdict.REVIEW: "look before you approve",
    PlanVerdict.BLOCKED: "blocked, do not do this",
}
GLOSSARY = (
    ("Consumer", "one member of the group; partitions are dealt out among them, and each is read by one of them."),
    ("Eager, cooperative", "an eager consumer gives up everything before it joins a rebalance, a cooperative one only what moves."),
    ("Stands still", "nobody reads the partition: usually until all have heard of the rebalance, at most until a busy one polls."),
    ("Committed offset", "where whoever takes a partition over goes on; without one auto.offset.reset says where."),
)
MOST_ROWS = 40


def review(plan: ConsumerPlan) -> tuple[Block, ...]:
    """Everything, in order of importance. What would skip data stands on the first line, for the headline begins with it."""
    return tuple(_blocks(plan))


def _blocks(plan: ConsumerPlan) -> Iterator[Block]:
    way = plan.chosen_way
    first = "".join(f"{warning.partition(':')[0]}, " for warning in (() if way is None else way.warnings))
    where = f"{plan.basis.group_id} on {plan.basis.cluster}" if plan.basis.cluster else plan.basis.group_id
    yield Heading(1, f"Plan {plan.plan_id} for {where}: {first}{_VERDICTS[plan.verdict]}")
    yield Paragraph(f"{plan.headline} You asked to {asked(plan.change, plan.basis)}.", strong=True)
    if plan.wrong_if:
        yield Lines((("Wrong if", plan.wrong_if), ("Made from", f"a snapshot {taken(plan.created_from)}. {holds_until(plan)}")))
    if way is not None and way.times is not None:
        ends, effort = time_words.estimate(way.times.rebalancing_ends), time_words.effort(way.effort_counts)
        yield Lines((("Time", f"rebalancing ends after {ends}, from the first act."), ("Effort", f"{effort}.")))
    if plan.blocked_by:
        yield Lines(tuple(("Blocked by", one) for one in plan.blocked_by))
    if plan.steps:
        yield Heading(2, "Steps")
        rows = tuple((step.id, step.says, step.undo) for step in plan.steps[:MOST_ROWS])
        more = len(plan.steps) - MOST_ROWS
        yield Table(("#", "what you do", "undo"), (*rows, *([("…", f"{more} more, see the JSON", "")] if more > 0 else [])))
    if plan.preconditions:
        yield Heading(2, "It takes for granted")
        yield Lines(tuple((str(number), text) for number, text in enumerate(plan.preconditions, start=1)))
    yield Heading(2, "All ways that were weighed")
    of_all = ("moved", "without need", "rebalances", "stops", "longest stop", "rebalancing ends after", "effort")
    columns = ("way", *of_all, "why not")
    yield Table(
        columns,
        tuple(
            (
                one.name,
                *_figures(one.summary),
                "?" if one.times is None else time_words.estimate(one.times.rebalancing_ends),
                time_words.effort(one.effort_counts),
                "chosen" if one.name == plan.chosen else one.why_not,
            )
            for one in plan.candidates
        ),
    )
    if way is not None:
        yield Heading(2, "Limits")
        marks = {Status.PASS: "ok", Status.FAIL: "over", Status.UNKNOWN: "not known"}
        yield Table(
            ("limit", "status", "at most", "found"), tuple((one.name, marks[one.status], one.limit, one.found) for one in way.rules)
        )
        if way.unknown:
            yield Heading(2, "Not known")
            yield Lines(tuple((str(number), text) for number, text in enumerate(way.unknown, start=1)))
    yield Heading(2, "Words", aside=True)
    yield Lines(GLOSSARY)
    yield Heading(2, "Made from", aside=True)
    made = plan.created_from
    yield Lines((("Snapshot", made.snapshot), ("Change", made.change), ("Policy", made.policy), *_times(plan)))


def _times(plan: ConsumerPlan) -> tuple[tuple[str, str], ...]:
    return (("Snapshot taken at", plan.created_from.captured_at or "not known"), ("Made at", plan.created_at))


def _figures(summary: ConsumerSummary | None) -> tuple[str, ...]:
    if summary is None:
        return ("?",) * 5
    known = ["?" if one is None else f"{one:,}" for one in (summary.moved, summary.needless)]
    longest = "?" if summary.longest_stop is None else f"{summary.longest_stop.usual:g} to {summary.longest_stop.most:g} s"
    return (*known, f"{summary.rebalances:,}", "?" if summary.stops is None else f"{summary.stops:,}", longest)
