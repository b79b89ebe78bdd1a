"""What a verdict on a plan for a consumer group says of partitions, for every kind of such a group."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.execution.agreement_words import agreeing, owner
from holdfast.rollout.text.format import printable


class Read(Protocol):
    """One partition at the end: who reads it, by the forecast and as found (None: no member)."""

    @property
    def partition(self) -> TopicPartition: ...
    @property
    def expected(self) -> str: ...
    @property
    def found(self) -> str | None: ...
    @property
    def agrees(self) -> bool: ...


def figures(partitions: Sequence[Read]) -> Iterator[tuple[str, str]]:
    yield "Partitions", agreeing([one.agrees for one in partitions])


def rows(partitions: Sequence[Read]) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(
        (f"{printable(one.partition.topic)}-{one.partition.partition}", "reads", printable(one.expected), owner(one.found))
        for one in partitions
        if not one.agrees
    )
