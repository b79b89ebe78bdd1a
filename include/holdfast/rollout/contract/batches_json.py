"""What the JSON of every kind of Change has in common: limits, and a list of events, each under its verb."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, Self, TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.json import contracts, strict
from holdfast.rollout.json.codec import Codec, either
from holdfast.rollout.json.shapes import Shape

MOST_EVENTS = 10_000
MOST_PARTITIONS = 100_000
MOST_THREADS = 10_000
LONGEST_STOP = 1_000_000
"""Minutes."""
THEN = "then"
IN_ORDER = "In order; those before a `then` take effect together."
WAIT: Codec[Wait] = either(Wait)


def is_a_change(document: object) -> None:
    """Raise InvalidInput for a whole document of another contract, and for one that holds a secret."""
    contracts.refuse_another(document, "Change")
    strict.refuse_secrets(document)


class Verbal(Protocol):
    """The JSON of an event: `{VERB: …}`."""

    VERB: ClassVar[str]

    @classmethod
    def codec(cls) -> Codec[Self]: ...


E = TypeVar("E", bound=Verbal)


def item_codec(
    events: Callable[[], tuple[type[E], ...]], unknown: Callable[[str, str], str], then: str, waits: Codec[Wait] = WAIT
) -> Codec[E | Then]:
    """One event of the table, or a marker. `unknown`: the error for a verb that has none, given the known ones; `then`: what the
    schema says of markers; `waits`: what they may wait for."""

    marker = waits.described(then).to(Then, lambda marker: marker.wait)
    made: tuple[object, Mapping[str, Codec[Any]]] = (None, {})

    def codecs() -> Mapping[str, Codec[Any]]:
        """By verb, in the order in which errors list them; made anew when the table is another one."""
        nonlocal made
        table = events()
        if made[0] is not table:
            made = (table, {event.VERB: event.codec() for event in table} | {THEN: marker})
        return made[1]

    def read(value: object) -> E | Then:
        verbs, known = strict.mapping(value), codecs()
        if len(verbs) != 1:
            found = ", ".join(map(strict.shown, verbs)) or "none"
            raise InvalidInput(f"an event has one verb ({', '.join(known)}); found: {found}")
        (verb, content), *_ = verbs.items()
        if verb not in known:
            raise InvalidInput(unknown(verb, ", ".join(known)))
        try:
            event: E | Then = known[verb].read(content)
        except InvalidInput as problem:
            strict.refuse(strict.under(verb, problem))
            raise
        return event

    def write(item: E | Then) -> object:
        verb = THEN if isinstance(item, Then) else item.VERB
        return {verb: codecs()[verb].write(item)}

    def shape() -> Shape:
        verbs = {verb: codec.shape() for verb, codec in codecs().items()}
        return {"type": "object", "minProperties": 1, "maxProperties": 1, "properties": verbs, "additionalProperties": False}

    return Codec(read, write, shape)
