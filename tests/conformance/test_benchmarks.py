"""The benchmarks run, and what they time are the same decisions. (How long they take is for `python -m benchmarks.…` to say.)"""

import dataclasses

import pytest
from benchmarks import assign, forecast

pytestmark = pytest.mark.jvm


def test_a_decision_is_timed_beside_kafkas_and_is_the_same() -> None:
    shape = dataclasses.replace(assign.SHAPES[-1], tasks=60, clients=8, warm=1, runs=2)

    found = list(assign.measure(shape, "3.9.1"))

    states = ["fresh", "fresh, JSON to JSON", "again", "again, JSON to JSON"]
    assert [(one["state"], one["equal"], one["kafka_runs"]) for one in found] == [(state, True, 2) for state in states]
    assert all(one["ratio"] > 0 for one in found)


def test_a_forecast_is_timed_beside_its_rebalances_and_they_are_the_same() -> None:
    shape = dataclasses.replace(forecast.SHAPES[0], tasks=20, clients=4)

    (found,) = forecast.measure(shape, "3.9.1")

    assert found["equal"]
    assert found["rebalances"] > 2
    assert found["kafka_s"] > 0
