"""The shorthand of a Change document, `rolling_restart`, written out as the restarts that it stands for."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import THEN
from holdfast.rollout.coordinated.markers import WAITS
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import Codec

R = TypeVar("R")
VERB = "rolling_restart"


def written_out(document: object, codec: Codec[R], restarts: Callable[[R], Iterator[object]]) -> object:
    """The same document without the shorthand. Raise InvalidInput with the path of what is wrong in it."""
    events = document.get("events") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(events, list):
        return document  # its reader says what is wrong
    found: list[object] = []
    for index, item in enumerate(events):
        if isinstance(item, dict) and list(item) == [VERB]:
            found += restarts(_read(codec, item[VERB], index))
        else:
            found.append(item)
    return document | {"events": found}


def some_at_a_time(restarts: Sequence[object], at_once: int, wait: Wait) -> Iterator[object]:
    """`at_once`: how many restart together; `wait`: what the next of them wait for."""
    for number, event in enumerate(restarts):
        if number and number % at_once == 0:
            yield {THEN: WAITS.write(wait)}
        yield event


def _read(codec: Codec[R], content: object, index: int) -> R:
    try:
        return codec.read(content)
    except InvalidInput as problem:
        strict.refuse(strict.under(f"events[{index}].{VERB}", problem))
        raise
