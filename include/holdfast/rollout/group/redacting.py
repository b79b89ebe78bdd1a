"""What a kind of group provides so that its snapshots can be shared without their names."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names

S = TypeVar("S")
"""A Snapshot."""


def _no_other(_: Iterable[str]) -> frozenset[Role]:
    return frozenset()


@dataclass(frozen=True, slots=True)
class Redacting(Generic[S]):
    """`names`: every name in a Snapshot, and which names' hash codes decide.

    `redacted`: the same group with what stands for its names, which are all that `names` has found: Kafka decides as before.
    `deciding`: roles, in addition to those of members and processes, whose hash codes decide with one of these assignors (names or
    classes); with those of most groups no other does.
    """

    names: Callable[[S], Found]
    redacted: Callable[[S, Names], S]
    deciding: Callable[[Iterable[str]], frozenset[Role]] = _no_other
