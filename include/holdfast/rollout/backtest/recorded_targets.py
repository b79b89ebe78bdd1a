"""What is the same about the recorded targets of any group whose broker assigns: the releases to try, and what cannot be judged."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol, TypeVar

from holdfast.errors import HoldfastError, Unsupported
from holdfast.kafka.release_lines import is_older
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult
from holdfast.rollout.backtest.results import Given


class CoordinatorLine(Protocol):
    """Releases of a coordinator that decide alike, oldest first."""

    @property
    def releases(self) -> tuple[str, ...]: ...
    @property
    def has_interval(self) -> bool: ...


class Question(Protocol):
    """A recorded target. `releases`: one of each line that the coordinator may have run."""

    @property
    def releases(self) -> tuple[str, ...]: ...
    @property
    def epoch(self) -> int: ...
    @property
    def computed_at(self) -> str: ...


Q = TypeVar("Q", bound=Question)


def fitting(lines: Iterable[CoordinatorLine], given: Given, timestamp_ms: int | None) -> tuple[str, ...]:
    """Which releases the coordinator may have run that wrote a target: one of each line, oldest first; none newer than what the
    brokers run now. `timestamp_ms`: when it was computed, as recorded; releases since 4.3 record it."""
    if given.broker_release is not None:
        return (given.broker_release,)
    newest = given.brokers_newest
    return tuple(
        line.releases[-1]
        for line in lines
        if line.has_interval == (timestamp_ms is not None)
        and (newest is None or not is_older(newest, line.releases[0].rpartition(".")[0]))
    )


def judge(question: Q, decide: Callable[[Q, RebalanceResult], RebalanceResult]) -> RebalanceResult:
    """The question's answer. Raises nothing: what cannot be judged is a result."""
    result = RebalanceResult(question.epoch, question.computed_at, Judged.EQUAL, tried=question.releases)
    try:
        return decide(question, result)
    except Unsupported as refusal:
        return not_judged(result, Because.RELEASE, str(refusal))
    except (HoldfastError, ValueError) as refusal:
        return not_judged(result, Because.MALFORMED, str(refusal))


def not_judged(result: RebalanceResult, because: Because, detail: str) -> RebalanceResult:
    return replace(result, judged=Judged.NOT_JUDGED, because=(because,), detail=detail)
