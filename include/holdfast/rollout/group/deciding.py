"""What a kind of group needs to decide an assignment, and no more: it is imported without the forecasts, options and plans."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from holdfast.rollout.json import fast_writer
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.json.fast_reader import IN_DOUBT
from holdfast.rollout.json.kafka import ConfigValue

S = TypeVar("S")
"""A Snapshot."""
Row = dict[str, object]
Settings = tuple[tuple[str, ConfigValue], ...]


class Decider(ABC, Generic[S]):
    """The part of a kind of group that decides. What reads a document raises InvalidInput, or Unsupported for what is not
    modelled."""

    protocol: ClassVar[str]
    """The field `protocol` of its Snapshots, and of its rows in tables."""

    contracts: ClassVar[Mapping[str, Codec[Any]]]
    """The codec of each of its contracts, by name: its schema is made only when it is requested."""

    @abstractmethod
    def snapshot_from_json(self, document: object) -> S: ...

    @abstractmethod
    def snapshot_to_json(self, snapshot: S) -> Row: ...

    def snapshot_at_once(self, text: str | bytes, most_memory: int) -> S | object:  # noqa: ARG002 - for kinds that can
        """The Snapshot in a text, or `IN_DOUBT`: `snapshot_from_json` has to read it."""
        return IN_DOUBT

    @abstractmethod
    def assign(self, snapshot: S, release: str | None, settings: Settings) -> Row:
        """What is assigned now, as an Assignment's JSON. `release` and `settings` are put over the snapshot's own."""

    def assign_text(self, snapshot: S, release: str | None, settings: Settings) -> str:
        """The same as text on one line, as `strict.dumps` writes it."""
        return fast_writer.dumps(self.assign(snapshot, release, settings))
