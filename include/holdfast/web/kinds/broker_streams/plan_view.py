"""A plan for a streams group whose broker assigns as its page shows it."""

from collections.abc import Iterator
from datetime import datetime

from holdfast.kafka.coordinator.streams.group import Task, each_task
from holdfast.rollout.broker_streams.forecast.placement import Share, Shares
from holdfast.rollout.broker_streams.plan import effect_words
from holdfast.rollout.broker_streams.plan.figures import TargetFigures, target_figures
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan, Considered
from holdfast.rollout.broker_streams.snapshot.names import named
from holdfast.rollout.broker_streams.snapshot.processes import processes
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.facts import refusals
from holdfast.rollout.text.format import capital, duration, many
from holdfast.web.parts import plan_view as parts
from holdfast.web.parts.ownership import Picture, Placement, Words, picture
from holdfast.web.parts.plan_view import (
    MOST_ROUNDS,
    NEVER,
    Amount,
    Figure,
    Labels,
    OptionRow,
    PlanView,
    Point,
    RoundView,
    Timeline,
    plan_view,
    title_of,
)

WORDS = Words("task", "client", "broker's listing")
LABELS = Labels(
    owners="The coordinator assigns each task to one client. In the chart, tasks on the middle line stay; tasks off the line move.",
    time="Cumulative stateful tasks handed to another client, by target.",
    total="hand-overs",
    risk="restored in full",
    unit="target",
    rounds=("Trigger", "Group epoch", "Hand-overs", "Undetermined", "Restored in full"),
    options=("Tasks moved", "Hand-overs", "Restored in full", "Task-seconds without an owner"),
    round="target",
)


def view(plan: BrokerPlan, now: datetime) -> PlanView:
    option, baseline = plan.recommended_option, plan.baseline_option
    options = {one.name: one for one in (option, baseline) if one is not None}.values()
    pairs = tuple((one, one.course) for one in options if one.course is not None)
    return plan_view(
        plan,
        now,
        labels=LABELS,
        effect=""
        if option is None or option.summary is None
        else capital(effect_words.effect(option.summary, option.unowned, option.times, option.draws)),
        figures=_figures(option, baseline),
        pictures=tuple(_picture(plan, one, course) for one, course in pairs if any(share.now for share in course.shares)),
        timelines=tuple(_timeline(plan, one, course) for one, course in pairs if course.targets),
        options=_options(plan),
        facts=_facts(plan),
    )


def _facts(plan: BrokerPlan) -> tuple[tuple[str, str], ...]:
    basis = plan.basis
    release = f"Kafka {basis.broker_release}" if basis.broker_release else "unknown release"
    return (
        ("Group", f"{many(len(processes(basis)), 'client')}, {many(len(basis.members), 'thread')}"),
        ("Brokers", release),
        ("Group epoch", "unknown" if basis.group_epoch is None else str(basis.group_epoch)),
    )


# The four figures.


def _figures(option: Considered | None, baseline: Considered | None) -> tuple[Figure, ...]:
    found = target_figures(option)
    if found is None or option is None:
        return ()
    collateral = 0 if option.hand_over is None else option.hand_over.collateral
    collateral_text = f", {collateral:,} collateral (between clients that stay)" if collateral else ""
    details = (
        f"of {found.stateful_tasks:,}{collateral_text}",
        (
            f"{found.cold_text} of them restored in full: that disk has never had the task"
            if found.cold_text != "0"
            else "none restored in full"
        )
        + found.restored_text,
        f"usually; up to {duration(found.unowned_most)}. Restoring comes on top"
        if found.unowned_most
        else "no task changes its owner",
        f"rebalancing ends after {found.stable_text}; {found.effort_text}",
    )
    labels = ("Stateful tasks moved", "Hand-overs", "Longest without an owner", "Targets")
    other = target_figures(baseline) if baseline is not option else None
    return parts.figures_of(labels, details, _amounts(found), None if other is None else _amounts(other))


def _amounts(found: TargetFigures) -> tuple[Amount, ...]:
    return (
        (found.moved, found.moved_text),
        (found.hand_overs, found.hand_overs_text),
        (found.unowned, found.downtime_text),
        (found.targets, f"{found.targets:,}"),
    )


def _compared(found: TargetFigures) -> tuple[Amount, ...]:
    return (
        (found.moved, found.moved_text),
        (found.hand_overs, found.hand_overs_text),
        (found.cold, found.cold_text),
        (min(found.task_seconds, NEVER), f"{found.task_seconds:,}"),
    )


# Who runs what, and when.


def _picture(plan: BrokerPlan, option: Considered, course: Shares) -> Picture:
    name = named(plan.basis)
    placement = Placement(
        words=WORDS,
        before={str(task): one.process_id for task, one in _placed(course, before=True)},
        after={str(task): one.process_id for task, one in _placed(course, before=False)},
        now=tuple(one.process_id for one in course.shares if one.now is not None),
        then=tuple(one.process_id for one in course.shares if one.then is not None),
        order=tuple(one.process_id for one in course.shares),
        names={one.process_id: one.host or name(one.was or one.process_id) for one in course.shares},
        anew=frozenset(one.process_id for one in course.shares if one.was is not None),
    )
    return picture(option.name, title_of(option.name, plan), placement)


def _placed(course: Shares, *, before: bool) -> Iterator[tuple[Task, Share]]:
    pairs = [(task, one) for one in course.shares for task in each_task((one.now if before else one.then) or ())]
    return iter(sorted(pairs, key=lambda pair: pair[0].rank))


def _timeline(plan: BrokerPlan, option: Considered, course: Shares) -> Timeline:
    points, so_far = [], 0
    for number, one in enumerate(course.targets, start=1):
        so_far += one.hand_overs
        risk = f"{many(one.cold, 'task')} restored in full" if one.cold else ""
        points.append(Point(number, so_far, one.hand_overs, f"trigger: {one.trigger}", risk))
    rounds = tuple(_rounds(course))
    shown, cut = rounds[:MOST_ROUNDS], max(0, len(rounds) - MOST_ROUNDS)
    return Timeline(option.name, title_of(option.name, plan), shown, tuple(points), len(points), cut)


def _rounds(course: Shares) -> Iterator[RoundView]:
    for number, one in enumerate(course.targets, start=1):
        epoch = "unknown" if one.group_epoch is None else f"{one.group_epoch:,}"
        cells = (str(one.trigger), epoch, f"{one.hand_overs:,}", f"{one.undetermined:,}", f"{one.cold:,}")
        yield RoundView(f"{number:,}", cells, one.cold > 0)


# The options, side by side.


def _options(plan: BrokerPlan) -> tuple[OptionRow, ...]:
    found = {one.name: figures for one in plan.candidates if (figures := target_figures(one)) is not None}
    cells = parts.bars({name: _compared(one) for name, one in found.items()})
    return parts.in_order(
        OptionRow(
            name=one.name,
            title=one.title,
            fate="recommended" if one.name == plan.chosen else "possible" if one.name in found else "impossible",
            why_not=parts.why_not(one),
            effort="no manual work beyond the change" if one.name == BASELINE_NAME else "",
            cells=cells.get(one.name, ()),
            failed=parts.broken(one.rules) if one.refusal is None or refusals.applies(one.refusal) else (),
        )
        for one in plan.candidates
    )
