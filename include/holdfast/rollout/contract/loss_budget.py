"""The budget of work for forecasts of the losses of one group, for every kind of group.

Work is estimated beforehand, in microseconds of one processor, from the Snapshot alone: the selection is the same on every machine.
"""

import re
from collections.abc import Iterable

from holdfast.errors import InvalidInput

BUDGET_MS = 60
"""For the losses of one group where they are not compiled, unless another value is given. Positions of a new random ID,
and draws, go so far in any case."""
MOST_FOR_THE_WORST_MS = 600
"""The worst loss of a group is forecast even where it alone takes more than the budget, up to so much."""


def usual(*, compiled: bool) -> int | None:
    """Milliseconds; None: every loss is forecast, whatever it takes. Compiled, those of 10,000 groups take some minutes."""
    return None if compiled else BUDGET_MS


def chosen_words(budget_ms: int | None, *, given: bool, driver: bool, executors: bool) -> str:
    """What a night does, and why. `given`: the setting says so; `driver`, `executors`: whether these have a compiler."""
    does = "every loss is forecast" if budget_ms is None else f"forecasts within {budget_ms} ms of processor time a group"
    if given:
        return f"{does}: --forecast-ms says so"
    if driver and executors:
        return f"{does}: the driver and the executors have Numba"
    lacks = " and ".join(name for name, has in (("the driver", driver), ("the executors", executors)) if not has)
    return f"{does}: without Numba on {lacks}, forecasts of every loss would take days (install holdfast[fast] there)"


def budget_from_text(text: str) -> int:
    """Milliseconds. Raise InvalidInput."""
    if not re.fullmatch(r"[0-9]{1,9}", text.strip(), re.ASCII):
        raise InvalidInput(
            f"{text[:40]!r} is not a forecast budget; a whole number of milliseconds, 0 or more, is needed, such as {BUDGET_MS}"
        )
    return int(text)


BEYOND = "not among the worst losses of its group that the budget (the setting --forecast-ms) goes to; a forecast of this one tells"
"""Why a loss was not forecast. Without the figure: a row that is carried over to another night keeps its reason."""


def affordable(works_us: Iterable[int], budget_ms: int | None) -> int:
    """How many of these losses, the worst first, the budget goes to; None: there is none."""
    count = spent = 0
    for work in works_us:
        spent += work
        if budget_ms is not None and spent > 1_000 * max(budget_ms, MOST_FOR_THE_WORST_MS if not count and budget_ms else 0):
            break
        count += 1
    return count
