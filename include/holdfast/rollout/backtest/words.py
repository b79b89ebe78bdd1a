"""A score and a backtest in words and tables: every medium renders the same blocks."""

from collections.abc import Iterator

from holdfast.rollout.backtest import learnt_words
from holdfast.rollout.backtest.judged import Because, Judged, NotForecast, RebalanceResult, Role, TaskDifference
from holdfast.rollout.backtest.results import Backtest, GroupBacktest, ScoreOf
from holdfast.rollout.backtest.score import Score
from holdfast.rollout.text.document_blocks import Block, Heading, Lines, Paragraph, Table
from holdfast.rollout.text.format import many, some_of

BECAUSE = {
    Because.END_OFFSETS: "end offsets of that moment are gone",
    Because.RELEASE: "release unknown",
    Because.LEADER: "leader unknown",
    Because.SETTINGS: "settings unknown",
    Because.STATE: "unknown which subtopologies keep state",
    Because.JAVA: "an order that the leader's JVM generates",
    Because.NEWER_MEMBERS: "members newer than the leader",
    Because.ASSIGNOR: "assignor not covered",
    Because.METADATA_VERSION: "metadata version not covered",
    Because.MALFORMED: "malformed record",
    Because.LEADER_ERROR: "the leader sent an error",
    Because.RACKS: "racks of that moment are gone",
    Because.TOPICS: "partitions of that moment are unknown",
    Because.PREVIOUS_TARGET: "previous target is not recorded whole",
    Because.MEMBER_ORDER: "order of members unknown",
    Because.BROKER_JAVA: "Java of the broker unknown",
    Because.DISKS: "offsets that members reported of their disks are not recorded",
    Because.WORK: "work limit",
}
NOT_FORECAST = {
    NotForecast.INTERRUPTED: "members changed before the group was stable, or a rebalance between is not recorded",
    NotForecast.NOT_JUDGED: "its first rebalance is not explained",
    NotForecast.UNFINISHED: "no stable end yet",
    NotForecast.NOT_PREDICTED: "cannot be predicted",
}
MOST_SHOWN = 20
_MOST_DIFFERENCES = 12
_COLUMNS = (
    *("group", "release", "rebalances", "as Kafka did", "different", "inferred", "not judged"),
    *("stable ends", "rounds", "time"),
)


def sentence(score: Score, of_what: str = "this group") -> str:
    """`Holdfast decided 412 of 412 past rebalances of this group as Kafka did; 31 of 31 stable ends; durations within the
    range 29 of 31.`"""
    if not score.judged and not score.inferred:
        return f"No past rebalance of {of_what} could be judged."
    parts = []
    if score.judged:
        parts.append(f"Holdfast decided {score.equal:,} of {many(score.judged, 'past rebalance')} of {of_what} as Kafka did")
    if score.inferred and score.judged:
        parts.append(f"{many(score.inferred, 'more rebalance')} inferred")
    elif score.inferred:
        parts.append(f"{many(score.inferred, 'past rebalance')} of {of_what} inferred")
    if score.sequences:
        parts.append(f"{score.ends_equal:,} of {many(score.sequences, 'stable end')}")
    if score.courses:
        parts.append(f"durations within the range {score.durations_within:,} of {score.courses:,}")
    return f"{'; '.join(parts)}."


def apart(score: Score) -> str | None:
    """What is counted apart, with its reasons; None: nothing is."""
    if not score.inferred and not score.not_judged:
        return None
    counts = [
        f"{score.inferred:,} inferred" if score.inferred else "",
        f"{score.not_judged:,} not judged" if score.not_judged else "",
    ]
    reasons = ", ".join(f"{BECAUSE[one]} ({count:,})" for one, count in score.because)
    return f"{', '.join(filter(None, counts))}: {reasons}"


def blocks(found: Backtest) -> tuple[Block, ...]:
    """The whole document."""
    return tuple(_blocks(found))


def _blocks(found: Backtest) -> Iterator[Block]:
    yield Heading(1, f"Backtest of {found.cluster}")
    if found.groups:
        yield Paragraph(sentence(found.score, many(len(found.groups), "group")), strong=found.score.perfect)
        yield Lines(tuple(_totals(found)))
        yield Heading(2, "Groups")
        yield Table(_COLUMNS, tuple(row for group in found.groups for row in _rows(group)))
        yield from _learnt(found.groups)
    else:
        yield Paragraph("__consumer_offsets holds no completed rebalance that can be judged.")
    for group in found.groups:
        yield from _differing(group)
    unread = [*found.unread, *(f"{group.group_id}: {note}" for group in found.groups for note in group.notes)]
    if unread:
        yield Heading(2, "Not read")
        yield Table(("what",), tuple((one,) for one in unread[:MOST_SHOWN]))


def _totals(found: Backtest) -> Iterator[tuple[str, str]]:
    score = found.score
    since = f" since {found.since}" if found.since else ""
    yield "rebalances", f"{score.rebalances:,}{since}, {score.equal:,} of {score.judged:,} judged as Kafka did"
    counted = apart(score)
    if counted is not None:
        yield "counted apart", counted
    if score.sequences or score.sequences_inferred or score.sequences_not_compared:
        yield (
            "sequences",
            (
                f"{score.ends_equal:,} of {score.sequences:,} stable ends, {score.rounds_within:,} of {score.sequences:,} within"
                f" the forecast number of rebalances, {score.seconds_within:,} within the forecast time"
                f"{f', {score.sequences_inferred:,} more inferred' if score.sequences_inferred else ''}"
            ),
        )
    if score.courses:
        yield (
            "of those that take time",
            (
                f"{score.courses:,}: {score.course_rounds_within:,} within the forecast number of rebalances,"
                f" {score.durations_within:,} within the forecast time ({score.durations_learnt:,} by what was learnt before)"
            ),
        )
    if score.sequences_not_compared:
        yield "not compared", ", ".join(f"{NOT_FORECAST[one]} ({count:,})" for one, count in score.sequences_not_compared)


def _rows(group: GroupBacktest) -> Iterator[tuple[str, ...]]:
    for one in group.scores:
        score = one.score
        yield (
            group.group_id,
            _led(one),
            f"{score.rebalances:,}",
            f"{score.equal:,} of {score.judged:,}",
            f"{score.different:,}",
            f"{score.inferred:,}",
            f"{score.not_judged:,}",
            f"{score.ends_equal:,} of {score.sequences:,}",
            f"{score.rounds_within:,} of {score.sequences:,}",
            f"{score.seconds_within:,} of {score.sequences:,}",
        )


def _learnt(groups: tuple[GroupBacktest, ...]) -> Iterator[Block]:
    rows = [(one.group_id, *row) for one in groups if one.learnt is not None for row in learnt_words.rows(one.learnt)]
    if rows:
        yield Heading(2, "Learnt")
        yield Table(("group", "what", "seen", "nine in ten are"), tuple(rows))


def _led(one: ScoreOf) -> str:
    first, last = (one.releases[0], one.releases[-1]) if one.releases else ("unknown", "unknown")
    releases = first if first == last else f"{first} to {last}"
    return releases if one.assignor is None else f"{releases}, {one.assignor}"


def _differing(group: GroupBacktest) -> Iterator[Block]:
    different = [one for one in group.rebalances if one.judged is Judged.DIFFERENT]
    ends = [one for one in group.sequences if one.compared and not one.end_equal]
    if different or ends:
        yield Heading(2, f"{group.group_id}: decided otherwise")
        found = ", ".join(f"{one.name}={one.value} ({one.source})" for one in group.settings)
        if found:
            yield Paragraph(f"Judged with {found}.")
    for one in different[:MOST_SHOWN]:
        yield Heading(3, f"Rebalance {one.number}, {one.completed_at}")
        yield _differences(one.differences)
        if one.mismatch is not None:
            yield Paragraph(f"Written to {one.mismatch}.")
    for sequence in ends[:MOST_SHOWN]:
        yield Heading(3, f"Stable end of rebalances {sequence.first} to {sequence.last}")
        yield _differences(sequence.end_differences)


def _differences(found: tuple[TaskDifference, ...]) -> Table:
    rows = [(_what(one), some_of(one.holdfast), some_of(one.recorded)) for one in found[:_MOST_DIFFERENCES]]
    if len(found) > _MOST_DIFFERENCES:
        rows.append((f"and {len(found) - _MOST_DIFFERENCES} more", "", ""))
    return Table(("what", "Holdfast", "Kafka"), tuple(rows))


def _what(one: TaskDifference) -> str:
    return f"{one.role.value}: {one.what}" if one.role in (Role.NEXT_REBALANCE, Role.ERROR) else f"{one.what} {one.role.value}"


def of_one(result: RebalanceResult) -> tuple[Block, ...]:
    """One rebalance that was judged alone."""
    because = ", ".join(BECAUSE[one] for one in result.because)
    lines = [("result", result.judged.value), *([("because", because)] if because else [])]
    if result.detail:
        lines.append(("detail", result.detail))
    differ = (_differences(result.differences),) if result.differences else ()
    return (Heading(1, f"Rebalance {result.number}"), Lines(tuple(lines)), *differ)
