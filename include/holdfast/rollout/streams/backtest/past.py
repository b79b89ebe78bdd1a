"""The past of classic Streams groups, as the registry of kinds has it."""

from collections.abc import Callable, Iterator
from typing import Any

from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.learnt import Duration
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.group.past import Entries, PastJudge
from holdfast.rollout.streams.backtest import group, judge, redacted
from holdfast.rollout.streams.backtest.question import StreamsQuestion
from holdfast.rollout.streams.snapshot import replay, snapshot
from holdfast.rollout.timing.course_durations import last_courses


class StreamsPast(PastJudge[StreamsQuestion]):
    protocol = snapshot.PROTOCOL
    question = StreamsQuestion

    def owns(self, entry: PastEntry) -> bool:
        return isinstance(entry, Generation) and entry.protocol == replay.PROTOCOL

    def backtest(
        self, group_id: str, entries: Entries, given: Given, on_mismatch: Callable[[StreamsQuestion, RebalanceResult], None]
    ) -> GroupBacktest:
        records: Any = entries
        return group.backtest(group_id, records, given, lambda asked, answer: on_mismatch(asked, answer.result))

    def courses(self, forecast: Any) -> tuple[Duration, ...]:
        return last_courses(one.rounds for one in forecast.outcomes)

    def judge(self, question: StreamsQuestion) -> RebalanceResult:
        return judge.judge(question).result

    def without_names(self, question: StreamsQuestion) -> Iterator[StreamsQuestion]:
        yield redacted.redacted(question)


PAST = StreamsPast()
