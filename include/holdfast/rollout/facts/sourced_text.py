"""A sentence of a document, with the fact that it was made from.

The sentence is kept as it was written, for that is what people read and approved: another version may word it otherwise, and the
digest of the document must stay. What decides something reads the fact.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Said(Generic[F]):
    """`fact` None: another version wrote the sentence alone."""

    text: str
    fact: F | None = None


def told(facts: Iterable[F], words: Callable[[F], str]) -> tuple[Said[F], ...]:
    """Each fact with its sentence."""
    return tuple(Said(words(one), one) for one in facts)


def texts_of(sentences: Iterable[Said[F]]) -> tuple[str, ...]:
    return tuple(one.text for one in sentences)


def facts_of(sentences: Iterable[Said[F]]) -> tuple[F, ...]:
    """Those that are known."""
    return tuple(one.fact for one in sentences if one.fact is not None)
