"""The kinds of group as rules name them, and a setting as a finding shows it."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The kinds of group, as rules name them."""

    CLASSIC = "Kafka Streams"
    BY_BROKER = "Kafka Streams, broker assigns"
    CONSUMERS = "consumers"


STREAMS = (Kind.CLASSIC, Kind.BY_BROKER)
EVERY = (Kind.CLASSIC, Kind.BY_BROKER, Kind.CONSUMERS)


@dataclass(frozen=True, slots=True)
class Shown:
    """A setting that a finding is about. `value` None: not set. Never the value of a key that is a secret's."""

    key: str
    value: str | None
