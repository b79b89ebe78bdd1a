"""A plan for Kafka Streams as its page shows it. The time is an argument."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.rebalances import Round
from holdfast.rollout.contract.times import Estimate, Times
from holdfast.rollout.streams.cost.evaluation import Cost
from holdfast.rollout.streams.cost.times_of_costs import times_of
from holdfast.rollout.streams.plan import effect_words
from holdfast.rollout.streams.plan.cost_tables import cost_tables
from holdfast.rollout.streams.plan.figures import OptionFigures, figures_of
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.steps.steps import StartClient
from holdfast.rollout.text.document_blocks import Block
from holdfast.rollout.text.format import amount_of_bytes, capital, duration, many, span
from holdfast.rollout.timing import time_words
from holdfast.web.kinds.streams.task_owners import about_tasks, task_picture
from holdfast.web.parts import plan_view as parts
from holdfast.web.parts.plan_view import (
    MOST_ROUNDS,
    NEVER,
    UNKNOWN,
    Amount,
    Figure,
    Labels,
    OptionRow,
    PlanView,
    Point,
    RoundView,
    Timeline,
    compact,
    plan_view,
    title_of,
)

_CAUSES = {"change": "change", "probing": "probing rebalance", "immediate": "immediate follow-up"}
LABELS = Labels(
    owners="Kafka assigns stateful tasks in process-ID order. In the chart, tasks on the middle line stay; tasks off the line"
    " move to another client.",
    time="Cumulative stateful tasks handed to another client. Each dot is a rebalance; a task that moves is unavailable during it.",
    total="stateful tasks",
    risk="Handed over without a caught-up copy",
    unit="time",
    rounds=("Time", "Trigger", "Tasks handed over", "Deferred", "Standbys and warm-ups", "Without a caught-up copy"),
    options=("Tasks moved", "Longest downtime", "Rebalancing ends after", "All state restored after", "To restore", "Effort"),
)


def view(plan: Plan, now: datetime) -> PlanView:
    option, baseline = plan.recommended_option, plan.baseline_option
    options = {one.name: one for one in (option, baseline) if one is not None}.values()
    pairs = tuple((one, one.worst) for one in options if one.worst is not None)
    effect = effect_words.effect(option.costs, plan.change, plan.policy) if option is not None and option.costs else ""
    return plan_view(
        plan,
        now,
        labels=LABELS,
        effect=capital(effect),
        figures=_figures(plan, option, baseline),
        pictures=tuple(found for one, cost in pairs if (found := task_picture(plan, one, cost)) is not None),
        about=about_tasks(plan.basis),
        timelines=tuple(_timeline(plan, one, cost) for one, cost in pairs if cost.rounds),
        options=_options(plan),
        cost_tables=_cost_tables(plan, pairs[0][1]) if option is not None and pairs else (),
        facts=_facts(plan),
    )


def _cost_tables(plan: Plan, cost: Cost) -> tuple[Block, ...]:
    return tuple(cost_tables(cost, plan.policy, lambda one: _named(plan, one)))


def _named(plan: Plan, process_id: ProcessId) -> str:
    starts = (step.action for step in plan.steps if isinstance(step.action, StartClient))
    known = plan.basis.client(process_id)
    host = known.host if known is not None else next((one.host for one in starts if one.process_id == process_id), None)
    return f"{host} ({str(process_id)[:8]}…)" if host else f"{str(process_id)[:8]}…"


def _facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    basis, policy = plan.basis, plan.policy
    release = f"Kafka Streams {basis.kafka_release}" if basis.kafka_release else "unknown release"
    return (
        ("Group", f"{many(len(basis.clients), 'client')}, {many(len(basis.tasks), 'task')}, {release}"),
        ("Assignor", basis.task_assignor or "Kafka's own"),
        ("Restore speed", f"{policy.restore_records_per_second:,} records/s ({policy.restore_rate_says})"),
        ("Client start-up", f"{policy.start_up.low} to {policy.start_up.high} s ({policy.start_up_says})"),
    )


# The figures.


def _figures(plan: Plan, option: Considered | None, baseline: Considered | None) -> tuple[Figure, ...]:
    if option is None or option.worst is None:
        return ()
    found, records = figures_of(plan, option), option.worst.restored_records
    assert found is not None, "an option with costs has figures"
    times = found.times
    details = (
        f"of {many(option.worst.stateful_tasks, 'stateful task')}",
        _why_unavailable(found),
        _spread(times, None if times is None else times.rebalancing_ends),
        _spread(times, None if times is None else times.restored) or "including standby copies",
        f"{records:,} records from changelogs" if records >= 10_000 else "from changelogs",
        _copies(found),
    )
    labels = (
        "Stateful tasks moved",
        "Longest task downtime",
        "Rebalancing ends after",
        "All state restored after",
        "To restore",
        "Effort",
    )
    other = _amounts(figures_of(plan, baseline)) if baseline is not None and baseline is not option else None
    return parts.figures_of(labels, details, _amounts(found) or (), other, certain=found.certain)


def _spread(times: Times | None, one: Estimate | None) -> str:
    """The range, and the condition that it holds under."""
    return "" if times is None else ", ".join(filter(None, (time_words.between(one), time_words.limited_to(times))))


def _copies(found: OptionFigures) -> str:
    counts = found.effort
    if counts is None:
        return ""
    copied = many(counts.copies, "directory copied", "directories copied") if counts.copies else "no directory copied"
    return f"{many(counts.manual_steps, 'manual step')}, {copied}"


def _why_unavailable(found: OptionFigures) -> str:
    if not found.stands_still and not found.cold_tasks:
        return "except during rebalances"
    if not found.cold_tasks:
        return "session timeout; then a caught-up copy takes over"
    if not found.noticed:
        return "restoring: no client has a caught-up copy"
    restoring = found.stands_still - found.noticed
    return f"session timeout {duration(found.noticed)}, restore {duration(restoring) if restoring else 'under 1 s'}"


def _amounts(found: OptionFigures | None) -> tuple[Amount, ...] | None:
    """The six, of one option; None: nothing was forecast."""
    if found is None:
        return None
    size = f"{compact(found.records)} records" if found.bytes is None else amount_of_bytes(found.bytes)
    return (
        (found.moved, f"{found.moved:,}"),
        (found.stands_still * 1000 + bool(found.cold_tasks), found.downtime_text),
        _time(found, None if found.times is None else found.times.rebalancing_ends),
        _time(found, None if found.times is None else found.times.restored),
        (found.records, size if found.records else "nothing"),
        _effort(found),
    )


def _time(found: OptionFigures, one: Estimate | None) -> Amount:
    if found.times is None:
        return (NEVER if found.to_stable is None else found.to_stable, found.stable_text)
    return (NEVER if one is None else one.usual, time_words.usually(one))


def _effort(found: OptionFigures) -> Amount:
    counts = found.effort
    if counts is None:
        return UNKNOWN
    return (counts.restarts + counts.manual_steps + counts.copies, many(counts.restarts, "restart"))


# The rollout over time.


def _dated(plan: Plan, cost: Cost) -> tuple[Round, ...]:
    """The rebalances when they are complete, by the one model of time that the figures come from."""
    ends = times_of(cost, plan.policy).rebalances
    if len(ends) != len(cost.rounds):
        return cost.rounds
    return tuple(replace(one, at_seconds=end.usual) for one, end in zip(cost.rounds, ends, strict=True))


def _timeline(plan: Plan, option: Considered, cost: Cost) -> Timeline:
    points, so_far = [], 0
    cost_rounds = _dated(plan, cost)
    for one in cost_rounds:
        so_far += one.handed_over
        cold = one.without_caught_up_copy
        note = many(one.warm_ups, "standby or warm-up", "standbys and warm-ups") if one.warm_ups else ""
        points.append(Point(one.at_seconds, so_far, one.handed_over, note, f"{cold:,} without a caught-up copy" if cold else ""))
    rounds = tuple(_rounds(cost_rounds))
    shown, cut = rounds[:MOST_ROUNDS], max(0, len(rounds) - MOST_ROUNDS)
    return Timeline(option.name, title_of(option.name, plan), shown, tuple(points), cost_rounds[-1].at_seconds, cut)


def _rounds(rounds: tuple[Round, ...]) -> Iterator[RoundView]:
    number = 0
    told = (
        (one.at_seconds, one.trigger, one.handed_over, one.withheld, one.warm_ups, one.without_caught_up_copy) for one in rounds
    )
    for (at, trigger, *counts), same in groupby(told):
        first, number = number + 1, number + len(list(same))
        after = "immediately" if not at else f"after {duration(at)}"
        cells = (after, _CAUSES.get(trigger, trigger), *(f"{one:,}" for one in counts))
        yield RoundView(span(first, number), cells, counts[-1] > 0)


# The options, side by side.


def _options(plan: Plan) -> tuple[OptionRow, ...]:
    cells = parts.bars({one.name: said for one in plan.candidates if (said := _amounts(figures_of(plan, one))) is not None})
    return parts.in_order(
        OptionRow(
            name=one.name,
            title=one.title,
            fate=_fate(one, plan),
            why_not=parts.why_not(one),
            effort=one.effort.value,
            cells=cells.get(one.name, ()),
            failed=parts.broken(one.rules),
        )
        for one in plan.candidates
    )


def _fate(one: Considered, plan: Plan) -> str:
    if one.name == plan.chosen:
        return "recommended"
    return "impossible" if one.worst is None else "possible" if one.as_asked else "reference"
