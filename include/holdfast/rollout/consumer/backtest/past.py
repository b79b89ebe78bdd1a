"""The past of consumer groups whose members assign, as the registry of kinds has it."""

from collections.abc import Callable, Iterator
from typing import Any

from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.learnt import Duration
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.consumer.backtest import group, judge, redacted
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion
from holdfast.rollout.consumer.snapshot import snapshot
from holdfast.rollout.group.past import Entries, PastJudge
from holdfast.rollout.timing.course_durations import last_courses

MOST_SEEDS = 20
"""Sets of names that are tried, as hash codes of names decide."""
_OF_STREAMS = "stream"
"""The protocol of a Kafka Streams application's members."""


class ConsumerPast(PastJudge[ConsumerQuestion]):
    protocol = snapshot.PROTOCOL
    question = ConsumerQuestion

    def owns(self, entry: PastEntry) -> bool:
        return isinstance(entry, Generation) and entry.protocol != _OF_STREAMS

    def backtest(
        self, group_id: str, entries: Entries, given: Given, on_mismatch: Callable[[ConsumerQuestion, RebalanceResult], None]
    ) -> GroupBacktest:
        records: Any = entries
        return group.backtest(group_id, records, given, lambda asked, answer: on_mismatch(asked, answer.result))

    def courses(self, forecast: Any) -> tuple[Duration, ...]:
        return last_courses((forecast.outcome.rounds,))

    def judge(self, question: ConsumerQuestion) -> RebalanceResult:
        return judge.judge(question).result

    def without_names(self, question: ConsumerQuestion) -> Iterator[ConsumerQuestion]:
        return (redacted.redacted(question, seed) for seed in range(MOST_SEEDS))


PAST = ConsumerPast()
