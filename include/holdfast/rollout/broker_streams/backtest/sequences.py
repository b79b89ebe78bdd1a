"""From one stable state of a streams group to the next: were the number of targets, the stable end and the time as forecast?

A target follows from members that join and leave, and from configs and topics that change: those are as recorded. Compared is what
the forecast makes of them: how many targets there are, which depends on when heartbeats come; that each member ends with what the
last target gives it; and the seconds from the last of these changes until it does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from holdfast.errors import HoldfastError
from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, INITIAL_DELAY, number_of
from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams.group import Group, Member
from holdfast.kafka.wire.streams_tasks import OwnedTasks
from holdfast.rollout.backtest.coordinated import CoordinatorRecord
from holdfast.rollout.backtest.judged import Because, Judged, NotForecast, RebalanceResult, SequenceResult, TaskDifference
from holdfast.rollout.backtest.learnt import Courses, Duration
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.broker_streams.backtest.judge import differences
from holdfast.rollout.broker_streams.backtest.question import TargetQuestion
from holdfast.rollout.broker_streams.backtest.replay import TargetReplay
from holdfast.rollout.broker_streams.backtest.standing import Raised, Standing
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast import clock
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import GroupTopology, Owned, StreamsGroupSnapshot, StreamThread
from holdfast.rollout.broker_streams.target.target import MemberTasks, TargetAssignment
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.coordinated.targets import Occasion, TargetTrigger
from holdfast.rollout.json import instants
from holdfast.rollout.json.kafka import ConfigValue

CLOCKS_S = 1.0
"""A record is written after what it shows."""
Config = Mapping[str, ConfigValue]


@dataclass(slots=True)
class _Open:
    """A sequence that has no end yet. `releases`: those that decide each of its targets as the coordinator did. `question`: the
    last target, None where it cannot be asked about; `before_ms`: when the one before it was computed (None: unknown)."""

    first: int
    since: str
    releases: tuple[str, ...]
    from_empty: bool
    last: int = 0
    rounds: int = 0
    question: TargetQuestion | None = None
    judged: bool = True
    inferred: bool = False
    before_ms: int | None = None


class Sequences:
    """Takes a group's records in order; gives each sequence once it is over. `courses`: what those so far show."""

    def __init__(self, given: Given) -> None:
        self.courses = Courses()
        self._config: Config = dict(given.group_configs)
        self._since = given.since
        self._standing = Standing()
        self._open: _Open | None = None
        self._from_stable = False
        self._from_empty = True
        self._computed_ms: int | None = None

    def target(self, found: RebalanceResult, question: TargetQuestion | None, written_at_ms: int) -> None:
        """A target was computed. `question` None: it cannot be asked about."""
        one = self._open
        if one is None:
            one = self._open = _Open(found.number, found.completed_at, found.releases, self._from_empty)
        one.last, one.rounds, one.question = found.number, one.rounds + 1, question
        one.releases = tuple(release for release in one.releases if release in found.releases)
        one.judged = one.judged and found.judged in (Judged.EQUAL, Judged.INFERRED)
        one.inferred = one.inferred or (found.judged is Judged.INFERRED and found.because != (Because.RELEASE,))
        one.before_ms, self._computed_ms = self._computed_ms, written_at_ms

    def take(self, record: CoordinatorRecord, replay: TargetReplay) -> Iterator[SequenceResult]:
        """Nothing, or the sequence that this record ends. `replay`: the group with the record."""
        standing = self._standing
        stable = standing.take(record)
        if not stable and not (standing.without_members and standing.raised):
            return
        one, raised = self._open, standing.raised
        if one is not None and self._counts(one, replay):
            seconds = max(0, record.written_at_ms - raised[-1].at_ms) / 1000
            result = SequenceResult(one.first, one.last, one.rounds, seconds)
            ended = self._compared(one, result, raised, replay.current) if stable else None
            yield ended or replace(result, not_compared=NotForecast.INTERRUPTED)
        self._open, self._from_stable, self._from_empty = None, replay.whole, standing.without_members
        standing.begin()

    def end(self, replay: TargetReplay) -> Iterator[SequenceResult]:
        """The last one, if it has no end yet."""
        one = self._open
        if one is not None and self._counts(one, replay):
            yield SequenceResult(one.first, one.last, one.rounds, 0.0, not_compared=NotForecast.UNFINISHED)

    def _counts(self, one: _Open, replay: TargetReplay) -> bool:
        """Whether all of it is recorded, and it is to be judged."""
        return (self._from_stable or replay.from_the_start) and (self._since is None or one.since >= self._since)

    def _compared(self, one: _Open, result: SequenceResult, raised: list[Raised], has: Mapping[str, OwnedTasks]) -> SequenceResult:
        if one.question is None or not one.judged or not one.releases:
            return replace(result, not_compared=NotForecast.NOT_JUDGED)
        release = one.releases[-1]
        least, most = rounds_within(raised, release, self._config, from_empty=one.from_empty)
        result = replace(
            result,
            rounds_at_least=least,
            rounds_at_most=most,
            end_differences=self._end_differences(one.question, has),
            inferred=one.inferred,
        )
        try:
            found = _seconds(one, raised, release, self._config)
        except HoldfastError as refusal:
            return replace(result, not_compared=NotForecast.NOT_PREDICTED, detail=str(refusal))
        duration = Duration(found.usual, max(0.0, found.least - CLOCKS_S), found.most + CLOCKS_S)
        return self.courses.with_duration(result, duration)

    def _end_differences(self, question: TargetQuestion, has: Mapping[str, OwnedTasks]) -> tuple[TaskDifference, ...]:
        nothing = OwnedTasks((), (), ())
        wanted = {self._standing.now(one.member_id): (one.given.active, one.given.standby) for one in question.members}
        found = {name: (one.active, one.standby) for name in wanted for one in (has.get(name, nothing),)}
        return differences(wanted, found)


def rounds_within(raised: list[Raised], release: str, config: Config, *, from_empty: bool = False) -> tuple[int, int]:
    """How many targets follow from what raised the epoch, at least and at most.

    A target takes all that raised it before. It is computed with the first heartbeat of any member once the assignment interval is
    over; up to 4.2, which has none, the heartbeat with which a member joins is one, and is never shared.
    """
    has_interval = behaviour(release).has_interval
    interval = number_of(config, ASSIGNMENT_INTERVAL) if has_interval else 0
    delay = number_of(config, INITIAL_DELAY) if from_empty else 0
    longest = delay + interval + number_of(config, HEARTBEAT_INTERVAL) + CLOCKS_S * 1000
    least, waiting = 0, None
    for one in raised:
        if waiting is not None and one.at_ms - waiting > longest:
            least, waiting = least + 1, None
        if one.joined and not has_interval and not delay:
            least, waiting = least + 1, None
        elif waiting is None:
            waiting = one.at_ms
    least += waiting is not None
    apart = (raised[-1].at_ms - raised[0].at_ms) // interval + 2 if interval else len(raised)
    return max(1, least), max(1, least, min(len(raised), apart))


def _seconds(one: _Open, raised: list[Raised], release: str, config: Config) -> Seconds:
    """From the last of what raised the epoch until the group is stable, as the forecast of a change has it."""
    assert one.question is not None, "it is asked about where it is compared"
    snapshot = _snapshot(one, one.question, raised[-1].at_ms, config)
    members = tuple(Member(each.member_id, each.process_id, each.has.active, each.has.standby) for each in one.question.members)
    group = Group(release, members, tuple(each.as_assigned for each in one.question.subtopologies), one.question.standbys[-1])
    ground = Ground(snapshot, GroupTopology(()), group)
    target = _computed(one, one.question, raised, snapshot)
    found = clock.times(ground, BrokerChange(()), (target,)).stable
    if target.trigger is not TargetTrigger.DELAY_OVER:
        return found
    over = (raised[-1].at_ms - raised[0].at_ms) / 1000  # the delay begins with the first
    return Seconds(*(max(0.0, each - over) for each in found))


def _computed(one: _Open, question: TargetQuestion, raised: list[Raised], snapshot: StreamsGroupSnapshot) -> ComputedTarget:
    """The target with its occasion: what came before the ones before it is past."""
    given = tuple(MemberTasks(each.member_id, each.given.active, each.given.standby) for each in question.members)
    joined = raised[-1].joined
    occasion = Occasion(
        running=len(given), joins=sum(each.joined for each in raised), by_joining=joined, bumps=len(raised), config=snapshot.config
    )
    trigger = TargetTrigger.DELAY_OVER if one.from_empty and one.rounds == 1 else TargetTrigger.CHANGE
    processes = tuple((each.member_id, each.process_id) for each in question.members)
    return ComputedTarget(trigger, question.epoch, TargetAssignment("sticky", given), processes, occasion=occasion)


def _snapshot(one: _Open, question: TargetQuestion, at_ms: int, config: Config) -> StreamsGroupSnapshot:
    """The group before its last target, `at_ms` when its epoch was raised last."""
    threads = tuple(
        StreamThread(
            each.member_id,
            each.process_id,
            assignment=Owned(each.has.active, each.has.standby),
            target=Owned(each.target.active, each.target.standby),
        )
        for each in question.members
    )
    before: tuple[RecordedTarget, ...] = ()
    if one.before_ms is not None:
        before = (RecordedTarget(question.epoch, instants.of_broker(one.before_ms), ()),)
    return StreamsGroupSnapshot(
        group_id="",
        members=threads,
        captured_at=instants.of_broker(max(at_ms, (one.before_ms or 0) + 1)),
        broker_release=None,
        assignment_epoch=question.epoch,
        config=tuple(sorted(config.items())),
        recorded_targets=before,
    )
