"""What a verdict on a plan for a streams group whose broker assigns says of tasks, standby copies and targets."""

from collections.abc import Iterator

from holdfast.rollout.broker_streams.execution.verdict import BrokerVerdict
from holdfast.rollout.execution import task_words
from holdfast.rollout.execution.agreement_words import agreeing


def figures(verdict: BrokerVerdict) -> Iterator[tuple[str, str]]:
    yield from task_words.figures(verdict.tasks, verdict.standbys)
    if verdict.targets:
        yield "Targets", agreeing([one.agrees for one in verdict.targets])


def rows(verdict: BrokerVerdict) -> tuple[tuple[str, str, str, str], ...]:
    return task_words.rows(verdict.tasks, verdict.standbys)
