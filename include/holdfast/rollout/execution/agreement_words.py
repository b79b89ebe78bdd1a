"""How much of the outcome is as forecast, in words, for tasks, copies and partitions."""

from collections.abc import Sequence

from holdfast.rollout.text.format import printable


def agreeing(found: Sequence[bool]) -> str:
    """`3 of 4 as forecast`."""
    return f"{sum(found):,} of {len(found):,} as forecast" if found else "not compared"


def owner(found: object) -> str:
    return "none" if found is None else printable(str(found))
