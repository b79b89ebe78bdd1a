"""Lengths of time of which no request shows the phase."""

from typing import NamedTuple

from holdfast.rollout.json.codec import SECONDS, Codec, row


class Seconds(NamedTuple):
    """At least, usually, at most."""

    least: float
    usual: float
    most: float


SPAN: Codec[Seconds] = row("three numbers of seconds: at least, usually, at most", Seconds, list, SECONDS, SECONDS, SECONDS)
AT_ONCE = Seconds(0, 0, 0)


def plus(one: Seconds, other: Seconds) -> Seconds:
    return Seconds(one.least + other.least, one.usual + other.usual, one.most + other.most)


def rounded(span: Seconds) -> Seconds:
    """To milliseconds, as settings are."""
    return Seconds(*(round(one, 3) for one in span))
