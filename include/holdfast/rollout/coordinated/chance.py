"""Random member IDs, which every start makes anew, and what many draws of them say of all.

A draw is made of a digest, so that the same group and change give the same forecast.
"""

import base64
import math
import uuid
from hashlib import sha256
from typing import NamedTuple

from holdfast.rollout.json.codec import COUNT, Codec, row

CONFIDENCE = 0.95


def missed_at_most(count: int) -> float:
    """What holds in all of `count` draws fails in at most this share of all starts, with the confidence above."""
    return 1 - math.pow(1 - CONFIDENCE, 1 / count)


def bits(*of: object) -> bytes:
    return sha256("/".join(map(str, of)).encode("utf-8", "surrogatepass")).digest()[:16]


def member_id(*of: object) -> str:
    """As Kafka's `Uuid.randomUuid` does: never with a dash in front."""
    for again in range(1_000):
        found = base64.urlsafe_b64encode(uuid.UUID(bytes=bits("member", *of, again), version=4).bytes).decode().rstrip("=")
        if not found.startswith("-"):
            return found
    raise AssertionError("one of 64 begins with a dash")


class Spread(NamedTuple):
    """The least, the usual (the median) and the most."""

    least: int
    usual: int
    most: int


FIGURES: Codec[Spread] = row("three counts: least, usual, most", Spread, list, COUNT, COUNT, COUNT)
