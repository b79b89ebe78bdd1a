"""What a verdict on a plan for a consumer group says of partitions."""

from collections.abc import Iterator

from holdfast.rollout.consumer.execution.verdict import ConsumerVerdict
from holdfast.rollout.execution.agreement_words import agreeing, owner
from holdfast.rollout.text.format import printable


def figures(verdict: ConsumerVerdict) -> Iterator[tuple[str, str]]:
    yield "Partitions", agreeing([one.agrees for one in verdict.partitions])


def rows(verdict: ConsumerVerdict) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(
        (f"{printable(one.partition.topic)}-{one.partition.partition}", "reads", printable(one.expected), owner(one.found))
        for one in verdict.partitions
        if not one.agrees
    )
