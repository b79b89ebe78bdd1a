"""How long the last course of a forecast takes, as a backtest forecasts those of the past."""

from dataclasses import dataclass

from holdfast.rollout.backtest.learnt import Duration
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.timing.course_durations import last_courses


@dataclass(frozen=True)
class At:
    trigger: Trigger
    at_seconds: float


CHANGE, PROBING, IMMEDIATE = (lambda at, one=one: At(one, at) for one in (Trigger.CHANGE, Trigger.PROBING, Trigger.IMMEDIATE))


def test_probing_rebalances_wait_for_their_interval_and_each_takes_a_moment() -> None:
    assert last_courses([[CHANGE(0), IMMEDIATE(0), PROBING(600), IMMEDIATE(600)]]) == (Duration(606, 606, 606, probing=True),)
    assert last_courses([[CHANGE(0), IMMEDIATE(0)]]) == (Duration(2, 2, 2),)


def test_it_begins_with_the_last_rebalance_that_an_event_causes() -> None:
    assert last_courses([[CHANGE(0), IMMEDIATE(0), PROBING(600), CHANGE(900), IMMEDIATE(900)]]) == (Duration(2, 2, 2),)


def test_one_rebalance_is_no_course_in_any_outcome() -> None:
    assert last_courses([[CHANGE(0)]]) == ()
    assert last_courses([[CHANGE(0), IMMEDIATE(0)], [CHANGE(0)]]) == ()
    assert len(last_courses([[CHANGE(0), IMMEDIATE(0)], [CHANGE(0), PROBING(60)]])) == 2
