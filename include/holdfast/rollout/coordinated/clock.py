"""When the targets of a change are computed, and when the group is stable: seconds since the first event, without start-ups of
clients.

Each member sends a heartbeat an interval, at a phase that nothing shows. A target is computed with the first heartbeat of any
member once the assignment interval since the last target is over (`canComputeNextTargetAssignment`); one heartbeat interval later
every member has learned of it, and has given up what it is to give up. Who waits for that has it with its next heartbeat
(`CurrentAssignmentBuilder`). Clients are assumed to close tasks at once.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby
from typing import Generic, NamedTuple, Protocol, TypeVar

from holdfast.rollout.contract.batches import Batch, Wait
from holdfast.rollout.coordinated.spans import AT_ONCE, Seconds, plus
from holdfast.rollout.coordinated.targets import Return, Settings, TargetTrigger, Timed

T = TypeVar("T", bound=Timed)
T_contra = TypeVar("T_contra", bound=Timed, contravariant=True)
I_co = TypeVar("I_co", covariant=True)
"""What is assigned: a task, a partition."""


class Waiting(NamedTuple, Generic[I_co]):
    """How many running members wait for others that run; what is active where running members of the process have copies, and where
    members have that ended without leaving: that is not free before the session is over."""

    members: int
    for_copies: frozenset[I_co] = frozenset()
    for_sessions: frozenset[I_co] = frozenset()


class Reconciliation(Protocol[T_contra, I_co]):
    """Who waits for whom while members give up and get what targets say."""

    def waiting(self, target: T_contra) -> Waiting[I_co]:
        """The target is kept."""

    def returned(self, member: str, old: str) -> None:
        """A static member came back in the place of another: it has what that had."""

    def settled(self) -> None:
        """Every member has what the last target gives it, and nothing else."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What sets the pace of a group. `number`: a config, by its name; the others are names, None where the release has none.

    `begins`: when the first batch does; `since`: how long before that the last target was computed.
    """

    config: Settings
    number: Callable[[Mapping[str, object], str], int]
    heartbeat: str
    session: str
    interval: str | None
    delay: str | None
    since: Seconds
    begins: Seconds = AT_ONCE

    def seconds(self, config: Mapping[str, object], key: str | None) -> float:
        return 0.0 if key is None else self.number(config, key) / 1000

    def seconds_apart(self, config: Settings) -> float:
        """Of targets, at least."""
        return self.seconds(dict(config), self.interval)


class Acts(NamedTuple):
    """A batch of events, as it takes time. `starts`: whether clients start in it. `settings`: that it sets."""

    starts: bool
    settings: Settings
    wait: Wait | None


class _Event(Protocol):
    """Of a change: the client that it starts, and the configs that it sets."""

    def comes(self) -> object | None: ...
    def configures(self) -> Settings: ...


A = TypeVar("A", bound=_Event)


def acts(batches: Iterable[Batch[A]]) -> list[Acts]:
    return [
        Acts(
            starts=any(event.comes() is not None for _, event in batch.events),
            settings=tuple(setting for _, event in batch.events for setting in event.configures()),
            wait=batch.wait,
        )
        for batch in batches
    ]


@dataclass(frozen=True, slots=True)
class Moment(Generic[I_co]):
    """Of one target. `began`: its events, or the end of the members whose sessions are over. `ready`: from when on a heartbeat
    computes it; `computed`; `stable`: when all members have what it gives them.

    `waits`: from the events, or the end of the sessions, to `ready`. `sessions`: how long the sessions that are over lasted after
    the members had ended; `heartbeat`: the intervals that members may have then. `waiting`: who and what waits for members.
    """

    began: Seconds
    ready: Seconds
    computed: Seconds
    stable: Seconds
    waits: Seconds
    sessions: Seconds
    heartbeat: Seconds
    waiting: Waiting[I_co]


@dataclass(frozen=True, slots=True)
class Times(Generic[I_co]):
    """`moments`: of each target. `start_ups`: how many times in a row clients are waited for."""

    moments: tuple[Moment[I_co], ...]
    stable: Seconds
    start_ups: int


def times(
    pace: Pace,
    reconciliation: Reconciliation[T, I_co],
    batches: Sequence[Acts],
    targets: Sequence[T],
    returns: Iterable[Return] = (),
) -> Times[I_co]:
    """`returns`: of static members."""
    clock = _Clock(pace, reconciliation, returns)
    start_ups = 0
    of_batch = {number: list(some) for number, some in groupby(targets, key=lambda one: one.batch)}
    for number, batch in enumerate(batches):
        start_ups += batch.starts
        clock.begin(batch.settings)
        clock.batch(of_batch.get(number, []))
        clock.wait(batch.wait)
    return Times(tuple(clock.moments), clock.stable, start_ups)


class _Late(Enum):
    """What computes a target that is ready."""

    BY_JOINING = "the heartbeat with which a member joins"
    BY_A_HEARTBEAT = "the next heartbeat of any member"
    BY_A_TIMER = "a timer of the coordinator"


@dataclass(frozen=True, slots=True)
class _Range:
    """The values that a setting may have for some member: since it was changed they learn of it one after the other."""

    least: float
    now: float
    most: float

    def set(self, value: float) -> "_Range":
        return _Range(min(self.least, value), value, max(self.most, value))

    def learned(self) -> "_Range":
        return _Range(self.now, self.now, self.now)


class _Clock(Generic[T, I_co]):
    def __init__(self, pace: Pace, reconciliation: Reconciliation[T, I_co], returns: Iterable[Return]) -> None:
        config = dict(pace.config)
        self._pace = pace
        self._returns = list(returns)
        self._heartbeat = _known(pace.seconds(config, pace.heartbeat))
        self._session = _known(pace.seconds(config, pace.session))
        self._interval = pace.seconds_apart(pace.config)
        self._config = config
        self._since = pace.since  # from the last target to the batch
        self._now = self._last = pace.begins  # when the batch begins; when the last target was computed
        self._began: list[tuple[Seconds, _Range]] = []
        self.moments: list[Moment[I_co]] = []
        self._open = 0  # the first of them since the group was stable
        self.stable = AT_ONCE
        self._settled = True  # whether members have what the last target gives them
        self._in_batch = False  # whether the batch has had a target
        self._reconciliation = reconciliation
        self._more_targets = False  # whether there may be targets in between since the group was stable

    def begin(self, settings: Settings) -> None:
        """A batch begins, and with it these settings count, for who sends a heartbeat."""
        longest = self._heartbeat.most
        self._config |= dict(settings)
        self._heartbeat = self._heartbeat.set(self._pace.seconds(self._config, self._pace.heartbeat))
        self._session = self._session.set(self._pace.seconds(self._config, self._pace.session))
        if not self._settled and self._heartbeat.most > longest:  # the reconciliation takes these too
            self.stable = plus(self.stable, Seconds(0, 0, 2 * (self._heartbeat.most - longest)))
            for number in range(self._open, len(self.moments)):
                beat = self.moments[number].heartbeat._replace(most=self._heartbeat.most)
                self.moments[number] = replace(self.moments[number], heartbeat=beat)
        self._began.append((self._now, self._session))
        self._in_batch = False

    def batch(self, targets: list[T]) -> None:
        for number, target in enumerate(targets):
            while self._returns and self._returns[0].targets <= len(self.moments):
                back = self._returns.pop(0)
                self._reconciliation.returned(back.member_id, back.old)
            before, self._interval = self._interval, self._pace.seconds_apart(target.occasion.config)
            if target.trigger is TargetTrigger.SESSION_OVER:
                found = self._session_over(target)
            elif number:
                found = self._after_events(target, self._last, AT_ONCE, before)  # who has left is back
            else:
                found = self._after_events(target, self._now, self._since, before)
            self._last, self.stable, self._settled, self._in_batch = found.computed, found.stable, False, True
            self.moments.append(found)

    def wait(self, wait: Wait | None) -> None:
        if wait is Wait.REBALANCE and self._in_batch:
            self._now, self._since = self._last, AT_ONCE
        elif wait is Wait.REBALANCE:
            return
        elif self._settled:  # nothing shows that the batch has taken effect: the next one may begin at once, or any time later
            self._since = self._since._replace(most=math.inf)
        else:
            self._now, self._since = self.stable, Seconds(0, self._heartbeat.now, 2 * self._heartbeat.most)
            self._heartbeat, self._session = self._heartbeat.learned(), self._session.learned()
            self._reconciliation.settled()
            self._more_targets, self._settled, self._open = False, True, len(self.moments)

    def _after_events(self, target: T, began: Seconds, since: Seconds, before: float) -> Moment[I_co]:
        """`before`: the assignment interval, where it is one of the events that change it."""
        one = target.occasion
        intervals = Seconds(min(before, self._interval), self._interval, max(before, self._interval))
        waits = Seconds(*(max(0.0, interval - over) for interval, over in zip(intervals, reversed(since), strict=True)))
        if one.forgotten:
            waits = AT_ONCE
        if one.bumps > 1:  # the first of them may cause a target of its own
            waits = waits._replace(most=max(waits.most, intervals.most))
        if one.joins > 1:
            waits = waits._replace(usual=max(waits.usual, self._interval))
        if target.trigger is TargetTrigger.DELAY_OVER:
            delay = self._pace.seconds(self._config, self._pace.delay)
            late = waits.most > delay
            waits = Seconds(*(max(delay, over) for over in waits))
            return self._moment_of(target, began, waits, late=_Late.BY_A_TIMER, may_be_later=late)
        joining = one.by_joining and (self._pace.interval is None or not waits.usual)
        by = _Late.BY_JOINING if joining else _Late.BY_A_HEARTBEAT
        return self._moment_of(target, began, waits, late=by, may_be_later=waits.most > 0)

    def _session_over(self, target: T) -> Moment[I_co]:
        one = target.occasion
        began, session = self._began[one.died]
        heard = self._heartbeat.now * _soonest(one.fenced)  # how long before their end the last of them sent a heartbeat
        lasts = Seconds(max(0.0, session.least - self._heartbeat.most), session.now, session.most)
        over = plus(began, lasts._replace(usual=max(0.0, session.now - heard)))
        apart = plus(self._last, Seconds(*[self._interval] * 3))
        waits = Seconds(0, max(0.0, apart.usual - over.usual), max(0.0, apart.most - over.most))
        if one.bumps > 1:  # sessions end one after the other
            waits = waits._replace(most=max(waits.most, self._interval))
        found = self._moment_of(target, over, waits, late=_Late.BY_A_HEARTBEAT)
        return replace(found, began=began, sessions=lasts)

    def _moment_of(self, target: T, began: Seconds, waits: Seconds, *, late: "_Late", may_be_later: bool = False) -> Moment[I_co]:
        ready = plus(began, waits)
        running = target.occasion.running
        heartbeat = Seconds(self._heartbeat.least, self._heartbeat.now, self._heartbeat.most)
        by_a_heartbeat = late is _Late.BY_A_HEARTBEAT
        most = heartbeat.most if by_a_heartbeat or may_be_later else 0.0
        computed = plus(ready, Seconds(0, heartbeat.usual * _soonest(running) if by_a_heartbeat else 0.0, most))
        others = running - (late is _Late.BY_JOINING)
        waiting = self._reconciliation.waiting(target)
        usual = heartbeat.usual * max(_latest(others), _handed_over(waiting.members))
        self._more_targets = self._more_targets or target.occasion.bumps > 1  # those may have tasks handed over
        most = max(most, heartbeat.most * (2 if waiting.members or self._more_targets else min(1, others)))
        stable = plus(ready, Seconds(0, usual, most))
        return Moment(began, ready, computed, stable, waits, AT_ONCE, heartbeat, waiting)


def _known(value: float) -> _Range:
    return _Range(value, value, value)


# Medians of heartbeats of random phases, in intervals.


def _soonest(members: int) -> float:
    """Until the first of them sends one."""
    return 1 - math.pow(0.5, 1 / max(1, members))


def _latest(members: int) -> float:
    """Until the last of them has sent one."""
    return math.pow(0.5, 1 / members) if members > 0 else 0.0


def _handed_over(receivers: int) -> float:
    """Until the last of them has sent one after the one that gives up for it has: 1 for one, towards 2 for many."""
    return 2 - math.sqrt(2 * (1 - math.pow(0.5, 1 / receivers))) if receivers else 0.0
