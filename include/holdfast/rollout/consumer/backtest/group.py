"""The backtest of one consumer group whose members assign: its records once, oldest first."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from holdfast.errors import CannotPredict, HoldfastError
from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult
from holdfast.rollout.backtest.results import Given, GroupBacktest, Led, Tally
from holdfast.rollout.consumer.backtest import question, releases
from holdfast.rollout.consumer.backtest.judge import Answer, judge
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion
from holdfast.rollout.consumer.backtest.sequences import Sequences
from holdfast.rollout.consumer.snapshot.snapshot import PROTOCOL

Records = Callable[[], Iterable[Generation]]
OnMismatch = Callable[[ConsumerQuestion, Answer], None]


def backtest(group_id: str, records: Records, given: Given, on_mismatch: OnMismatch | None = None) -> GroupBacktest:
    """Every rebalance judged, every sequence forecast again. `on_mismatch` is handed each question whose answer differs."""
    tally, sequences = Tally(), Sequences()
    for generation in records():
        if given.since is not None and generation.completed_at < given.since:
            continue
        found = releases.of_leader(given.release, releases.leaders_version(generation))
        try:
            asked = question.of(found, generation)
        except HoldfastError as refusal:
            because = Because.TOPICS if isinstance(refusal, CannotPredict) else Because.MALFORMED
            tally.take(_led(found, generation), _not_judged(generation, because, str(refusal)))
            continue
        answer = judge(asked)
        tally.take(_led(found, generation), answer.result)
        if answer.result.judged is Judged.DIFFERENT and on_mismatch is not None:
            on_mismatch(asked, answer)
        for one in sequences.take(asked, answer):
            tally.end(one)
    for one in sequences.end():
        tally.end(one)
    return replace(tally.result(group_id, PROTOCOL, (), None), learnt=sequences.courses.learnt())


def _led(found: tuple[str, ...], generation: Generation) -> Led:
    known = generation.protocol in frozenset(map(str, Assignor))
    return Led(found, generation.protocol if known else "another assignor")


def _not_judged(generation: Generation, because: Because, detail: str) -> RebalanceResult:
    return RebalanceResult(generation.number, generation.completed_at, Judged.NOT_JUDGED, (because,), detail)
