"""What a verdict on a plan for a consumer group says of partitions."""

from collections.abc import Iterator

from holdfast.rollout.consumer.execution.verdict import ConsumerVerdict
from holdfast.rollout.execution import partition_words


def figures(verdict: ConsumerVerdict) -> Iterator[tuple[str, str]]:
    return partition_words.figures(verdict.partitions)


def rows(verdict: ConsumerVerdict) -> tuple[tuple[str, str, str, str], ...]:
    return partition_words.rows(verdict.partitions)
