"""What the past of a group makes of a forecast: its score, and how long the change takes by what such changes took."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdfast.rollout.backtest import learnt_words, past
from holdfast.rollout.backtest.learnt import SPAN, Duration, Learnt, Span
from holdfast.rollout.backtest.past import PastScore
from holdfast.rollout.json.codec import nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.text.document_blocks import Block, Heading, Lines, Paragraph
from holdfast.rollout.text.format import duration


@record
class ForecastPast:
    """`seconds`: how long the last course of the change takes. None: too few courses are recorded, or it has none."""

    score: PastScore = member(codec_of(PastScore), "How often Holdfast was right.")
    seconds: Span | None = member(
        nullable(SPAN),
        "Seconds from the rebalance in which all members of the end take part until the group is stable; where the broker assigns,"
        " from when the last of them has joined or left. Nine in ten of such courses of this group are within.",
        default=None,
        omit=True,
    )


PAST_OF_FORECAST = member(nullable(codec_of(ForecastPast)), "Where a backtest was given.", default=None, omit=True)


def of(score: PastScore, courses: Sequence[Duration]) -> ForecastPast:
    """`courses`: as they are forecast, the likeliest first: several where which it is depends on what is unknown."""
    learnt = score.learnt
    spans = [] if learnt is None else [_seconds(learnt, one) for one in courses]
    known = [one for one in spans if one is not None]
    if not known or len(known) < len(spans):
        return ForecastPast(score)
    return ForecastPast(score, replace(known[0], low=min(one.low for one in known), high=max(one.high for one in known)))


def _seconds(learnt: Learnt, course: Duration) -> Span | None:
    took = (learnt.took_probing if course.probing else learnt.took).span
    return None if took is None else Span(*(round(times * course.counted, 3) for times in (took.low, took.usual, took.high)))


def blocks(found: ForecastPast | None) -> Iterator[Block]:
    if found is None:
        return
    yield Paragraph(past.sentence(found.score))
    lines = past.learnt(found.score)
    if found.seconds is not None:
        low, high = (duration(round(one)) for one in (found.seconds.low, found.seconds.high))
        lines = (("Until the group is stable", f"{low} to {high} in nine of ten such changes"), *lines)
    if lines:
        yield Heading(2, learnt_words.TITLE)
        yield Lines(lines)
