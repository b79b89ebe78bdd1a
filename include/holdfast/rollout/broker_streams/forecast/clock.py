"""When the targets of a change are computed, and when the group is stable: seconds since the first event, without start-ups of
clients.

Each member sends a heartbeat an interval, at a phase that nothing shows. A target is computed with the first heartbeat of any
member once the assignment interval since the last target is over (`canComputeNextTargetAssignment`); one heartbeat interval later
every member has learned of it, and has given up what it is to give up. Who waits for that has it with its next heartbeat
(`CurrentAssignmentBuilder`). Clients are assumed to close tasks at once.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from itertools import groupby

from holdfast.kafka.coordinator.config_keys import (
    ASSIGNMENT_INTERVAL,
    HEARTBEAT_INTERVAL,
    INITIAL_DELAY,
    SESSION_TIMEOUT,
    number_of,
)
from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.parts.scene import Settings
from holdfast.rollout.broker_streams.forecast.contested_tasks import Contested, WaitingMembers
from holdfast.rollout.broker_streams.forecast.course import Ground, Return
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget, TargetTrigger
from holdfast.rollout.broker_streams.forecast.spans import Seconds
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.json.kafka import ConfigValue

AT_ONCE = Seconds(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Moment:
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
    waiting: WaitingMembers


@dataclass(frozen=True, slots=True)
class Times:
    """`moments`: of each target. `start_ups`: how many times in a row clients are waited for."""

    moments: tuple[Moment, ...]
    stable: Seconds
    start_ups: int


def times(ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...], returns: tuple[Return, ...] = ()) -> Times:
    """`returns`: of static members."""
    clock = _Clock(ground, returns)
    start_ups = 0
    of_batch = {number: list(some) for number, some in groupby(targets, key=lambda one: one.batch)}
    for number, batch in enumerate(change.numbered_batches()):
        start_ups += any(event.comes() is not None for _, event in batch.events)
        clock.begin(setting for _, event in batch.events for setting in event.configures())
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


class _Clock:
    def __init__(self, ground: Ground, returns: tuple[Return, ...]) -> None:
        config = ground.snapshot.config
        self._returns = list(returns)
        self._has_interval = behaviour(ground.group.release).has_interval
        self._heartbeat = _known(_seconds(config, HEARTBEAT_INTERVAL))
        self._session = _known(_seconds(config, SESSION_TIMEOUT))
        self._interval = self._seconds_apart(config)
        self._config = dict(config)
        self._since = _since_the_last(ground.snapshot, self._interval)  # from the last target to the batch
        self._now = self._last = empties(ground.snapshot)  # when the batch begins; when the last target was computed
        self._began: list[tuple[Seconds, _Range]] = []
        self.moments: list[Moment] = []
        self._open = 0  # the first of them since the group was stable
        self.stable = AT_ONCE
        self._settled = True  # whether members have what the last target gives them
        self._in_batch = False  # whether the batch has had a target
        self._contested = Contested(ground)
        self._more_targets = False  # whether there may be targets in between since the group was stable

    def begin(self, settings: Iterable[tuple[str, ConfigValue]]) -> None:
        """A batch begins, and with it these settings count, for who sends a heartbeat."""
        longest = self._heartbeat.most
        self._config |= dict(settings)
        self._heartbeat = self._heartbeat.set(number_of(self._config, HEARTBEAT_INTERVAL) / 1000)
        self._session = self._session.set(number_of(self._config, SESSION_TIMEOUT) / 1000)
        if not self._settled and self._heartbeat.most > longest:  # the reconciliation takes these too
            self.stable = plus(self.stable, Seconds(0, 0, 2 * (self._heartbeat.most - longest)))
            for number in range(self._open, len(self.moments)):
                beat = self.moments[number].heartbeat._replace(most=self._heartbeat.most)
                self.moments[number] = replace(self.moments[number], heartbeat=beat)
        self._began.append((self._now, self._session))
        self._in_batch = False

    def batch(self, targets: list[ComputedTarget]) -> None:
        for number, target in enumerate(targets):
            while self._returns and self._returns[0].targets <= len(self.moments):
                back = self._returns.pop(0)
                self._contested.returned(back.member_id, back.old)
            before, self._interval = self._interval, self._seconds_apart(target.occasion.config)
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
        elif wait is not Wait.REBALANCE and not self._settled:
            self._now, self._since = self.stable, Seconds(0, self._heartbeat.now, 2 * self._heartbeat.most)
            self._heartbeat, self._session = self._heartbeat.learned(), self._session.learned()
            self._contested.settled()
            self._more_targets, self._settled, self._open = False, True, len(self.moments)

    def _after_events(self, target: ComputedTarget, began: Seconds, since: Seconds, before: float) -> Moment:
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
            delay = number_of(self._config, INITIAL_DELAY) / 1000
            late = waits.most > delay
            waits = Seconds(*(max(delay, over) for over in waits))
            return self._moment_of(target, began, waits, late=_Late.BY_A_TIMER, may_be_later=late)
        joining = one.by_joining and (not self._has_interval or not waits.usual)
        by = _Late.BY_JOINING if joining else _Late.BY_A_HEARTBEAT
        return self._moment_of(target, began, waits, late=by, may_be_later=waits.most > 0)

    def _session_over(self, target: ComputedTarget) -> Moment:
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

    def _moment_of(
        self, target: ComputedTarget, began: Seconds, waits: Seconds, *, late: "_Late", may_be_later: bool = False
    ) -> Moment:
        ready = plus(began, waits)
        running = target.occasion.running
        heartbeat = Seconds(self._heartbeat.least, self._heartbeat.now, self._heartbeat.most)
        by_a_heartbeat = late is _Late.BY_A_HEARTBEAT
        most = heartbeat.most if by_a_heartbeat or may_be_later else 0.0
        computed = plus(ready, Seconds(0, heartbeat.usual * _soonest(running) if by_a_heartbeat else 0.0, most))
        others = running - (late is _Late.BY_JOINING)
        waiting = self._contested.waiting(target)
        usual = heartbeat.usual * max(_latest(others), _handed_over(waiting.members))
        self._more_targets = self._more_targets or target.occasion.bumps > 1  # those may have tasks handed over
        most = max(most, heartbeat.most * (2 if waiting.members or self._more_targets else min(1, others)))
        stable = plus(ready, Seconds(0, usual, most))
        return Moment(began, ready, computed, stable, waits, AT_ONCE, heartbeat, waiting)

    def _seconds_apart(self, config: Settings) -> float:
        return _seconds(config, ASSIGNMENT_INTERVAL) if self._has_interval else 0.0


def empties(snapshot: StreamsGroupSnapshot) -> Seconds:
    """How long after its clients have stopped a classic group is empty: they do not leave, and their sessions began with their last
    heartbeats."""
    if snapshot.classic is None:
        return AT_ONCE
    session, beat = snapshot.classic.session_timeout_ms / 1000, snapshot.classic.heartbeat_ms / 1000
    return Seconds(max(0.0, session - beat), session, session)


def plus(one: Seconds, other: Seconds) -> Seconds:
    return Seconds(one.least + other.least, one.usual + other.usual, one.most + other.most)


def rounded(span: Seconds) -> Seconds:
    """To milliseconds, as settings are."""
    return Seconds(*(round(one, 3) for one in span))


def _known(value: float) -> _Range:
    return _Range(value, value, value)


def _seconds(config: Settings, key: str) -> float:
    return number_of(dict(config), key) / 1000


def _since_the_last(snapshot: StreamsGroupSnapshot, interval: float) -> Seconds:
    """How long before the change the last target was computed: usually longer than the interval."""
    if snapshot.recorded_targets and snapshot.captured_at is not None:
        last = snapshot.recorded_targets[-1]
        over = (datetime.fromisoformat(snapshot.captured_at) - datetime.fromisoformat(last.computed_at)).total_seconds()
        if last.assignment_epoch == snapshot.assignment_epoch and over > 0:
            return Seconds(over, over, float("inf"))
    return Seconds(0, max(interval, 0), float("inf"))


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
