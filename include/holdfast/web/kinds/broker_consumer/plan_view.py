"""A plan for a consumer group whose broker assigns as its page shows it."""

from collections.abc import Iterator
from datetime import datetime

from holdfast.rollout.broker_consumer.forecast.placement import CourseRebalance, CourseTarget, Shares
from holdfast.rollout.broker_consumer.plan import effect_words
from holdfast.rollout.broker_consumer.plan.figures import HandOverFigures, hand_over_figures
from holdfast.rollout.broker_consumer.plan.plan import Considered, GroupPlan
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.facts import refusals
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.text.format import capital, duration, listed, many
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

WORDS = Words("partition", "consumer", "broker's listing")
LABELS = Labels(
    owners="The coordinator assigns each partition to one consumer. In the chart, partitions on the middle line stay;"
    " partitions off the line move.",
    time="Cumulative partitions handed to another consumer, by target.",
    total="hand-overs",
    risk="",
    unit="target",
    rounds=("Trigger", "Group epoch", "Hand-overs", "Undetermined"),
    options=("Partitions moved", "Hand-overs", "Longest without an owner", "Partition-seconds without an owner"),
    round="target",
)


def view(plan: GroupPlan, now: datetime) -> PlanView:
    option, baseline = plan.recommended_option, plan.baseline_option
    options = {one.name: one for one in (option, baseline) if one is not None}.values()
    pairs = tuple((one, one.course) for one in options if one.course is not None)
    return plan_view(
        plan,
        now,
        labels=LABELS,
        effect=""
        if option is None or option.summary is None
        else capital(effect_words.effect(option.summary, option.bounds, option.unowned, option.times)),
        warnings=() if option is None else tuple(map(warning_words.labelled, option.warnings)),
        figures=_figures(option, baseline),
        pictures=tuple(_picture(plan, one, course) for one, course in pairs if any(share.now for share in course.shares)),
        timelines=tuple(_timeline(plan, one, course) for one, course in pairs if course.targets),
        options=_options(plan),
        facts=_facts(plan),
    )


def _facts(plan: GroupPlan) -> tuple[tuple[str, str], ...]:
    basis = plan.basis
    partitions = sum(len(topic.partitions) for topic in basis.topics)
    return (
        ("Group", f"{many(len(basis.members), 'consumer')}, {many(partitions, 'partition')}"),
        ("Topics", listed([topic.name for topic in basis.topics], 6)),
        ("Assignor", basis.assignor or "unknown"),
        ("Brokers", f"Kafka {basis.broker_release}" if basis.broker_release else "unknown release"),
    )


# The four figures.


def _figures(option: Considered | None, baseline: Considered | None) -> tuple[Figure, ...]:
    found = hand_over_figures(option)
    if found is None or option is None or option.summary is None:
        return ()
    collateral = option.summary.collateral
    collateral_text = f", {collateral:,} collateral (between consumers that the change does not touch)" if collateral else ""
    twice = "read twice: unknown" if found.read_twice is None else f"{many(found.read_twice, 'record')} read twice at most"
    details = (
        f"of {found.partitions:,}{collateral_text}",
        twice,
        f"usually; up to {duration(found.unowned_most)}" if found.unowned_most else "no partition changes its owner",
        f"rebalancing ends after {found.stable_text}; {found.effort_text}",
    )
    labels = ("Partitions moved", "Hand-overs", "Longest without an owner", "Targets")
    other = hand_over_figures(baseline) if baseline is not option else None
    return parts.figures_of(labels, details, _amounts(found), None if other is None else _amounts(other))


def _amounts(found: HandOverFigures) -> tuple[Amount, ...]:
    return (
        (found.moved, found.moved_text),
        (found.hand_overs, found.hand_overs_text),
        (found.unowned, found.downtime_text),
        (found.targets, f"{found.targets:,}"),
    )


def _compared(found: HandOverFigures) -> tuple[Amount, ...]:
    return (*_amounts(found)[:3], (min(found.partition_seconds, NEVER), f"{found.partition_seconds:,}"))


# Who reads what, and when.


def _picture(plan: GroupPlan, option: Considered, course: Shares) -> Picture:
    placement = Placement(
        words=WORDS,
        before={str(partition): one.member_id for one in course.shares for partition in one.now or ()},
        after={str(partition): one.member_id for one in course.shares for partition in one.then or ()},
        now=tuple(one.member_id for one in course.shares if one.now is not None),
        then=tuple(one.member_id for one in course.shares if one.then is not None),
        order=tuple(one.member_id for one in course.shares),
        names={
            one.member_id: " on ".join(part for part in (one.instance_id, one.host) if part) or "unknown host"
            for one in course.shares
        },
        anew=frozenset(one.member_id for one in course.shares if one.was is not None),
    )
    return picture(option.name, title_of(option.name, plan), placement)


def _timeline(plan: GroupPlan, option: Considered, course: Shares) -> Timeline:
    points, so_far = [], 0
    for number, one in enumerate(course.in_turn, start=1):
        so_far += one.hand_overs
        points.append(Point(number, so_far, one.hand_overs, f"trigger: {_trigger(one)}", ""))
    rounds = tuple(_rounds(course))
    shown, cut = rounds[:MOST_ROUNDS], max(0, len(rounds) - MOST_ROUNDS)
    return Timeline(option.name, title_of(option.name, plan), shown, tuple(points), len(points), cut)


def _rounds(course: Shares) -> Iterator[RoundView]:
    for number, one in enumerate(course.in_turn, start=1):
        known = one.generation if isinstance(one, CourseRebalance) else one.group_epoch
        epoch = "unknown" if known is None else f"{known:,}"
        open_ = 0 if isinstance(one, CourseRebalance) else one.undetermined
        yield RoundView(f"{number:,}", (_trigger(one), epoch, f"{one.hand_overs:,}", f"{open_:,}"), False)


def _trigger(one: CourseTarget | CourseRebalance) -> str:
    return "the leader assigns" if isinstance(one, CourseRebalance) else str(one.trigger)


# The options, side by side.


def _options(plan: GroupPlan) -> tuple[OptionRow, ...]:
    found = {one.name: figures for one in plan.candidates if (figures := hand_over_figures(one)) is not None}
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
