"""The user data of the sticky assignors: what a member remembers of its last assignment.

Java: `StickyAssignor` (2.3 to 4.3; before 2.3 without the generation) and `CooperativeStickyAssignor` (2.8.1 to 4.3).
Partitions are topic by topic.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.errors import MalformedBytes
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire.buffer import Reader, Writer


@dataclass(frozen=True, slots=True)
class StickyUserData:
    """`generation` None: the member is older than 2.3 and does not say; -1: it was never in one."""

    partitions: tuple[TopicPartition, ...]
    generation: int | None


def decode_sticky(data: bytes) -> StickyUserData:
    """Raise MalformedBytes where `data` is no sticky user data. Java's leader then takes the member for one without anything.

    What follows the generation is passed over, as Java passes it over.
    """
    reader = Reader(data, "StickyAssignor's user data")
    partitions = reader.topic_partitions("the previous assignment")
    try:
        generation = reader.int32("the generation")
    except MalformedBytes:
        return StickyUserData(partitions, None)
    return StickyUserData(partitions, generation)


def encode_sticky(partitions: Iterable[TopicPartition], generation: int | None) -> bytes:
    """Topics are in the order in which they come; Java writes them in the order of a HashMap (`consumer.reports`)."""
    writer = Writer()
    groups: dict[str, list[TopicPartition]] = {}
    for partition in partitions:
        groups.setdefault(partition.topic, []).append(partition)
    writer.topic_partitions(tuple(partition for group in groups.values() for partition in group))
    if generation is not None:
        writer.int32(generation)
    return writer.result()


def decode_cooperative_sticky(data: bytes) -> int:
    """The generation. Raise MalformedBytes where `data` has none; Java's leader then takes it for -1."""
    return Reader(data, "CooperativeStickyAssignor's user data").int32("the generation")


def encode_cooperative_sticky(generation: int) -> bytes:
    writer = Writer()
    writer.int32(generation)
    return writer.result()
