"""What the guard of the benchmarks says of a measure; how long anything takes is for `python -m benchmarks.guard` to say."""

from collections.abc import Iterator
from typing import Any

import pytest
from benchmarks.guard import Short, judge

NAME = "target/wide/fresh"


def measured(*ratios: float, equal: bool = True) -> Short:
    """Each try gives the next of `ratios`."""
    tries = iter(ratios)

    def rows() -> Iterator[dict[str, Any]]:
        yield {"shape": "wide", "state": "fresh", "what": "a group", "ratio": next(tries), "equal": equal}

    return Short("target", rows)


@pytest.mark.parametrize(
    ("ratios", "holds"),
    [
        ((1.4,), True),
        ((1.0,), True),
        ((0.92,), True),
        ((0.9, 0.5, 0.8), False),
        ((0.5, 0.92), True),
        ((0.5, 0.6, 0.99), True),
        ((0.5, 0.6, 0.7), False),
    ],
)
def test_a_tenth_slower_in_each_of_three_tries_is_slower(ratios: tuple[float, ...], holds: bool) -> None:
    (one,) = judge(measured(*ratios), {NAME: 1.0})

    assert (one.name, one.ratio, one.holds) == (NAME, max(ratios), holds)


def test_what_was_never_recorded_does_not_pass() -> None:
    (one,) = judge(measured(1.4), {})

    assert (one.times_as_long, one.holds) == (None, False)


def test_what_differs_from_kafka_does_not_pass_however_fast() -> None:
    (one,) = judge(measured(9.9, equal=False), {NAME: 1.0})

    assert not one.holds
