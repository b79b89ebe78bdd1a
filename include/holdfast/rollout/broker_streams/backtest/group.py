"""The backtest of one streams group whose broker assigns: its records once, oldest first."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from holdfast.kafka.coordinator.config_keys import STANDBYS
from holdfast.rollout.backtest.coordinated import CoordinatorRecord
from holdfast.rollout.backtest.judged import Judged, RebalanceResult, Setting
from holdfast.rollout.backtest.learnt import Held
from holdfast.rollout.backtest.results import Given, GroupBacktest, Led, Tally
from holdfast.rollout.broker_streams.backtest.judge import judge
from holdfast.rollout.broker_streams.backtest.question import TargetQuestion
from holdfast.rollout.broker_streams.backtest.replay import FIRST_EPOCH, TargetReplay, Untold
from holdfast.rollout.broker_streams.backtest.restarts import Restarts
from holdfast.rollout.broker_streams.backtest.sequences import Sequences
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL

OnMismatch = Callable[[TargetQuestion, RebalanceResult], None]


def backtest(group_id: str, records: Iterable[CoordinatorRecord], given: Given, on_mismatch: OnMismatch) -> GroupBacktest:
    """Every recorded target judged, every sequence compared. `on_mismatch` is handed each question whose answer differs."""
    tally, replay, sequences, restarts = Tally(), TargetReplay(given), Sequences(given), Restarts(given)
    first: int | None = None
    standbys: int | None = None
    for record in records:
        found = replay.take(record)
        restarts.take(record)
        if found is not None:
            first = found.epoch if first is None else first
            if isinstance(found, TargetQuestion):
                standbys = found.standbys[0] if len(found.standbys) == 1 else None
            if given.since is None or found.computed_at >= given.since:
                result = _result(found, on_mismatch)
                tally.take(Led(found.releases), result)
                sequences.target(result, found if isinstance(found, TargetQuestion) else None, record.written_at_ms)
        for one in sequences.take(record, replay):
            tally.end(one)
    for one in sequences.end(replay):
        tally.end(one)
    tally.not_recorded = 0 if first is None or replay.from_the_start else max(0, first - FIRST_EPOCH)
    settings = () if standbys is None else (Setting(STANDBYS, str(standbys), "records"),)
    # A plan has one number of targets, and not the range that follows from when members joined: that it held says nothing of plans.
    learnt = replace(sequences.courses.learnt(restarts=restarts.values), rebalances=Held(0, 0))
    return replace(tally.result(group_id, PROTOCOL, settings, standbys), learnt=learnt)


def _result(found: TargetQuestion | Untold, on_mismatch: OnMismatch) -> RebalanceResult:
    if isinstance(found, Untold):
        return RebalanceResult(found.epoch, found.computed_at, Judged.NOT_JUDGED, (found.because,), found.detail)
    result = judge(found)
    if result.judged is Judged.DIFFERENT:
        on_mismatch(found, result)
    return result
