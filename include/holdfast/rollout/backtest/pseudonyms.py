"""Other names for what has random ones, which leave every decision as it was: in the same order, and with the same hash codes."""

from collections.abc import Iterable, Mapping

from holdfast.kafka import java

_DIGITS = 7
"""31 ** 7 is more than 2 ** 32: there are as many for each hash code."""
_ZERO = ord("0")


def of(what: str, names: Iterable[str]) -> Mapping[str, str]:
    """`member-01-5K2…` for each name: the number is its place in Java's order of strings.

    For random names only, such as the IDs of members and processes: who has a name in mind can check it against its hash code.
    """
    ordered = sorted(set(names), key=java.string_order)
    width = max(2, len(str(len(ordered))))
    return {name: _with_hash(f"{what}-{number:0{width}}-", java.string_hash(name)) for number, name in enumerate(ordered, 1)}


def _with_hash(beginning: str, hash_code: int) -> str:
    """`beginning` and digits to the base 31, from `0` to `N`, that make this `String.hashCode` of it."""
    without = java.string_hash(beginning + chr(_ZERO) * _DIGITS)
    left, digits = (hash_code - without) % 2**32, ""
    for _ in range(_DIGITS):
        left, digit = divmod(left, 31)
        digits = chr(_ZERO + digit) + digits
    return beginning + digits
