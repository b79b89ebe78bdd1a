"""Sentences and their facts in a document: the sentences in one field, the facts, where there are any, in another next to it."""

from collections.abc import Sequence
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import TEXTS, Codec, items, nullable
from holdfast.rollout.json.record_codec import Record, fields_of

F = TypeVar("F")


def said(field: str, facts_field: str, codec: Codec[F], *, always: bool = False) -> Record[tuple[Said[F], ...]]:
    """Both fields, to be `spread` in a record. A document without facts is read, and written again as it was. `always`: where there
    is no sentence, the facts are written too."""
    facts_codec = items(nullable(codec))

    def read(value: object) -> tuple[Said[F], ...]:
        """Raise InvalidInput where there is not one fact a sentence."""
        fields = strict.Fields(value)
        sentences = fields.need(field, TEXTS.read)
        facts = fields.optional(facts_field, facts_codec.read, None)
        fields.finish()
        if facts is None:
            return tuple(Said(one) for one in sentences)
        if len(facts) != len(sentences):
            raise InvalidInput(f"{len(sentences)} sentences and {len(facts)} facts: one fact a sentence is needed", facts_field)
        return tuple(Said(text, fact) for text, fact in zip(sentences, facts, strict=True))

    def write(found: Sequence[Said[F]]) -> dict[str, object]:
        facts = tuple(one.fact for one in found)
        shown: dict[str, object] = {field: [one.text for one in found]}
        known = any(one is not None for one in facts) or (always and not facts)
        return shown | ({facts_field: facts_codec.write(facts)} if known else {})

    return fields_of(
        read,
        write,
        lambda: {field: TEXTS.shape()},
        lambda: {facts_field: facts_codec.shape() | {"description": f"The same as `{field}`, as values."}},
    )
