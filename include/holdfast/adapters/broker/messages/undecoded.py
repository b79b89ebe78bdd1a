"""A response that is kept as bytes."""

from dataclasses import dataclass
from typing import Any

_THROTTLE_BYTES = 4


@dataclass(frozen=True, slots=True)
class Undecoded:
    """The body of a response. kafka-python obeys `throttle_time_ms`."""

    version: int
    body: bytes
    throttle_time_ms: int


def kept(data: Any, version: int) -> Undecoded:
    """`data` is read on from behind its header."""
    body = bytes(data.read())
    throttled = int.from_bytes(body[:_THROTTLE_BYTES], "big", signed=True) if len(body) >= _THROTTLE_BYTES else 0
    return Undecoded(version, body, max(0, throttled))
