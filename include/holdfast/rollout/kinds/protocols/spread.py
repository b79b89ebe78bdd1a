"""Random member IDs whose ranks are spread evenly over the draws: of a block of draws in a row, each of a start's IDs is in another
one of as many equal parts of the order. An ID is as random as one of Kafka's; the mean over the draws varies less (a Latin
hypercube).
"""

import uuid
from collections.abc import Sequence
from functools import lru_cache

from holdfast.rollout.coordinated import chance

BLOCK = 30
"""Draws."""
_IN_ORDER = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
"""The characters of a member ID, as Java orders them."""
_VALUE = {character: value for value, character in enumerate(_IN_ORDER)}
_PLACED = 14
"""This many characters of an ID, its first ones, decide its rank; the others are random."""
_FIRST, _LAST = 64 ** (_PLACED - 1), 64**_PLACED - 1
"""No ID begins with a dash."""


def place(seed: int, draw: int, *start: object, block: int = BLOCK) -> float:
    """Where in the order the ID of that start is, from 0 to 1. `start`: which one of those of a draw."""
    return (_parts(block, draw // block, seed, *start)[draw % block] + _between_0_and_1("within", seed, draw, *start)) / block


@lru_cache(maxsize=4_096)
def _parts(block: int, number: int, seed: int, *start: object) -> tuple[int, ...]:
    return tuple(sorted(range(block), key=lambda part: chance.bits("part", number, seed, part, *start)))


def _between_0_and_1(*of: object) -> float:
    return int.from_bytes(chance.bits(*of)[:6]) / 2**48


def member_id(there: Sequence[str], seed: int, draw: int, *start: object, block: int = BLOCK) -> str:
    """As a consumer of the new protocol makes it. `there`: the IDs that the group has then, sorted: a new one has each rank among
    them with the same probability."""
    rank = int(place(seed, draw, *start, block=block) * (len(there) + 1))
    low = _value(there[rank - 1]) if rank else _FIRST
    high = _value(there[rank]) if rank < len(there) else _LAST
    value = low + int(_between_0_and_1("value", seed, draw, *start) * (high - low))
    characters = (_IN_ORDER[value // 64**power % 64] for power in reversed(range(_PLACED)))
    return "".join(characters) + chance.member_id(seed, draw, *start)[_PLACED:]


def _value(member_id: str) -> int:
    found = 0
    for character in member_id[:_PLACED]:
        found = found * 64 + _VALUE[character]
    return found


def random_part(seed: int, draw: int, *start: object) -> uuid.UUID:
    """Of the ID that a broker makes of a classic member."""
    first = int(place(seed, draw, *start) * 2**16)
    return uuid.UUID(bytes=first.to_bytes(2) + chance.bits(seed, draw, *start)[2:], version=4)
