"""From documents to results: what is assigned now. One result per document, or a refusal.

It imports what decides, and no forecasts or plans: `holdfast assign` starts in a fraction of their time.
"""

from collections.abc import Callable, Iterable, Iterator

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka.garbage_collection import uncollected
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds import registry


def assign_document(document: object, release: str | None, settings: tuple[tuple[str, ConfigValue], ...]) -> dict[str, object]:
    """A Snapshot's JSON → an Assignment's. `release` and `settings` are put over its own."""
    decider = registry.decider_of(document)
    return decider.assign(decider.snapshot_from_json(document), release, settings)


def assign_text(text: str | bytes, release: str | None, settings: tuple[tuple[str, ConfigValue], ...]) -> str:
    """The same of the JSON in a text, as a text on one line."""
    with uncollected():
        decider, snapshot = registry.snapshot_in(text)
        return decider.assign_text(snapshot, release, settings)


def answer_lines(lines: Iterable[tuple[int, bytes | InvalidInput]], answer: Callable[[bytes], str]) -> Iterator[tuple[str, bool]]:
    """An answer a line, in order, and whether it is one: a bad line gives `{"error": …, "line": N}`, the others are answered."""
    for number, line in lines:
        try:
            if isinstance(line, InvalidInput):
                raise line
            yield answer(line), True
        except HoldfastError as refusal:
            yield dumps({"error": str(refusal), "line": number}), False
