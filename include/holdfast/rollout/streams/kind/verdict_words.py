"""What a verdict on a plan for a Kafka Streams group says of tasks and standby copies."""

from collections.abc import Iterator

from holdfast.rollout.execution import task_words
from holdfast.rollout.streams.execution.verdict import Verdict


def figures(verdict: Verdict) -> Iterator[tuple[str, str]]:
    return task_words.figures(verdict.tasks, verdict.standbys)


def rows(verdict: Verdict) -> tuple[tuple[str, str, str, str], ...]:
    return task_words.rows(verdict.tasks, verdict.standbys)
