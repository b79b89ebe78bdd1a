"""What a night does about losses that cannot be counted, and how it says so."""

import pytest

from holdfast.rollout.contract import loss_budget


@pytest.mark.parametrize(
    ("budget_ms", "given", "driver", "executors", "words"),
    [
        (None, False, True, True, "every loss is forecast: the driver and the executors have Numba"),
        (
            60,
            False,
            True,
            False,
            "forecasts within 60 ms of processor time a group: without Numba on the executors, forecasts of every loss would take days"
            " (install holdfast[fast] there)",
        ),
        (
            60,
            False,
            False,
            False,
            "forecasts within 60 ms of processor time a group: without Numba on the driver and the executors, forecasts of every loss"
            " would take days (install holdfast[fast] there)",
        ),
        (250, True, True, True, "forecasts within 250 ms of processor time a group: --forecast-ms says so"),
    ],
)
def test_it_says_what_it_does_and_why(budget_ms: int | None, given: bool, driver: bool, executors: bool, words: str) -> None:
    assert loss_budget.chosen_words(budget_ms, given=given, driver=driver, executors=executors) == words
