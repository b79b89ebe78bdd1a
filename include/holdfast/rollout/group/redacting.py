"""What a kind of group provides so that its snapshots can be shared without their names."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.names import Names

S = TypeVar("S")
"""A Snapshot."""


class Redacting(ABC, Generic[S]):
    @abstractmethod
    def names(self, snapshot: S) -> Found:
        """Every name in it, and which names' hash codes decide."""

    def deciding(self, assignors: Iterable[str]) -> frozenset[Role]:  # noqa: ARG002 - of most groups no other hash code decides
        """Roles, in addition to those of members and processes, whose hash codes decide with one of these assignors (names or
        classes)."""
        return frozenset()

    @abstractmethod
    def redacted(self, snapshot: S, names: Names) -> S:
        """The same group with what stands for its names: Kafka decides as before. `names`: of all that `names` has found."""
