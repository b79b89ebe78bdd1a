"""What is learnt of time from a group's past, in words."""

from collections.abc import Callable, Iterator

from holdfast.rollout.backtest.learnt import FEWEST, FEWEST_COURSES, Disagreement, Held, Learnt, Quantity, Span, Stated
from holdfast.rollout.text.format import many

TITLE = "Times in this group's past"
_OF = {Stated.RESTORE: "restore", Stated.START_UP: "restart"}


def rows(learnt: Learnt) -> Iterator[tuple[str, str, str]]:
    """What it is, how often it was seen, and the range."""
    for what, seen, found, says in _quantities(learnt):
        if found.seen:
            short = f"unknown: {FEWEST} needed"
            yield what, many(found.seen, seen), short if found.span is None else says(found.span)
    held = learnt.rebalances
    if held.of:
        yield "number of rebalances", many(held.of, "course"), _held(held)


def lines(learnt: Learnt) -> Iterator[tuple[str, str]]:
    """For a plan: what its ranges are learnt from, and where the past is too short for that."""
    for what, seen, found, says in _quantities(learnt):
        if found.span is not None:
            yield what, f"{says(found.span)}, learnt from {many(found.seen, seen)} of this group"
        elif found.seen:
            yield what, f"assumed: {many(found.seen, seen)} of this group seen, {FEWEST} needed"


def rebalances(held: Held) -> str | None:
    """How sure the number of rebalances in a plan is. None: no past course says."""
    return f"Number of rebalances: {_held(held)}." if held.of else None


def disagreement(one: Disagreement) -> str:
    """What an operator stated, and what the past shows instead."""
    says = _speed if one.what is Stated.RESTORE else _seconds
    stated = Span(one.low, (one.low + one.high) / 2, one.high)
    return (
        f"Check the stated {one.what.value}: it is {says(stated)}; {many(one.seen, _OF[one.what])} of this group show"
        f" {says(one.learnt)}."
    )


def _quantities(learnt: Learnt) -> Iterator[tuple[str, str, Quantity, Callable[[Span], str]]]:
    yield "Restore speed", _OF[Stated.RESTORE], learnt.restore, _speed
    yield "Client start-up", _OF[Stated.START_UP], learnt.start_up, _seconds
    yield "Client restart", _OF[Stated.START_UP], learnt.restart, _seconds
    yield "Restarts of a rolling restart, one after the other", _OF[Stated.START_UP], learnt.restarts_apart, _seconds
    if learnt.rolls:
        restarts = len(learnt.rolls) + 1
        yield f"Rolling restart with {restarts} restarts", "rolling restart", learnt.rolls[-1], _seconds
    yield "Duration of a course without probing rebalances", "course", learnt.took, _times
    yield "Duration of a course with probing rebalances", "course", learnt.took_probing, _times


def _held(held: Held) -> str:
    within = f"within the forecast range in {held.within:,} of {many(held.of, 'past course')}"
    if held.more is None:
        return f"{within}; how often it will be is unknown before {FEWEST_COURSES} courses"
    if not held.more:
        return f"{within}; it covers nine in ten of the next"
    return f"{within}; {held.more:,} more on either side cover nine in ten of the next"


def _speed(one: Span) -> str:
    return f"{_between(one, 0)} records/s"


def _seconds(one: Span) -> str:
    return f"{_between(one, 1)} s"


def _times(one: Span) -> str:
    return f"{_between(one, 2)} times the usual forecast"


def _between(one: Span, digits: int) -> str:
    low, high = (f"{round(figure, digits):,}".removesuffix(".0") for figure in (one.low, one.high))
    return low if low == high else f"{low} to {high}"
