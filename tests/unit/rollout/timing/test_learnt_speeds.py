"""Learnt ranges replace what is assumed, never what is stated; what is stated and contradicted is named."""

from dataclasses import replace

import pytest

from holdfast.rollout.backtest.learnt import Learnt, Quantity, Span, Stated
from holdfast.rollout.contract.times import Estimate
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.learnt_times import LearntTimes
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.policy.rates import RateSource
from holdfast.rollout.timing.learnt_speeds import disagreements, with_learnt

LEARNT = Learnt(restore=Quantity(41, Span(800.4, 1_200, 2_400)), start_up=Quantity(22, Span(7, 11.2, 14)))
STATED = Policy(restore_records_per_second=10_000, restore_rate_source=RateSource.POLICY, start_up_s_least=20, start_up_s=40)


def test_what_is_assumed_is_replaced() -> None:
    found = with_learnt(Policy(), LEARNT)

    assert (found.slowest_restore, found.restore_records_per_second, found.fastest_restore) == (800, 1_200, 2_400)
    assert found.restore_rate_says == "measured in this group's own rebalances, 41 restores seen"
    assert found.start_up == Estimate(1, 11, 14)
    assert found.start_up_says == "seen in 22 restarts of this group"


def test_restarts_and_courses_take_what_such_took() -> None:
    known = replace(LEARNT, restart=seen(7, 15), restarts_apart=seen(12, 18), took=seen(0.5, 2), took_probing=seen(1, 1.1))

    assert with_learnt(Policy(), known).learnt == LearntTimes(*(one.span for one in parts(known)))
    assert with_learnt(Policy(), LEARNT).learnt == LearntTimes()
    slow_steps = with_learnt(Policy(between_steps_s_most=60), known).learnt
    assert (slow_steps.restart, slow_steps.restarts_apart) == (known.restart.span, None)
    stated = with_learnt(STATED, known).learnt
    assert (stated.restart, stated.restarts_apart, stated.took) == (None, None, known.took.span)


def seen(low: float, high: float) -> Quantity:
    return Quantity(22, Span(low, (low + high) / 2, high))


def parts(known: Learnt) -> tuple[Quantity, ...]:
    return known.restart, known.restarts_apart, known.took, known.took_probing


def test_what_is_stated_holds() -> None:
    assert with_learnt(STATED, LEARNT) == STATED
    assert with_learnt(Policy(), Learnt(restore=Quantity(3))) == Policy()


@pytest.mark.parametrize(("high", "most"), [(10, 10), (45, 30)])
def test_restarts_within_their_sessions_narrow_or_say_nothing(high: float, most: int) -> None:
    found = with_learnt(Policy(), Learnt(start_up=Quantity(22, Span(0, high / 2, high))))

    assert found.start_up == Estimate(1, 5, most)


def test_what_the_past_contradicts_is_named() -> None:
    speed, start_up = disagreements(STATED, LEARNT)

    assert (speed.what, speed.low, speed.high, speed.seen) == (Stated.RESTORE, 10_000, 10_000, 41)
    assert (start_up.what, start_up.low, start_up.high) == (Stated.START_UP, 20, 40)
    assert disagreements(Policy(), LEARNT) == ()
    assert disagreements(replace(STATED, restore_records_per_second=900, start_up_s_least=2), LEARNT) == ()
    assert [one.low for one in disagreements(Policy(), LEARNT, 7.5)] == [7.5]


def test_what_a_policy_cannot_state_is_at_its_limits() -> None:
    found = with_learnt(Policy(), Learnt(restore=Quantity(19, Span(0, 1e12, 1e12)), start_up=Quantity(19, Span(1, 1e12, 1e12))))

    assert found.slowest_restore == 1
    assert policy_from_json(policy_to_json(found)) == found
