"""How long the last course of a forecast takes, as a backtest forecasts the courses of the past."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

from holdfast.rollout.backtest.learnt import Duration
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.timing.timeline import JOIN_S


class TriggeredRound(Protocol):
    @property
    def trigger(self) -> Trigger: ...

    @property
    def at_seconds(self) -> float: ...


def last_courses(outcomes: Iterable[Sequence[TriggeredRound]]) -> tuple[Duration, ...]:
    """Of the rounds of each outcome; none where one of them is over with the rebalance that the change itself causes."""
    found = [_last_course(rounds) for rounds in outcomes]
    known = [one for one in found if one is not None]
    return tuple(known) if len(known) == len(found) else ()


def _last_course(rounds: Sequence[TriggeredRound]) -> Duration | None:
    """From the last rebalance that an event causes: all members of the end take part in it."""
    first = max((number for number, one in enumerate(rounds) if one.trigger is Trigger.CHANGE), default=0)
    course = rounds[first:]
    if len(course) < 2:
        return None
    waits = [after.at_seconds - before.at_seconds for before, after in pairwise(course) if after.trigger is Trigger.PROBING]
    usual = sum(waits) + (len(course) - 1) * JOIN_S.usual
    return Duration(usual, usual, usual, probing=bool(waits))
