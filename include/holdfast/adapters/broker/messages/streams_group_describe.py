"""StreamsGroupDescribe (key 89, KIP-1071), as a message of kafka-python."""

from typing import Any

from kafka.protocol.api_message import ApiMessage

from holdfast.adapters.broker.messages.undecoded import Undecoded, kept

_SCHEMAS = __package__


class StreamsGroupDescribeRequest(ApiMessage, load_json=_SCHEMAS):  # type: ignore[misc, call-arg] # kafka-python has no types
    __slots__ = ()


class StreamsGroupDescribeResponse(ApiMessage, load_json=_SCHEMAS):  # type: ignore[misc, call-arg]
    __slots__ = ()

    @classmethod
    def decode(cls, data: Any, version: int | None = None, **_: object) -> Undecoded:
        """`data` is read on from behind its header."""
        return kept(data, cls._class_version if version is None else version)
