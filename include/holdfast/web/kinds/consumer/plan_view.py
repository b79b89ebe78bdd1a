"""A plan for a consumer group as its page shows it."""

from collections.abc import Iterator
from datetime import datetime

from holdfast.rollout.consumer.forecast.course import Share, Shares
from holdfast.rollout.consumer.plan import effect_words
from holdfast.rollout.consumer.plan.figures import ReadFigures, read_figures
from holdfast.rollout.consumer.plan.plan import Considered, ConsumerPlan
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.text.format import capital, duration, listed, many
from holdfast.web.parts import plan_view as parts
from holdfast.web.parts.ownership import Picture, Placement, Words, picture
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

WORDS = Words("partition", "consumer", "member ID")
LABELS = Labels(
    owners="One consumer reads each partition. The range and round-robin assignors assign in member-ID order; sticky assignors"
    " keep assignments where they can. In the chart, partitions on the middle line stay; partitions off the line move.",
    time="Cumulative partitions handed to another consumer, by rebalance.",
    total="partitions",
    risk="",
    unit="rebalance",
    rounds=(
        "Trigger",
        "Duration, usual",
        "Duration, at most",
        "Handed over",
        "Unavailable meanwhile",
        "Without a reader afterwards",
    ),
    options=("Partitions moved", "Longest downtime", "Rebalances", "Read twice"),
)


def view(plan: ConsumerPlan, now: datetime) -> PlanView:
    option, baseline = plan.recommended_option, plan.baseline_option
    options = {one.name: one for one in (option, baseline) if one is not None}.values()
    pairs = tuple((one, one.course) for one in options if one.course is not None)
    return plan_view(
        plan,
        now,
        labels=LABELS,
        effect=""
        if option is None or option.summary is None
        else capital(effect_words.effect(option.summary, option.rebalances, option.times)),
        warnings=() if option is None else tuple(map(warning_words.labelled, option.warnings)),
        figures=_figures(option, baseline),
        pictures=tuple(_picture(plan, one, course) for one, course in pairs if any(share.now for share in course.shares)),
        timelines=tuple(_timeline(plan, one, course) for one, course in pairs if course.rounds),
        options=_options(plan),
        facts=_facts(plan),
    )


def _facts(plan: ConsumerPlan) -> tuple[tuple[str, str], ...]:
    basis = plan.basis
    partitions = sum(len(topic.partitions) for topic in basis.topics)
    release = f"Kafka clients {basis.kafka_release}" if basis.kafka_release else "unknown release"
    assignors = dict.fromkeys(str(one) for member in basis.members for one in member.assignors)
    return (
        ("Group", f"{many(len(basis.members), 'consumer')}, {many(partitions, 'partition')}, {release}"),
        ("Topics", listed([topic.name for topic in basis.topics], 6)),
        ("Assignors", listed(list(assignors))),
    )


# The four figures.


def _figures(option: Considered | None, baseline: Considered | None) -> tuple[Figure, ...]:
    found = None if option is None else read_figures(option)
    if found is None or option is None:
        return ()
    collateral = None if option.summary is None else option.summary.needless
    collateral_text = f", {collateral:,} collateral (between consumers that the change does not touch)" if collateral else ""
    details = (
        f"of {found.partitions:,}{collateral_text}",
        _why_unread(found),
        "none" if not found.rebalances else _until_stable(found),
        _why_twice(found),
    )
    labels = ("Partitions moved", "Longest partition downtime", "Rebalances", "Records read twice")
    other = read_figures(baseline) if baseline is not None and baseline is not option else None
    return parts.figures_of(labels, details, _amounts(found), None if other is None else _amounts(other))


def _why_unread(found: ReadFigures) -> str:
    if not found.rebalances:
        return "except the restarted consumer's own partitions, until it is back"
    if found.unread is None or not found.unread:
        return "other partitions are read without interruption"
    return f"usually; up to {duration(found.unread_most or 0)} where a consumer is slow to poll"


def _why_twice(found: ReadFigures) -> str:
    if found.read_twice is None:
        return "committed offsets are unknown"
    return "at most: read but not yet committed" if found.read_twice else "each consumer commits before it releases a partition"


def _until_stable(found: ReadFigures) -> str:
    if found.to_stable is None:
        return "the group does not become stable"
    return f"rebalancing ends after {found.stable_text}; {found.effort_text}"


def _amounts(found: ReadFigures) -> tuple[Amount, ...]:
    unread = 0 if not found.rebalances else NEVER if found.unread is None else found.unread
    return (
        UNKNOWN if found.moved is None else (found.moved, f"{found.moved:,}"),
        (unread, found.downtime_text),
        (found.rebalances, f"{found.rebalances:,}") if found.to_stable is not None else (NEVER, "endless"),
        UNKNOWN if found.read_twice is None else (found.read_twice, compact(found.read_twice) if found.read_twice else "none"),
    )


# Who reads what, and when.


def _picture(plan: ConsumerPlan, option: Considered, course: Shares) -> Picture:
    anew = {one.was: one.member_id for one in course.shares if one.was is not None and one.then is not None}
    names = {one.member_id: anew.get(one.member_id, one.member_id) for one in course.shares}
    placement = Placement(
        words=WORDS,
        before={str(part): names[one.member_id] for one in course.shares for part in one.now or ()},
        after={str(part): one.member_id for one in course.shares for part in one.then or ()},
        now=tuple(names[one.member_id] for one in course.shares if one.now is not None),
        then=tuple(one.member_id for one in course.shares if one.then is not None),
        order=tuple(one.member_id for one in course.shares if one.member_id not in anew),
        names={one.member_id: _name(one, plan) for one in course.shares},
        anew=frozenset(anew.values()),
    )
    return picture(option.name, title_of(option.name, plan), placement)


def _name(one: Share, plan: ConsumerPlan) -> str:
    """The instance ID of a static consumer, and where it runs; a member ID is long and says little."""
    known = {member.member_id: member.group_instance_id for member in plan.basis.members}
    instance = known.get(one.member_id) or known.get(one.was or "")
    return " on ".join(part for part in (instance, one.host) if part) or "unknown host"


def _timeline(plan: ConsumerPlan, option: Considered, course: Shares) -> Timeline:
    points, so_far = [], 0
    for number, one in enumerate(course.rounds, start=1):
        so_far += one.handed_over
        still = "" if one.stopped is None else f"{many(one.stopped, 'partition')} unavailable for {one.lasts.usual:g} s, usually"
        points.append(Point(number, so_far, one.handed_over, still, ""))
    rounds = tuple(_rounds(course))
    shown, cut = rounds[:MOST_ROUNDS], max(0, len(rounds) - MOST_ROUNDS)
    return Timeline(option.name, title_of(option.name, plan), shown, tuple(points), len(points), cut)


def _rounds(course: Shares) -> Iterator[RoundView]:
    for number, one in enumerate(course.rounds, start=1):
        cause = "change" if one.trigger == "change" else "partitions revoked before"
        stopped = "unknown" if one.stopped is None else f"{one.stopped:,}"
        times = (duration(round(one.lasts.usual)), duration(round(one.lasts.most)))
        yield RoundView(f"{number:,}", (cause, *times, f"{one.handed_over:,}", stopped, f"{one.unread:,}"), one.unread > 0)


# The options, side by side.


def _options(plan: ConsumerPlan) -> tuple[OptionRow, ...]:
    found = {one.name: figures for one in plan.candidates if (figures := read_figures(one)) is not None}
    cells = parts.bars({name: _amounts(one) for name, one in found.items()})
    return parts.in_order(
        OptionRow(
            name=one.name,
            title=one.title,
            fate="recommended" if one.name == plan.chosen else "possible" if one.name in found else "impossible",
            why_not=parts.why_not(one),
            effort="no manual work beyond the change" if one.name == BASELINE_NAME else "",
            cells=cells.get(one.name, ()),
            failed=parts.broken(one.rules),
        )
        for one in plan.candidates
    )
