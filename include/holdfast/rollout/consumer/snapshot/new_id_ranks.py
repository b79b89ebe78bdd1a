"""The possible ranks of a joining member: the broker generates its ID at random."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from holdfast.kafka import java
from holdfast.kafka.consumer.group import Member

_SPACE = 1 << 128
_DIGITS = "0123456789abcdef"
_DASHES = (8, 13, 18, 23)
"""Where dashes are in a UUID as text."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


@dataclass(frozen=True, slots=True)
class FreshPlace:
    """A rank that a new member ID can take: this many others come before it. `member_id` stands for all that fall there."""

    place: int
    probability: float
    member_id: str


def new_id_ranks(lost: Member, others: Sequence[Member]) -> tuple[FreshPlace, ...]:
    """Where a member ID of the lost one's client.id can fall among the others, with the share of all UUIDs that do."""
    prefix = f"{lost.client_id}-" if lost.client_id else _UUID.sub("", lost.member_id)
    start = java.string_order(prefix)
    dynamic = sorted(java.string_order(one.member_id) for one in others if one.group_instance_id is None)
    ahead = len(others) - len(dynamic) + sum(one < start for one in dynamic)
    rivals = [one[len(start) :].decode("utf-16-be", "surrogatepass") for one in dynamic if one.startswith(start)]
    edges = [0, *(_place_of(one) for one in rivals), _SPACE]
    return tuple(
        FreshPlace(ahead + place, (high - low) / _SPACE, f"{prefix}{UUID(int=(low + high) // 2)}")
        for place, (low, high) in enumerate(pairwise(edges))
        if high - low > 1
    )


def _place_of(text: str) -> int:
    """How many of all 2^128 UUIDs come before this text, as Java compares text."""
    place, unit = 0, _SPACE
    for position, letter in enumerate(text[:36]):
        if position in _DASHES:
            if letter != "-":
                return place + (unit if letter > "-" else 0)
            continue
        unit >>= 4
        place += sum(digit < letter for digit in _DIGITS) * unit
        if letter not in _DIGITS:
            return place
    return place
