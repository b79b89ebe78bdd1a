"""How much of the forecast time is left, while a plan is carried out."""

from dataclasses import replace

import pytest

from holdfast.rollout.contract.times import NO_TIME, Condition, ConditionKind, Estimate, TimedBatch, Times
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import timeline
from holdfast.rollout.timing.time_left import WhyUnknown, left

THREE = timeline.of_acts((TimedBatch(1, starts=1, noticed_s=10),) * 3, Policy())


def test_before_the_first_step_it_is_all_of_it() -> None:
    assert left(THREE, (False, False, False), None) == THREE.rebalancing_ends == Estimate(21, 46, 144)


def test_what_is_done_is_not_left() -> None:
    after_one = left(THREE, (True, False, False), None)

    assert after_one == Estimate(14, 34, 106)
    assert left(THREE, (True, True, True), None) == NO_TIME


def test_a_batch_that_has_begun_is_less_by_what_has_passed_and_needs_no_pause_before_it() -> None:
    assert left(THREE, (True, False, False), 0) == Estimate(14, 29, 91)
    assert left(THREE, (True, False, False), 10) == Estimate(7, 19, 81)


def test_a_batch_that_takes_too_long_leaves_the_others() -> None:
    assert left(THREE, (True, False, False), 10_000) == Estimate(7, 17, 53)
    assert left(THREE, (True, True, False), 10_000) == NO_TIME


@pytest.mark.parametrize("batches", [(), (True, False), (True, False, False, False)])
def test_steps_that_do_not_fit_the_phases_are_unknown_once_one_is_done(batches: tuple[bool, ...]) -> None:
    assert left(THREE, batches, None) is WhyUnknown.NOT_BY_STEP


@pytest.mark.parametrize("batches", [(False,), (False, False), (False,) * 4])
def test_until_one_is_done_all_of_the_time_is_left_whatever_the_phases(batches: tuple[bool, ...]) -> None:
    assert left(THREE, batches, None) == THREE.restored
    assert left(THREE, batches, 20) == Estimate(1, 26, 124)


def test_phases_that_are_not_those_of_the_steps_are_of_no_step_even_where_their_number_fits() -> None:
    assert left(THREE, (False, False, False), 20, by_step=False) == Estimate(1, 26, 124)
    assert left(THREE, (True, False, False), 20, by_step=False) is WhyUnknown.NOT_BY_STEP
    assert left(THREE, (True, True, True), None, by_step=False) == NO_TIME


def test_what_never_ends_or_depends_on_a_condition_is_unknown() -> None:
    condition = Condition(ConditionKind.COPIED_IN_TIME, 45, 1, 8, 100, None, None, None, None, 0)

    assert left(Times(None, None), (False,), None) is WhyUnknown.NO_END
    assert left(replace(THREE, condition=condition), (False,) * 3, None) is WhyUnknown.CONDITION
    assert left(replace(THREE, condition=replace(condition, met=True)), (False,) * 3, None) == THREE.restored
