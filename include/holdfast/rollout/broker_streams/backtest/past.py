"""The past of streams groups whose broker assigns, as the registry of kinds has it."""

from collections.abc import Callable, Iterator
from typing import Any

from holdfast.rollout.backtest.coordinated import CoordinatorRecord, PastEntry
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.learnt import Duration
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.broker_streams.backtest import group, judge, redacted
from holdfast.rollout.broker_streams.backtest.question import TargetQuestion
from holdfast.rollout.broker_streams.snapshot import snapshot
from holdfast.rollout.coordinated.targets import TargetTrigger
from holdfast.rollout.group.past import Entries, PastJudge


class BrokerStreamsPast(PastJudge[TargetQuestion]):
    protocol = snapshot.PROTOCOL
    question = TargetQuestion

    def owns(self, entry: PastEntry) -> bool:
        return isinstance(entry, CoordinatorRecord)

    def backtest(
        self, group_id: str, entries: Entries, given: Given, on_mismatch: Callable[[TargetQuestion, RebalanceResult], None]
    ) -> GroupBacktest:
        records = (one for one in entries() if isinstance(one, CoordinatorRecord))
        return group.backtest(group_id, records, given, on_mismatch)

    def courses(self, forecast: Any) -> tuple[Duration, ...]:
        """Of one target that follows from the change at once: a sequence is timed from the last event that raised the epoch."""
        targets, seconds = forecast.outcome.targets, forecast.outcome.summary.seconds_to_stable
        if len(targets) != 1 or targets[0].trigger is not TargetTrigger.CHANGE or seconds is None:
            return ()
        return (Duration(seconds.usual, seconds.least, seconds.most),)

    def judge(self, question: TargetQuestion) -> RebalanceResult:
        return judge.judge(question)

    def without_names(self, question: TargetQuestion) -> Iterator[TargetQuestion]:
        yield redacted.redacted(question)


PAST = BrokerStreamsPast()
