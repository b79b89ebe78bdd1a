"""The backtest of one consumer group whose broker assigns: its records once, oldest first."""

from collections.abc import Callable, Iterable

from holdfast.rollout.backtest.coordinated import ConsumerGroupRecord
from holdfast.rollout.backtest.judged import Judged, RebalanceResult
from holdfast.rollout.backtest.results import Given, GroupBacktest, Led, Tally
from holdfast.rollout.broker_consumer.backtest.judge import judge
from holdfast.rollout.broker_consumer.backtest.question import ConsumerTargetQuestion
from holdfast.rollout.broker_consumer.backtest.replay import FIRST_EPOCH, TargetReplay, Untold
from holdfast.rollout.broker_consumer.snapshot.snapshot import PROTOCOL

OnMismatch = Callable[[ConsumerTargetQuestion, RebalanceResult], None]


def backtest(group_id: str, records: Iterable[ConsumerGroupRecord], given: Given, on_mismatch: OnMismatch) -> GroupBacktest:
    """Every recorded target judged. `on_mismatch` is handed each question whose answer differs. Sequences are not compared."""
    tally, replay = Tally(), TargetReplay(given)
    first: int | None = None
    for record in records:
        found = replay.take(record)
        if found is None:
            continue
        first = found.epoch if first is None else first
        if given.since is None or found.computed_at >= given.since:
            assignor = str(found.assignors[0]) if isinstance(found, ConsumerTargetQuestion) and len(found.assignors) == 1 else None
            tally.take(Led(found.releases, assignor), _result(found, on_mismatch))
    tally.not_recorded = 0 if first is None or replay.from_the_start else max(0, first - FIRST_EPOCH)
    return tally.result(group_id, PROTOCOL, (), None)


def _result(found: ConsumerTargetQuestion | Untold, on_mismatch: OnMismatch) -> RebalanceResult:
    if isinstance(found, Untold):
        return RebalanceResult(found.epoch, found.computed_at, Judged.NOT_JUDGED, (found.because,), found.detail)
    result = judge(found)
    if result.judged is Judged.DIFFERENT:
        on_mismatch(found, result)
    return result
