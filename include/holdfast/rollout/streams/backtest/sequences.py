"""From a change of the group to the next stable state: were the rounds, the stable end and the time as forecast?

The forecast starts from what the members reported in the first rebalance in which all of them took part, as the judged decision
explains it. What is compared is what `forecast` promises: a number of rebalances within its range, one of its ends, task by task,
and seconds within the range that is learnt from the group's courses before this one; while they are few, within the range that
follows from the probing interval and the time that a rebalance takes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from holdfast.errors import HoldfastError
from holdfast.kafka.streams.group import Assignment
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Judged, NotForecast, SequenceResult, TaskDifference
from holdfast.rollout.backtest.learnt import Courses, Duration
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.streams.backtest import comparing
from holdfast.rollout.streams.backtest.comparing import Recorded
from holdfast.rollout.streams.backtest.judge import Answer, Explained
from holdfast.rollout.streams.forecast.course import RecordedStage
from holdfast.rollout.streams.forecast.outcomes import Course, Length, Range, range_of
from holdfast.rollout.streams.forecast.segments import Segments
from holdfast.rollout.streams.forecast.stage import Ground
from holdfast.rollout.streams.forecast.work import Work
from holdfast.rollout.streams.scene.assumptions import Assume, CatchUp
from holdfast.rollout.streams.snapshot import replay
from holdfast.rollout.streams.snapshot.snapshot import PROTOCOL, Snapshot
from holdfast.rollout.timing.timeline import JOIN_S

MOST_WORK = 3_000_000
"""For one sequence, in units of `forecast.work`: some ten seconds."""
CLOCKS_S = 1.0
"""Moments are the coordinator's, a probing deadline is by the leader's clock."""


@dataclass(slots=True)
class _Open:
    """A sequence that has no end yet. `releases`: those that decide each of its rebalances as the leader did."""

    first: Generation
    members: frozenset[str]
    explained: Explained | None
    judged: bool
    releases: tuple[str, ...]
    last: Generation
    rounds: int = 1


class Sequences:
    """Takes a group's judged rebalances in order; gives each sequence once it is over. `courses`: what those so far show."""

    def __init__(self, group_id: str) -> None:
        self._group_id = group_id
        self._open: _Open | None = None
        self.courses = Courses()

    def take(self, generation: Generation, answer: Answer) -> Iterator[SequenceResult]:
        """Nothing, or the sequences that this rebalance ends."""
        members = frozenset(one.member_id for one in generation.members)
        judged = answer.result.judged in (Judged.EQUAL, Judged.INFERRED)
        now = self._open
        if now is not None and (members != now.members or generation.number != now.last.number + 1):
            yield _apart(now, NotForecast.INTERRUPTED)
            now = None
        if now is None:
            now = self._open = _Open(generation, members, answer.explained, judged, answer.result.releases, generation)
        else:
            now.last, now.rounds, now.judged = generation, now.rounds + 1, now.judged and judged
            now.releases = tuple(release for release in now.releases if release in answer.result.releases)
        try:
            decision = replay.leaders_decision(generation)
        except HoldfastError:
            return
        if decision.settled:
            self._open = None
            yield self._compared(now, Recorded.of(decision))

    def end(self) -> Iterator[SequenceResult]:
        """The last one, if it has no end yet."""
        if self._open is not None:
            yield _apart(self._open, NotForecast.UNFINISHED)
            self._open = None

    def _compared(self, one: _Open, recorded: Recorded) -> SequenceResult:
        if one.explained is None:
            return _apart(one, NotForecast.NOT_JUDGED)
        if one.rounds == 1 and one.judged:
            return replace(_result(one), rounds_at_least=1, rounds_at_most=1, seconds_at_least=0.0, seconds_at_most=0.0)
        # Releases that decide alike may differ in what members report next: which one it was shows in the course only.
        releases = dict.fromkeys((one.explained.group.release, *reversed(one.releases)))
        found = (_forecast(one, self._group_id, one.explained, release, recorded) for release in releases)
        first = next(found)
        best = first if _fits(first) else next((other for other in found if _fits(other)), first)
        return best.result if best.duration is None else self.courses.with_duration(best.result, best.duration)


@dataclass(frozen=True, slots=True)
class _Compared:
    """A sequence compared for one release, but for its duration."""

    result: SequenceResult
    duration: Duration | None = None


def _fits(one: _Compared) -> bool:
    """In all that a release decides."""
    return one.result.end_equal and one.result.rounds_within


def _forecast(one: _Open, group_id: str, explained: Explained, release: str, recorded: Recorded) -> _Compared:
    try:
        return _compared_with(one, _courses(_snapshot(group_id, explained, release)), explained, recorded)
    except HoldfastError as refusal:
        return _Compared(replace(_apart(one, NotForecast.NOT_PREDICTED), detail=str(refusal)))


def _compared_with(one: _Open, courses: list[Course], explained: Explained, recorded: Recorded) -> _Compared:
    first = courses[0]
    if first.length.trouble is not None:
        return _Compared(replace(_apart(one, NotForecast.NOT_PREDICTED), detail=first.length.trouble))
    found = range_of(first.length, [course.length for course in courses[1:]])
    result = replace(
        _result(one),
        rounds_at_least=found.rebalances_at_least,
        rounds_at_most=found.rebalances_at_most,
        end_differences=_end_differences(courses, recorded),
    )
    return _Compared(result, _duration(first.length, found, explained.group.config.probing_rebalance_interval_ms / 1000))


def _courses(snapshot: Snapshot) -> list[Course]:
    """That of the forecast, and those that its range is made of (`forecast._quicker`)."""
    ground = Ground(snapshot, Work(MOST_WORK), Segments())
    found = [_course(ground, Assume())]
    if found[0].length.follow_ups:
        found.append(_course(ground, Assume(catch_up=CatchUp.NEXT_REBALANCE)))
        found.append(_course(ground, Assume(), as_seen=True))
    return found


def _course(ground: Ground, assume: Assume, *, as_seen: bool = False) -> Course:
    stage = RecordedStage(ground, assume, as_seen=as_seen)
    return stage.course(stage.rebalance(until=Wait.STABLE))


def _snapshot(group_id: str, explained: Explained, release: str) -> Snapshot:
    group = explained.group
    return Snapshot(
        group_id=group_id,
        cluster="",
        captured_at=None,
        group_state="Stable",
        protocol=PROTOCOL,
        kafka_release=release,
        task_assignor=None,
        leader_process_id=group.leader_process_id,
        config=explained.config,
        tasks=group.tasks,
        clients=group.clients,
    )


def _duration(length: Length, found: Range, interval_s: float) -> Duration:
    """From the first rebalance of a sequence to the last."""
    usual = length.probing * interval_s + (length.rebalances - 1) * JOIN_S.usual
    low = max(0.0, (found.seconds_at_least or 0) - CLOCKS_S)
    more = found.rebalances_at_most - 1
    high = found.probing_at_most * interval_s + more * JOIN_S.high + CLOCKS_S if more else 0.0
    return Duration(usual, low, high, probing=length.probing > 0)


def _end_differences(courses: list[Course], recorded: Recorded) -> tuple[TaskDifference, ...]:
    """From the end of the forecast; none if the group ended as one of the courses does."""
    answers = [course.rounds[-1].decision for course in courses if course.length.trouble is None and course.rounds]
    ends = [answer for answer in answers if isinstance(answer, Assignment)]
    if any(comparing.equal(end, recorded) for end in ends):
        return ()
    return min((comparing.differences(end, recorded) for end in ends), key=len, default=())


def _result(one: _Open) -> SequenceResult:
    began, ended = (datetime.fromisoformat(each.completed_at) for each in (one.first, one.last))
    return SequenceResult(one.first.number, one.last.number, one.rounds, (ended - began).total_seconds())


def _apart(one: _Open, why: NotForecast) -> SequenceResult:
    return replace(_result(one), not_compared=why)
