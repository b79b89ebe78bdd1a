"""The backtest of a group of any kind, and a question of any kind judged again."""

from collections.abc import Callable
from typing import Any

from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.group.past import Entries
from holdfast.rollout.kinds import registry

AnyQuestion = Any
"""A question of some kind of group."""
OnMismatch = Callable[[AnyQuestion, RebalanceResult], None]


def backtest(group_id: str, entries: Entries, given: Given, on_mismatch: OnMismatch | None = None) -> GroupBacktest | None:
    """Of what the log has of the group, oldest first. None: it has nothing."""
    first = next(iter(entries()), None)
    if first is None:
        return None

    def differs(question: AnyQuestion, result: RebalanceResult) -> None:
        if on_mismatch is not None:
            on_mismatch(question, result)

    return registry.past_in(first).backtest(group_id, entries, given, differs)


def judge(question: AnyQuestion) -> RebalanceResult:
    """The question's answer."""
    return registry.past_of(question).judge(question)
