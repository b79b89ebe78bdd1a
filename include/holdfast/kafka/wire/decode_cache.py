"""Bytes that are decoded again and again: the small ones are remembered with what they are."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

MOST, LARGEST = 1_024, 8_192
"""How many, and of how many bytes at most: what is remembered takes some ten times as much."""
T = TypeVar("T")


def remembered(decode: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """The same function, for values that are frozen. A rebalance is read by several readers, and most members are sent the same as
    in the rebalance before."""
    known = lru_cache(maxsize=MOST)(decode)

    @wraps(decode)
    def decoded(data: bytes) -> T:
        return known(data) if len(data) <= LARGEST else decode(data)

    return decoded
