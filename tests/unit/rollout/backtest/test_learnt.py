"""Ranges that are learnt cover nine in ten of what comes next, whatever the values are like; before that there is no range."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from holdfast.errors import InvalidInput
from holdfast.rollout.backtest import learnt_words
from holdfast.rollout.backtest.judged import SequenceResult
from holdfast.rollout.backtest.learnt import FEWEST, MOST, Courses, Duration, Held, Learnt, Quantity, RestartValues, Span, Values
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.policy.learnt_times import LearntTimes
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing import learnt_speeds

Draw = Callable[[random.Random], float]
DISTRIBUTIONS: dict[str, Draw] = {
    "narrow": lambda chance: chance.lognormvariate(6, 0.25),
    "uniform": lambda chance: chance.uniform(0, 3),
    "far out now and then": lambda chance: chance.paretovariate(0.7),
    "two kinds": lambda chance: chance.choice((1, 60)) * chance.uniform(1, 1.1),
}


@pytest.mark.parametrize("count", [FEWEST, 24, 39, 100])
@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_nine_in_ten_of_what_comes_next_are_within(draw: Draw, count: int) -> None:
    chance, within, times = random.Random(count), 0, 1_500
    for _ in range(times):
        values = Values()
        for _ in range(count):
            one = draw(chance)
            values.take(one, one)
        span = values.quantity().span
        assert span is not None
        within += span.low <= draw(chance) <= span.high

    assert within / times >= 0.88  # 1.5 standard errors and more below 90 %


def test_with_history_it_is_narrow() -> None:
    chance, values = random.Random(7), Values()
    for _ in range(MOST):
        one = DISTRIBUTIONS["narrow"](chance)
        values.take(one, one)
    span = values.quantity().span

    assert span is not None
    assert span.high <= 3 * span.low


def test_few_values_have_no_range_and_old_ones_are_forgotten() -> None:
    values = Values()
    for number in range(FEWEST - 1):
        values.take(number, number)
    assert values.quantity() == Quantity(FEWEST - 1)

    values.take(1_000, 1_000)
    assert values.quantity() == Quantity(FEWEST, Span(0, 9, 1_000))
    for _ in range(MOST):
        values.take(5, 5)
    assert values.quantity() == Quantity(MOST, Span(5, 5, 5))


def test_of_values_between_bounds_the_range_covers_both() -> None:
    values = Values()
    for number in range(FEWEST):
        values.take(number, number + 10)

    assert values.quantity() == Quantity(FEWEST, Span(0, 14, FEWEST - 1 + 10))


def rolled(chance: random.Random, restarts: int) -> list[float]:
    """What the restarts of one rolling restart take: all of one are slow, or fast, together, and each for itself."""
    day = chance.lognormvariate(0, 0.2)
    return [day * chance.lognormvariate(2, 0.3) for _ in range(restarts)]


def learnt_of_rolls(chance: random.Random, rolls: int, restarts: int) -> LearntTimes:
    found = RestartValues()
    for _ in range(rolls):
        first, *others = rolled(chance, restarts)
        found.take([((first, first), (first, first))])
        for one in others:
            found.take([((one, one), (one, one))], one)
    return learnt_speeds.with_learnt(Policy(), Courses().learnt(restarts=found)).learnt


@pytest.mark.parametrize(("rolls", "restarts", "times_as_wide"), [(30, 3, 0.95), (12, 5, 0.95), (24, 12, 0.8)])
def test_nine_in_ten_of_the_next_rolls_are_within_what_such_rolls_took(rolls: int, restarts: int, times_as_wide: float) -> None:
    """And in a range that is narrower than that of the restarts one by one: as a whole, or in parts of two."""
    chance, within, narrower, times = random.Random(rolls), 0.0, 0.0, 60
    for _ in range(times):
        known = learnt_of_rolls(chance, rolls, restarts)
        span, added = known.roll(restarts - 1), replace(known, in_a_row=(), rolls=()).roll(restarts - 1)
        within += sum(span.low <= sum(rolled(chance, restarts)) <= span.high for _ in range(20)) / 20
        narrower += (span.high / span.low) / (added.high / added.low) / times

    assert within / times >= 0.88
    assert narrower <= times_as_wide


def test_a_roll_that_is_broken_off_is_no_part_of_the_next() -> None:
    values = RestartValues()
    for _ in range(FEWEST):
        values.take([((5, 5), (5, 5))])
        values.take([((5, 5), (5, 5))], 20)
    values.take([], None)
    found = Courses().learnt(restarts=values)

    assert found.restarts_apart == Quantity(FEWEST, Span(20, 20, 20))
    assert found.rolls == (Quantity(FEWEST, Span(25, 25, 25)),)
    assert found.in_a_row == ()
    assert ("Rolling restart with 2 restarts", "25 s, learnt from 19 rolling restarts of this group") in learnt_words.lines(found)


def test_no_second_is_in_two_parts_of_the_same_length() -> None:
    values = RestartValues()
    for _ in range(FEWEST):
        values.take([((5, 5), (5, 5))])
        for _ in range(3):
            values.take([((5, 5), (5, 5))], 20)
    found = Courses().learnt(restarts=values)

    assert [one.seen for one in (found.restarts_apart, *found.in_a_row)] == [3 * FEWEST, FEWEST, FEWEST]
    assert [one.span for one in found.in_a_row] == [Span(40, 40, 40), Span(60, 60, 60)]


def course(rounds: int = 3, at_most: int = 4, seconds: float = 6.0) -> SequenceResult:
    return SequenceResult(1, rounds, rounds, seconds, 2, at_most)


class TestCourses:
    def test_what_is_said_of_one_is_known_before_it(self) -> None:
        chance, courses, taken = random.Random(3), Courses(), Values()
        for number in range(60):
            seconds = chance.uniform(2, 9)
            expected = taken.quantity()
            found = courses.with_duration(course(seconds=seconds), Duration(4.0, 0.0, 33.0))
            taken.take(seconds / 4, seconds / 4)

            if number < FEWEST:
                assert (found.seconds_at_least, found.seconds_at_most, found.learnt_from) == (0.0, 33.0, None)
            else:
                assert expected.span is not None
                assert (found.seconds_at_least, found.seconds_at_most) == (4 * expected.span.low, 4 * expected.span.high)
                assert found.learnt_from == number

    def test_courses_that_wait_for_a_probing_rebalance_are_apart(self) -> None:
        courses = Courses()
        for _ in range(FEWEST):
            courses.with_duration(course(seconds=62.0), Duration(62.0, 0.0, 99.0, probing=True))

        assert courses.with_duration(course(), Duration(4.0, 0.0, 33.0)).learnt_from is None
        assert courses.with_duration(course(), Duration(124.0, 0.0, 300.0, probing=True)).seconds_at_most == 124.0

    def test_a_single_rebalance_as_forecast_teaches_nothing_and_has_no_learnt_range(self) -> None:
        courses, single = Courses(), SequenceResult(1, 1, 1, 0.0, 1, 1)
        courses.with_duration(single, Duration(0.0, 0.0, 0.0))
        assert courses.learnt() == Learnt()

        for _ in range(FEWEST):
            courses.with_duration(course(), Duration(4.0, 0.0, 33.0))
        assert courses.with_duration(single, Duration(0.0, 0.0, 0.0)).seconds_within

    def test_clocks_that_go_backwards_give_a_range_that_can_be_read(self) -> None:
        courses = Courses()
        for _ in range(FEWEST):
            courses.with_duration(course(seconds=-3.0), Duration(4.0, 0.0, 33.0))
            courses.with_duration(course(seconds=1e15), Duration(0.0, 0.0, 33.0))

        found = courses.learnt()
        assert codec_of(Learnt).read(codec_of(Learnt).write(found)) == found

    @pytest.mark.parametrize("late", [0.0, 0.06, 0.3])
    def test_the_number_of_rebalances_holds_as_often_as_is_said(self, late: float) -> None:
        """Each course has up to two rebalances more than forecast with this probability."""
        chance, within, times = random.Random(5), 0, 400

        def rounds() -> int:
            return 4 + chance.choice((1, 2)) if chance.random() < late else 3

        for _ in range(times):
            courses = Courses()
            for _ in range(30):
                courses.with_duration(course(rounds()), Duration(4.0, 0.0, 33.0))
            held = courses.held()
            assert held.more is not None
            within += rounds() <= 4 + held.more

        assert within / times >= 0.88

    def test_few_courses_say_nothing_of_the_next(self) -> None:
        courses = Courses()
        for rounds in (3, 6, 3):
            courses.with_duration(course(rounds), Duration(4.0, 0.0, 33.0))

        assert courses.held() == Held(2, 3, None)
        assert "unknown before 9 courses" in (learnt_words.rebalances(courses.held()) or "")


LEARNT = Learnt(
    restore=Quantity(41, Span(800, 1_200, 2_400)),
    start_up=Quantity(4),
    took=Quantity(60, Span(0.25, 1, 1.5)),
    rebalances=Held(57, 60, 1),
)


def test_it_is_read_back_and_said_with_where_it_is_from() -> None:
    assert codec_of(Learnt).read(codec_of(Learnt).write(LEARNT)) == LEARNT
    assert dict(learnt_words.lines(LEARNT)) == {
        "Restore speed": "800 to 2,400 records/s, learnt from 41 restores of this group",
        "Client start-up": "assumed: 4 restarts of this group seen, 19 needed",
        "Duration of a course without probing rebalances": (
            "0.25 to 1.5 times the usual forecast, learnt from 60 courses of this group"
        ),
    }
    assert learnt_words.rebalances(LEARNT.rebalances) == (
        "Number of rebalances: within the forecast range in 57 of 60 past courses; 1 more on either side cover nine in ten of the"
        " next."
    )


@pytest.mark.parametrize(
    "span",
    [{"low": 3, "usual": 2, "high": 4}, {"low": 1, "usual": 5, "high": 4}, {"low": -1, "usual": 2, "high": 4}, {"low": 1e300}],
)
def test_a_range_that_is_none_is_refused(span: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        codec_of(Learnt).read({"restore": {"seen": 40, "span": span}})
