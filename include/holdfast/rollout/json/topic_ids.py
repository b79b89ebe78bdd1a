"""Topic IDs in JSON: Kafka's `Uuid`, 128 bits as 22 characters of URL-safe base64."""

import base64
import binascii

from holdfast.rollout.json import shapes, strict
from holdfast.rollout.json.codec import Codec

_LENGTH = 22
_BYTES = 16


def _topic_id(value: object) -> int:
    written = strict.text(value)
    try:
        raw = base64.b64decode(written + "==", altchars=b"-_", validate=True) if len(written) == _LENGTH else b""
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != _BYTES or _text(int.from_bytes(raw, "big")) != written:
        raise strict.mismatch("a topic ID of Kafka, 22 characters like 'ZkFtL0R4T3-9bXq0Qw4nUg',", value)
    return int.from_bytes(raw, "big")


def _text(bits: int) -> str:
    return base64.urlsafe_b64encode(bits.to_bytes(_BYTES, "big")).decode("ascii").rstrip("=")


TOPIC_ID: Codec[int] = Codec(_topic_id, _text, lambda: {"type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"} | shapes.text())
"""The 128 bits."""
