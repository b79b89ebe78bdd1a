"""The past of consumer groups whose broker assigns, as the registry of kinds has it."""

from collections.abc import Callable, Iterator

from holdfast.rollout.backtest.coordinated import ConsumerGroupRecord, PastEntry
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.broker_consumer.backtest import group, judge, redacted
from holdfast.rollout.broker_consumer.backtest.question import ConsumerTargetQuestion
from holdfast.rollout.broker_consumer.snapshot import snapshot
from holdfast.rollout.group.past import Entries, PastJudge


class BrokerConsumerPast(PastJudge[ConsumerTargetQuestion]):
    protocol = snapshot.PROTOCOL
    question = ConsumerTargetQuestion

    def owns(self, entry: PastEntry) -> bool:
        return isinstance(entry, ConsumerGroupRecord)

    def backtest(
        self,
        group_id: str,
        entries: Entries,
        given: Given,
        on_mismatch: Callable[[ConsumerTargetQuestion, RebalanceResult], None],
    ) -> GroupBacktest:
        records = (one for one in entries() if isinstance(one, ConsumerGroupRecord))
        return group.backtest(group_id, records, given, on_mismatch)

    def judge(self, question: ConsumerTargetQuestion) -> RebalanceResult:
        return judge.judge(question)

    def without_names(self, question: ConsumerTargetQuestion) -> Iterator[ConsumerTargetQuestion]:
        yield redacted.redacted(question)


PAST = BrokerConsumerPast()
