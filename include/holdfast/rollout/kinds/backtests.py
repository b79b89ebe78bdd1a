"""The backtest of a group of any kind whose leader assigns, and a question of any kind judged again."""

from collections.abc import Callable, Iterable
from typing import Any

from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.consumer.backtest import group as of_consumers
from holdfast.rollout.consumer.backtest import judge as judge_consumers
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion
from holdfast.rollout.streams.backtest import group as of_streams
from holdfast.rollout.streams.backtest import judge as judge_streams
from holdfast.rollout.streams.backtest.question import StreamsQuestion
from holdfast.rollout.streams.snapshot import replay

AnyQuestion = StreamsQuestion | ConsumerQuestion
OnMismatch = Callable[[AnyQuestion, RebalanceResult], None]


def backtest(
    group_id: str, records: Callable[[], Iterable[Generation]], given: Given, on_mismatch: OnMismatch | None = None
) -> GroupBacktest | None:
    """Of the group's completed rebalances, oldest first. None: there are none."""
    first = next(iter(records()), None)
    if first is None:
        return None

    def differs(question: Any, answer: Any) -> None:
        if on_mismatch is not None:
            on_mismatch(question, answer.result)

    of_kind: Any = of_streams if first.protocol == replay.PROTOCOL else of_consumers
    found: GroupBacktest = of_kind.backtest(group_id, records, given, differs)
    return found


def judge(question: AnyQuestion) -> RebalanceResult:
    """The question's answer."""
    of_kind: Any = judge_streams if isinstance(question, StreamsQuestion) else judge_consumers
    result: RebalanceResult = of_kind.judge(question).result
    return result
