"""What the JSON of every kind of Change has in common: limits, and one verb per event."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.json import strict

T = TypeVar("T")

MOST_EVENTS = 10_000
MOST_PARTITIONS = 100_000
MOST_THREADS = 10_000
LONGEST_STOP = 1_000_000
"""Minutes."""


def event_from_json(value: object, readers: Mapping[str, Callable[[object], T]], unknown: Callable[[str, str], str]) -> T:
    """`{"verb": {…}}`, by the reader of its verb. `unknown`: what is said of a verb that has none, given the known ones."""
    verbs = strict.mapping(value)
    known = ", ".join(readers)
    if len(verbs) != 1:
        found = ", ".join(strict.shown(verb) for verb in verbs) or "none"
        raise InvalidInput(f"an event has one verb ({known}); found: {found}")
    (verb, content), *_ = verbs.items()
    if verb not in readers:
        raise InvalidInput(unknown(verb, known))
    try:
        return readers[verb](content)
    except InvalidInput as problem:
        strict.refuse(strict.under(verb, problem))
        raise
