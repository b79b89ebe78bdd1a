"""How a night says what it does about losses that cannot be counted."""

import pytest

from holdfast.rollout.contract import loss_budget

LIMITED = "forecasts within 60 ms of processor time a group"


@pytest.mark.parametrize(
    ("budget_ms", "given", "driver", "executors", "words"),
    [
        (None, False, True, True, "every loss is forecast: the driver and the executors have Numba"),
        (60, False, True, False, f"{LIMITED}: without Numba on the executors, "),
        (60, False, False, True, f"{LIMITED}: without Numba on the driver, "),
        (60, False, False, False, f"{LIMITED}: without Numba on the driver and the executors, "),
        (60, True, True, True, f"{LIMITED}: --forecast-ms says so"),
    ],
)
def test_it_says_what_it_does_and_why(budget_ms: int | None, given: bool, driver: bool, executors: bool, words: str) -> None:
    assert loss_budget.chosen_words(budget_ms, given=given, driver=driver, executors=executors).startswith(words)
