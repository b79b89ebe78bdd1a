"""What a kind of group provides so that its snapshots can be shared without their names."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from holdfast.rollout.redaction.found import Found
from holdfast.rollout.redaction.names import Names

S = TypeVar("S")
"""A Snapshot."""


class Redacting(ABC, Generic[S]):
    @abstractmethod
    def names(self, snapshot: S) -> Found:
        """Every name in it, and which names' hash codes decide."""

    @abstractmethod
    def redacted(self, snapshot: S, names: Names) -> S:
        """The same group with what stands for its names: Kafka decides as before. `names`: of all that `names` has found."""
