"""StreamsGroupDescribe (key 89, KIP-1071), as a message of kafka-python."""

from dataclasses import dataclass
from typing import Any

from kafka.protocol.api_message import ApiMessage

_SCHEMAS = __package__
_THROTTLE_BYTES = 4


@dataclass(frozen=True, slots=True)
class Undecoded:
    """The body of a response. kafka-python obeys `throttle_time_ms`."""

    version: int
    body: bytes
    throttle_time_ms: int


class StreamsGroupDescribeRequest(ApiMessage, load_json=_SCHEMAS):  # type: ignore[misc, call-arg] # kafka-python has no types
    __slots__ = ()


class StreamsGroupDescribeResponse(ApiMessage, load_json=_SCHEMAS):  # type: ignore[misc, call-arg]
    __slots__ = ()

    @classmethod
    def decode(cls, data: Any, version: int | None = None, **_: object) -> Undecoded:
        """`data` is read on from behind its header."""
        body = bytes(data.read())
        throttled = int.from_bytes(body[:_THROTTLE_BYTES], "big", signed=True) if len(body) >= _THROTTLE_BYTES else 0
        return Undecoded(cls._class_version if version is None else version, body, max(0, throttled))
