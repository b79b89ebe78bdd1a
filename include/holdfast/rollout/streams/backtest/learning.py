"""What a classic Streams group's past says of time: how fast its clients restore, and how long a restart of one takes.

The source is the recorded rebalances alone: what members reported of their copies, who was there, and when. What one of them shows,
and what not, is decided where a snapshot's few rebalances are read too (`plan.restore_rate`, `plan.start_up`).
"""

from collections.abc import Mapping

from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.learnt import Courses, Learnt, RestartValues, Values
from holdfast.rollout.streams.backtest.question import Settings, StreamsQuestion
from holdfast.rollout.streams.plan.restore_rate import CLEARLY_BEHIND, SESSION_S, HistoryRules, Restores
from holdfast.rollout.streams.plan.start_up import Restarts
from holdfast.rollout.streams.snapshot.passing_settings import RECOVERY_LAG, STANDBYS

NOTHING: Mapping[str, int] = {}


class Learning:
    """Takes a group's rebalances in order, oldest first. `config`: its settings, as given or as its records show them; `session_s`:
    the longest session timeout of a member (None: unknown); `stopped_ms`: when rollouts stopped members."""

    def __init__(self, config: Settings, session_s: float | None, stopped_ms: Mapping[str, int] = NOTHING) -> None:
        self._stateful: dict[TaskId, None] = {}
        within_s = SESSION_S if session_s is None else session_s
        self._restores = (
            Restores(HistoryRules(self._stateful, warm_ups_tell=True, reported_within_s=within_s))
            if _warm_ups_tell(dict(config))
            else None
        )
        self._restarts = Restarts(within_s, stopped_ms)
        self._speeds, self._ended = Values(), RestartValues()

    def take(self, generation: Generation, question: StreamsQuestion) -> None:
        """`question`: what it is judged by."""
        if self._restores is not None:
            self._stateful.update((task.id, None) for task in question.tasks if task.stateful is not False)
            for slowest, fastest in self._restores.take(generation):
                self._speeds.take(slowest, fastest)
        back = list(self._restarts.take(generation))
        if back:
            self._ended.take([((one.low, one.high), one.missed) for one in back], back[0].apart_s)

    def learnt(self, courses: Courses) -> Learnt:
        return courses.learnt(self._speeds.quantity(), self._ended)


def _warm_ups_tell(config: Mapping[str, object]) -> bool:
    """Whether a copy that the leader calls a warm-up is surely behind."""
    standbys, lag = config.get(STANDBYS, 0), config.get(RECOVERY_LAG)
    return standbys == 0 and isinstance(lag, int) and lag >= CLEARLY_BEHIND
