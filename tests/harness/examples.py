"""How many random examples a test takes.

`bin/test` takes half of what the tests say, new ones in each run; `bin/test --fast` a tenth. `HOLDFAST_TEST_EXAMPLES=5` takes five
times as many as they say.
"""

import os
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

FACTOR = float(os.environ.get("HOLDFAST_TEST_EXAMPLES") or 0.5)
FEWEST = 5


def examples(number: int) -> int:
    """The number of examples in this run."""
    return max(min(number, FEWEST), round(number * FACTOR))


def some_of(cases: Sequence[T], most: int) -> list[T]:
    """A random selection of the cases: `most` of them, or as many as this run takes of that."""
    return random.sample(cases, min(len(cases), examples(most)))
