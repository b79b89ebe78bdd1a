"""From a change of a consumer group to the next stable state: were the rounds and the stable end as forecast?

Eager members need one rebalance. A cooperative member that loses a partition rejoins at once: then there are more.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from holdfast.errors import HoldfastError
from holdfast.kafka.consumer import leader
from holdfast.kafka.consumer.group import Assignment, Assignor, Group, NextRebalance
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.kafka.wire import consumer_protocol
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import NotForecast, SequenceResult, TaskDifference
from holdfast.rollout.backtest.learnt import Courses, Duration
from holdfast.rollout.consumer.backtest.judge import Answer, differences
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion, group_of
from holdfast.rollout.timing.timeline import JOIN_S

MOST_ROUNDS = 50
CLOCKS_S = 1.0


@dataclass(slots=True)
class _Open:
    first: Generation
    question: ConsumerQuestion
    answer: Answer
    members: frozenset[str]
    last: Generation
    rounds: int = 1


class Sequences:
    """Takes a group's judged rebalances in order; gives each sequence once it is over. `courses`: what those so far show."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self.courses = Courses()

    def take(self, question: ConsumerQuestion, answer: Answer) -> Iterator[SequenceResult]:
        generation = question.generation
        members = frozenset(one.member_id for one in generation.members)
        now = self._open
        if now is not None and (members != now.members or generation.number != now.last.number + 1):
            yield replace(_result(now), not_compared=NotForecast.INTERRUPTED)
            now = None
        if now is None:
            now = self._open = _Open(generation, question, answer, members, generation)
        else:
            now.last, now.rounds = generation, now.rounds + 1
        recorded = _settled(generation)
        if recorded is not None:
            self._open = None
            yield _compared(now, recorded, self.courses)

    def end(self) -> Iterator[SequenceResult]:
        if self._open is not None:
            yield replace(_result(self._open), not_compared=NotForecast.UNFINISHED)
            self._open = None


def _settled(generation: Generation) -> dict[str, frozenset[TopicPartition]] | None:
    """What every member has, if no cooperative one lost a partition. None: one did, or the bytes cannot be read."""
    found: dict[str, frozenset[TopicPartition]] = {}
    try:
        for one in generation.members:
            found[one.member_id] = frozenset(consumer_protocol.decode_assignment(one.assignment).partitions)
            owned = consumer_protocol.decode_subscription(one.subscription).owned
            if generation.protocol == Assignor.COOPERATIVE_STICKY and not found[one.member_id].issuperset(owned):
                return None
    except HoldfastError:
        return None
    return found


def _compared(one: _Open, recorded: dict[str, frozenset[TopicPartition]], courses: Courses) -> SequenceResult:
    if one.answer.assignment is None or one.answer.release is None:
        return replace(_result(one), not_compared=NotForecast.NOT_JUDGED)
    group = group_of(one.question, one.answer.release)
    try:
        found = _forecast(group, one.answer.assignment, one.first.number)
    except HoldfastError as refusal:
        return replace(_result(one), not_compared=NotForecast.NOT_PREDICTED, detail=str(refusal))
    if found is None:
        return replace(_result(one), not_compared=NotForecast.NOT_PREDICTED, detail="the group does not become stable")
    rounds, end = found
    ends: tuple[TaskDifference, ...] = differences(end, recorded)
    high = 0.0 if rounds == 1 else (rounds - 1) * JOIN_S.high + CLOCKS_S
    result = replace(_result(one), rounds_at_least=rounds, rounds_at_most=rounds, end_differences=ends)
    return courses.with_duration(result, Duration((rounds - 1) * JOIN_S.usual, 0.0, high))


def _forecast(group: Group, assignment: Assignment, generation: int) -> tuple[int, Assignment] | None:
    """How many rebalances until no member rejoins, and the last of them. None: too many."""
    for rounds in range(1, MOST_ROUNDS):
        if all(one.next_rebalance is NextRebalance.NONE for one in assignment.members):
            return rounds, assignment
        members = tuple(
            replace(member, owned=one.partitions, owned_generation=generation)
            for member, one in zip(group.members, assignment.members, strict=True)
        )
        generation += 1
        group = replace(group, members=members)
        decision = leader.assign(group)
        if not isinstance(decision, Assignment):
            return None
        assignment = decision
    return None


def _result(one: _Open) -> SequenceResult:
    began, ended = (datetime.fromisoformat(each.completed_at) for each in (one.first, one.last))
    return SequenceResult(one.first.number, one.last.number, one.rounds, (ended - began).total_seconds())
