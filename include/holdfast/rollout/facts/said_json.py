"""Sentences and their facts in a document: the sentences in one field, the facts, where there are any, in another next to it."""

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from holdfast.errors import InvalidInput
from holdfast.rollout.facts.said import Said
from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields, nullable, texts

F = TypeVar("F")


def said_to_json(field: str, facts_field: str, said: Sequence[Said[F]], write: Callable[[F], object]) -> dict[str, object]:
    """Both fields; of a document without facts the sentences only, as it was."""
    written: dict[str, object] = {field: [one.text for one in said]}
    if any(one.fact is not None for one in said):
        written[facts_field] = [None if one.fact is None else write(one.fact) for one in said]
    return written


def said_from_json(fields: Fields, field: str, facts_field: str, read: Callable[[object], F]) -> tuple[Said[F], ...]:
    """Raise InvalidInput where there is not one fact a sentence."""
    sentences = cast("tuple[str, ...] | None", fields.need(field, texts))  # None: it is wrong, as `fields` will say
    facts = fields.optional(facts_field, lambda found: strict.each(found, nullable(read)), None)
    if facts is None or sentences is None:
        return tuple(Said(one) for one in sentences or ())
    if len(facts) != len(sentences):
        raise InvalidInput(f"{len(sentences)} sentences and {len(facts)} facts: one fact a sentence is needed", facts_field)
    return tuple(Said(text, fact) for text, fact in zip(sentences, facts, strict=True))
