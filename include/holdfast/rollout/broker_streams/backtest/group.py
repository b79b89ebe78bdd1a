"""The backtest of one streams group whose broker assigns: its records once, oldest first."""

from collections.abc import Callable, Iterable

from holdfast.kafka.coordinator.config_keys import STANDBYS
from holdfast.rollout.backtest.coordinated import CoordinatorRecord
from holdfast.rollout.backtest.judged import Judged, RebalanceResult, Setting
from holdfast.rollout.backtest.results import Given, GroupBacktest, Led, Tally
from holdfast.rollout.broker_streams.backtest.judge import judge
from holdfast.rollout.broker_streams.backtest.question import TargetQuestion
from holdfast.rollout.broker_streams.backtest.replay import FIRST_EPOCH, TargetReplay, Untold
from holdfast.rollout.broker_streams.snapshot.snapshot import PROTOCOL

OnMismatch = Callable[[TargetQuestion, RebalanceResult], None]


def backtest(group_id: str, records: Iterable[CoordinatorRecord], given: Given, on_mismatch: OnMismatch) -> GroupBacktest:
    """Every recorded target judged. `on_mismatch` is handed each question whose answer differs."""
    tally, replay = Tally(), TargetReplay(given)
    first: int | None = None
    standbys: int | None = None
    for record in records:
        found = replay.take(record)
        if found is None:
            continue
        first = found.epoch if first is None else first
        if isinstance(found, TargetQuestion):
            standbys = found.standbys[0] if len(found.standbys) == 1 else None
        if given.since is None or found.computed_at >= given.since:
            tally.take(Led(found.releases), _result(found, on_mismatch))
    tally.not_recorded = 0 if first is None or replay.from_the_start else max(0, first - FIRST_EPOCH)
    settings = () if standbys is None else (Setting(STANDBYS, str(standbys), "records"),)
    return tally.result(group_id, PROTOCOL, settings, standbys)


def _result(found: TargetQuestion | Untold, on_mismatch: OnMismatch) -> RebalanceResult:
    if isinstance(found, Untold):
        return RebalanceResult(found.epoch, found.computed_at, Judged.NOT_JUDGED, (found.because,), found.detail)
    result = judge(found)
    if result.judged is Judged.DIFFERENT:
        on_mismatch(found, result)
    return result
