"""Parts of JSON Schema (draft 2020-12), named like the readers that they describe.

`tests/property/test_schema.py` holds them together: what a writer writes is valid, and what is not valid its reader refuses.
"""

from collections.abc import Iterable
from typing import Any

from holdfast.kafka import java
from holdfast.rollout.json.strict import LONGEST_TEXT

Shape = dict[str, Any]
"""A schema is JSON."""


def text(about: str = "") -> Shape:
    return _described({"type": "string", "maxLength": LONGEST_TEXT}, about)


def name(about: str = "") -> Shape:
    return _described({"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}, about)


def boolean(about: str = "") -> Shape:
    return _described({"type": "boolean"}, about)


def integer(low: int, high: int, about: str = "") -> Shape:
    return _described({"type": "integer", "minimum": low, "maximum": high}, about)


def count(about: str = "") -> Shape:
    return integer(0, java.LONG_MAX, about)


def number(low: float | None = None, high: float | None = None, about: str = "") -> Shape:
    bounds = {key: value for key, value in (("minimum", low), ("maximum", high)) if value is not None}
    return _described({"type": "number"} | bounds, about)


def one_of(values: Iterable[str], about: str = "") -> Shape:
    return _described({"enum": [str(value) for value in values]}, about)


def nullable(shape: Shape, about: str = "") -> Shape:
    kind = shape.get("type")
    if isinstance(kind, str) and "enum" not in shape:
        return _described(shape | {"type": [kind, "null"]}, about)
    return _described({"anyOf": [shape, {"type": "null"}]}, about)


def items(shape: Shape, about: str = "", *, at_least: int = 0) -> Shape:
    return _described({"type": "array", "items": shape} | ({"minItems": at_least} if at_least else {}), about)


def row(*shapes: Shape, about: str = "") -> Shape:
    """A list of as many values, each with its own shape."""
    return _described({"type": "array", "prefixItems": list(shapes), "items": False, "minItems": len(shapes)}, about)


def table(keys: Shape, shape: Shape, about: str = "", *, at_least: int = 0) -> Shape:
    """An object used as a map."""
    least = {"minProperties": at_least} if at_least else {}
    return _described({"type": "object", "propertyNames": keys, "additionalProperties": shape} | least, about)


def closed(need: dict[str, Shape], may: dict[str, Shape] | None = None, about: str = "") -> Shape:
    """An object in which a field that is unknown is wrong."""
    return fields(need, may, about) | {"additionalProperties": False}


def fields(need: dict[str, Shape], may: dict[str, Shape] | None = None, about: str = "") -> Shape:
    """An object that may have other fields too: they are ignored."""
    return _described({"type": "object", "required": list(need), "properties": need | (may or {})}, about)


def either(*shapes: Shape, about: str = "") -> Shape:
    return _described({"anyOf": list(shapes)}, about)


def _described(shape: Shape, about: str) -> Shape:
    return shape | {"description": about} if about else shape


def format_version(major: int) -> Shape:
    return {"type": "string", "pattern": rf"^{major}\.(0|[1-9][0-9]{{0,5}})$", "description": f"This is format {major}.x."}


FORMAT_VERSION = format_version(1)
INSTANT = text("A moment in ISO 8601 with its offset from UTC, such as 2026-11-20T13:48:02Z.")
PROCESS_ID: Shape = {"type": "string", "pattern": "^[0-9a-fA-F]{1,8}(-[0-9a-fA-F]{1,4}){3}-[0-9a-fA-F]{1,12}$"}
TASK_ID: Shape = {"type": "string", "pattern": "^[0-9]+_[0-9]+$"}
TASK_IDS = items(TASK_ID)
PARTITION = integer(0, java.INT_MAX)
TOPIC_PARTITION = row(name(), PARTITION)
THREADS = integer(1, 10_000, "Stream threads.")
CONFIG_VALUE = either(
    {"type": ["string", "number", "boolean", "null"], "maxLength": LONGEST_TEXT},
    items(text()),
    about="As Kafka's properties have it.",
)
CONFIG = table(name(), CONFIG_VALUE, "Settings under Kafka's own names.")


RELEASE = name("A release of Kafka Streams, such as 3.9.1.")
