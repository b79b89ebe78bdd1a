"""JSON whose strings have places in braces. Keys have none: a value becomes text inside a string, and nothing else."""

from collections.abc import Mapping

from holdfast.adapters.hosts.process_commands import filled
from holdfast.rollout.json.codec import Codec, as_it_is
from holdfast.rollout.json.strict import dumps

JSON_TEXT: Codec[str] = Codec(dumps, as_it_is, dict)
"""Any JSON, kept as its text."""


def strings_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in below for text in strings_in(one)]


def with_values(value: object, values: Mapping[str, str]) -> object:
    """The same with the values in its places."""
    match value:
        case str():
            return filled(value, values)
        case dict():
            return {name: with_values(one, values) for name, one in value.items()}
        case list():
            return [with_values(one, values) for one in value]
        case _:
            return value
