"""Lengths of time of which no request shows the phase."""

from typing import NamedTuple

from holdfast.rollout.json.codec import SECONDS, Codec, row


class Seconds(NamedTuple):
    """At least, usually, at most."""

    least: float
    usual: float
    most: float


SPAN: Codec[Seconds] = row("three numbers of seconds: at least, usually, at most", Seconds, list, SECONDS, SECONDS, SECONDS)
