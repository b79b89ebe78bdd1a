"""What a verdict on a plan for a consumer group whose broker assigns says of partitions."""

from collections.abc import Iterator

from holdfast.rollout.broker_consumer.execution.verdict import GroupVerdict
from holdfast.rollout.execution import partition_words


def figures(verdict: GroupVerdict) -> Iterator[tuple[str, str]]:
    return partition_words.figures(verdict.partitions)


def rows(verdict: GroupVerdict) -> tuple[tuple[str, str, str, str], ...]:
    return partition_words.rows(verdict.partitions)
