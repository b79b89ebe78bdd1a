"""Lamps have no past: no log has it."""
# ruff: noqa: ARG002 - a kind always gets all arguments, whether it needs them or not

from collections.abc import Callable, Iterator

from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.judged import RebalanceResult
from holdfast.rollout.backtest.results import Given, GroupBacktest
from holdfast.rollout.group.past import Entries, PastJudge
from holdfast.rollout.json.codec import TEXT
from holdfast.rollout.json.record import member, record


@record
class LampQuestion:
    group_id: str = member(TEXT)


class LampPast(PastJudge[LampQuestion]):
    protocol = "lamps"
    question = LampQuestion

    def owns(self, entry: PastEntry) -> bool:
        return False

    def backtest(
        self, group_id: str, entries: Entries, given: Given, on_mismatch: Callable[[LampQuestion, RebalanceResult], None]
    ) -> GroupBacktest:
        raise NotImplementedError("no entry is a lamp's")

    def judge(self, question: LampQuestion) -> RebalanceResult:
        raise NotImplementedError("there are no questions about lamps")

    def without_names(self, question: LampQuestion) -> Iterator[LampQuestion]:
        yield question


PAST = LampPast()
