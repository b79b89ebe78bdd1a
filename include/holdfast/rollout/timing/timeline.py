"""The time model: seconds from the first action until an option's rebalancing ends and until all state is restored.

An option is walked three times: as fast as it can go, as it usually goes, and as slow as it may go. What passes:

- a client that ends without leaving is missed once its session has timed out. A rebalance that another client's join has begun is
  complete no sooner, so a simultaneous start costs nothing while it is the shorter of the two;
- a client that is started joins after its start-up time;
- each rebalance takes as long as its members need to hear of it (a heartbeat) and to join;
- a probing rebalance comes one interval after the rebalance before. One that finds a warm-up still restoring changes nothing, so
  that the next one counts;
- between two acts an operator checks that the group is stable, and begins the next;
- every client restores what it is handed, one task after the other, at the policy's speed, in addition.

What the policy has learnt of the group's own past takes the place of these parts: how long a restart takes until its client is
missed no more, how long rolling restarts, or parts of them, take, and how many times as long as usual follow-up rebalances take.

Nothing else works out a time: rules, texts, pages and charts read `Times`.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, zip_longest
from typing import NamedTuple

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.backtest.learnt import Span
from holdfast.rollout.contract.rebalances import Round, restore_seconds
from holdfast.rollout.contract.times import NO_TIME, Estimate, Phase, PhaseKind, TimedBatch, Times
from holdfast.rollout.policy.policy import Policy

JOIN_S = Estimate(0, 2, 8)
"""One rebalance, from what brings it about to its end: a heartbeat (heartbeat.interval.ms, 3 s) until all have heard of it, and
until they have closed what they lose. A member that is busy with what it polled may take up to max.poll.interval.ms: not in it."""
CLOSING_S = 5
"""A client may take so long to close, and keeps its session alive until then."""
HEARTBEAT_S = 3
"""A session counts from the last heartbeat, which was at most so long before the end."""
RESTARTED_WITHIN_S = 120
"""A client that is away from its group for longer was stopped, not restarted."""
ROLLS_WITHIN_S = 600
"""Restarts that end further apart are not of one rolling restart."""
EMPTY_GROUP_S = Estimate(0, 3, 6)
"""group.initial.rebalance.delay.ms: what the coordinator waits for more members where there were none. It may wait twice."""


@dataclass(frozen=True, slots=True)
class _Pace:
    """One of the three walks. `notice_s`: added to a session timeout. Learnt, else None: `restart_s`, until a client that is
    restarted is missed no more; `rolled_s`, until a rolling restart with that number of further ones is over; `took`,
    `took_probing`, how many times as long as usual follow-up rebalances take. `whole`: how its seconds are rounded."""

    start_up_s: int
    join_s: int
    between_s: int
    notice_s: int
    refresh_share: float
    empty_s: int
    records_per_second: int
    restart_s: int | None = None
    rolled_s: Callable[[int], int] | None = None
    took: float | None = None
    took_probing: float | None = None
    whole: Callable[[float], int] = round

    def times_as_long(self, rounds: Sequence[Round]) -> float | None:
        """As usual, of these follow-up rebalances."""
        return self.took_probing if any(one.trigger == "probing" for one in rounds) else self.took

    def as_learnt(self, policy: Policy, of: Callable[[Span], float], whole: Callable[[float], int]) -> "_Pace":
        known = policy.learnt
        return replace(
            self,
            restart_s=None if known.restart is None else whole(of(known.restart)),
            rolled_s=None if known.restarts_apart is None else lambda further: whole(of(known.roll(further))),
            took=None if known.took is None else of(known.took),
            took_probing=None if known.took_probing is None else of(known.took_probing),
            whole=whole,
        )


def _paces(policy: Policy) -> tuple[_Pace, _Pace, _Pace]:
    quick, usual, slow = _stated_paces(policy)
    return (
        quick.as_learnt(policy, lambda span: span.low, math.floor),
        usual.as_learnt(policy, lambda span: span.usual, round),
        slow.as_learnt(policy, lambda span: span.high, math.ceil),
    )


def _stated_paces(policy: Policy) -> tuple[_Pace, _Pace, _Pace]:
    start, between = policy.start_up, policy.between_steps
    return (
        _Pace(start.low, JOIN_S.low, between.low, -HEARTBEAT_S, 0, EMPTY_GROUP_S.low, policy.fastest_restore),
        _Pace(start.usual, JOIN_S.usual, between.usual, 0, 0.5, EMPTY_GROUP_S.usual, policy.restore_records_per_second),
        _Pace(start.high, JOIN_S.high, between.high, CLOSING_S, 1, EMPTY_GROUP_S.high, policy.slowest_restore),
    )


class _Lap(NamedTuple):
    """What one phase takes in one walk."""

    kind: PhaseKind
    seconds: int
    rebalance: int | None = None


@dataclass(slots=True)
class _Walk:
    """One course through the acts. `at`: where it is; `busy_until`: when each client has restored what it was handed so far."""

    laps: list[_Lap] = field(default_factory=list)
    at: int = 0
    waited: int = 0
    """Probing rebalances that found warm-ups still restoring."""
    busy_until: dict[ProcessId | None, int] = field(default_factory=dict)
    rolled: int = 0
    """Restarts that follow the one that began the rolling restart which it is in."""
    rolled_s: int = 0
    """What these took, and that one where it is known."""

    def roll(self, rolled_s: Callable[[int], int], rebalance: int) -> None:
        """The next restart of a rolling one."""
        if not self.rolled:
            self.rolled_s = rolled_s(0)
        self.rolled += 1
        seconds = max(0, rolled_s(self.rolled) - self.rolled_s)
        self.rolled_s += seconds
        self.lap(PhaseKind.NEXT_RESTART, seconds, rebalance)

    def lap(self, kind: PhaseKind, seconds: int, rebalance: int | None = None) -> None:
        self.laps.append(_Lap(kind, seconds, rebalance))
        self.at += seconds

    @property
    def restored(self) -> int:
        return max(self.busy_until.values(), default=0)


def of_acts(acts: Sequence[TimedBatch], policy: Policy) -> Times:
    """The times of a group that has no state: every act and its rebalances."""
    return combined(TimedCourse(tuple((act, (_USUAL_ROUND,) * act.rebalances) for act in acts)), policy)


_USUAL_ROUND = Round(trigger="change", at_seconds=0, handed_over=0, withheld=0, warm_ups=0, restoring_longest=0)


@dataclass(frozen=True, slots=True)
class TimedCourse:
    """What is walked. `spared_s`: probing intervals that the quickest course does not have; `more`: rebalances that may come beyond
    it, `probes_more` of them a `probing_s` apart."""

    acts: tuple[tuple[TimedBatch, tuple[Round, ...]], ...]
    spared_s: int = 0
    more: int = 0
    probes_more: int = 0
    probing_s: int = 0


def combined(course: TimedCourse, policy: Policy) -> Times:
    """The three walks as one, phase by phase."""
    learnt = _like_the_past(course, policy)
    if not learnt:
        policy = replace(policy, learnt=replace(policy.learnt, took=None, took_probing=None))
    quick, usual, slow = (_walked(course, pace) for pace in _paces(policy))
    spared = 0 if learnt else _spare(course, quick)
    if course.more and not learnt:
        slow.lap(PhaseKind.FURTHER, course.more * JOIN_S.high + course.probes_more * course.probing_s)
    phases = tuple(
        Phase(three[2].kind, in_order(three[0].seconds, three[1].seconds, three[2].seconds), three[2].rebalance)
        for three in zip_longest(quick.laps, usual.laps, slow.laps, fillvalue=_Lap(PhaseKind.FURTHER, 0))
    )
    so_far = tuple(accumulate((one.seconds for one in phases), initial=NO_TIME))[1:]
    ends = so_far[-1] if so_far else NO_TIME
    restored = in_order(max(ends.low, quick.restored - spared), max(ends.usual, usual.restored), max(ends.high, slow.restored))
    if restored.high > ends.high:
        tail = in_order(restored.low - ends.low, restored.usual - ends.usual, restored.high - ends.high)
        phases = (*phases, Phase(PhaseKind.RESTORE, tail))
    over = tuple(at for at, one in zip(so_far, phases, strict=False) if one.kind is PhaseKind.REBALANCE)
    return Times(
        ends,
        restored,
        phases=tuple(one for one in phases if one.seconds.high),
        rebalances=over,
        more_probing=max(quick.waited, usual.waited, slow.waited),
    )


def _like_the_past(course: TimedCourse, policy: Policy) -> bool:
    """Whether there are follow-up rebalances, and it is known how long such ones took. Where restores are waited for, they
    decide."""
    if policy.learnt.took is None and policy.learnt.took_probing is None:
        return False
    slow = _paces(policy)[2]
    followed = [rounds[_first_follow_up(rounds) :] for _, rounds in course.acts]
    known = [slow.times_as_long(rounds) for rounds in followed if rounds]
    model = replace(slow, took=None, took_probing=None)
    return bool(known) and None not in known and not _walked(course, model).waited


def _first_follow_up(rounds: Sequence[Round]) -> int:
    """The place behind the last rebalance that the change itself causes."""
    for place in range(len(rounds) - 1, 0, -1):
        if rounds[place].trigger == "change":
            return place + 1
    return 1


def usually(course: TimedCourse, policy: Policy) -> tuple[int, int]:
    """When rebalancing ends, and when all is restored, as it usually goes: the usual figures of `combined`, with less work."""
    walk = _walked(course, _paces(policy)[1])
    return walk.at, max(walk.at, walk.restored)


@dataclass(frozen=True, slots=True)
class OneAct:
    """The course of one act, rebalance by rebalance: the probing interval before it (0: none), and the records that each client
    begins to restore in it. The rest as in `TimedCourse`."""

    act: TimedBatch
    rebalances: Sequence[tuple[int, Sequence[tuple[Hashable, int]]]]
    more: int = 0
    probes_more: int = 0
    probing_s: int = 0


def figures(course: OneAct, policy: Policy) -> tuple[Estimate, Estimate]:
    """When rebalancing ends, and when all is restored: as `combined`, with less work."""
    (quick, first), (usual, second), (slow, third) = (_stepped(course, pace) for pace in _paces(policy))
    further = course.more * JOIN_S.high + course.probes_more * course.probing_s if course.more else 0
    ends = Estimate(
        sum(map(min, quick, usual)),
        sum(usual),
        sum(map(max, slow, usual)) + further,
    )
    return ends, in_order(max(ends.low, first), max(ends.usual, second), max(ends.high, third))


def _stepped(course: OneAct, pace: _Pace) -> tuple[list[int], int]:
    """The seconds of every lap, and when all is restored."""
    begun = _Walk()
    _begin(begun, course.act, pace, None)
    laps, at = [lap.seconds for lap in begun.laps], begun.at
    busy_until: dict[Hashable, int] = {}
    restored, join_s, speed = 0, pace.join_s, pace.records_per_second
    for interval, restoring in course.rebalances:
        if interval:
            missing = restored - at
            lap = interval if missing <= interval else interval * -(-missing // interval)
            laps.append(lap)
            at += lap
        laps.append(join_s)
        at += join_s
        for client, records in restoring:
            if records >= speed:  # else it takes no time
                busy_until[client] = max(busy_until.get(client, 0), at) + restore_seconds(records, speed)
                restored = max(restored, busy_until[client])
    return laps, restored


def own_seconds(times: Times) -> int:
    """What the steps themselves take at the most: without what is waited for between rebalances, and without restores."""
    next_to_it = (PhaseKind.PROBING, PhaseKind.FURTHER, PhaseKind.RESTORE)
    return sum(one.seconds.high for one in times.phases if one.kind not in next_to_it)


def in_order(low: int, usual: int, high: int) -> Estimate:
    """In order, whatever rounding and phases that overlap make of a part."""
    return Estimate(min(low, usual), usual, max(high, usual))


def _walked(course: TimedCourse, pace: _Pace) -> _Walk:
    """Act after act, rebalance after rebalance. What a rebalance hands out is restored from its end on."""
    walk, number = _Walk(), 0
    waits = any(one.restoring_longest for _, rounds in course.acts for one in rounds)
    for index, (act, rounds) in enumerate(course.acts):
        follows = pace.rolled_s is not None and index > 0 and _follows(course.acts[index - 1], (act, rounds))
        if follows and pace.rolled_s is not None:
            walk.roll(pace.rolled_s, number + 1)
        else:
            walk.rolled = 0
            if index:
                walk.lap(PhaseKind.BETWEEN_STEPS, pace.between_s)
            _begin(walk, act, pace, number + 1 if rounds else None)
        first = _first_follow_up(rounds)
        followed = _FollowUps(pace.times_as_long(rounds[first:]), pace.whole)
        for place, (before, one) in enumerate(zip((None, *rounds), rounds, strict=False)):
            number += 1
            interval = one.at_seconds - before.at_seconds if before is not None and one.trigger == "probing" else 0
            if before is not None and one.trigger == "change":
                walk.lap(PhaseKind.START_UP, pace.start_up_s, number)  # a client that comes back late
            learnt = place >= first and followed.times is not None
            if interval > 0:
                missing = walk.restored - walk.at if waits and not learnt else 0
                probes = max(1, -(-missing // interval))
                walk.lap(PhaseKind.PROBING, followed.lap(interval) if learnt else interval * probes, number)
                walk.waited += probes - 1
            join_s = followed.lap(JOIN_S.usual) if learnt else 0 if follows and not place else pace.join_s
            walk.lap(PhaseKind.REBALANCE, join_s, number)
            for client, records in one.restoring or ((None, one.restoring_longest),):
                begun = max(walk.busy_until.get(client, 0), walk.at)
                walk.busy_until[client] = begun + restore_seconds(records, pace.records_per_second)
    return walk


@dataclass(slots=True)
class _FollowUps:
    """Follow-up rebalances that take `times` as long as they usually do. In whole seconds, without adding up what is rounded."""

    times: float | None
    whole: Callable[[float], int]
    usual_s: int = 0
    passed_s: int = 0

    def lap(self, usual_s: int) -> int:
        assert self.times is not None, "known where it is asked for"
        self.usual_s += usual_s
        before, self.passed_s = self.passed_s, self.whole(self.usual_s * self.times)
        return self.passed_s - before


def _follows(before: tuple[TimedBatch, Sequence[Round]], now: tuple[TimedBatch, Sequence[Round]]) -> bool:
    """Whether both are restarts, and nothing came after the first but the second: as such times are learnt."""
    return all(_is_restart(act) and act.rebalances == len(rounds) == 1 for act, rounds in (before, now))


def _is_restart(act: TimedBatch) -> bool:
    return 0 < act.starts == act.restarts and not (act.unseen or act.stopped_s or act.refresh_s)


def _begin(walk: _Walk, act: TimedBatch, pace: _Pace, leads_to: int | None) -> None:
    """What passes from the act itself to the rebalance that it causes: whatever takes longest of what passes at the same time."""
    start_up = pace.start_up_s if act.starts else 0
    noticed = max(0, act.noticed_s + pace.notice_s) if act.noticed_s else 0
    if act.stopped_s:
        walk.lap(PhaseKind.STOPPED, act.stopped_s, leads_to)
        noticed = max(0, noticed - act.stopped_s)
        start_up += pace.empty_s
    if act.refresh_s:
        walk.lap(PhaseKind.REFRESH, int(act.refresh_s * pace.refresh_share), leads_to)
    if pace.restart_s is not None and _is_restart(act):
        walk.lap(PhaseKind.RESTART, pace.restart_s, leads_to)
        return
    walk.lap(PhaseKind.SESSION_TIMEOUT, noticed, leads_to)
    walk.lap(PhaseKind.START_UP, max(0, start_up - noticed), leads_to)


def _spare(course: TimedCourse, walk: _Walk) -> int:
    """Take out of the quickest walk the probing rebalances that do not come where follow-ups find warm-ups caught up."""
    left = course.spared_s
    for index in reversed(range(len(walk.laps))):
        lap = walk.laps[index]
        if lap.kind is PhaseKind.PROBING and left:
            walk.laps[index] = _Lap(lap.kind, max(0, lap.seconds - left), lap.rebalance)
            left = max(0, left - lap.seconds)
    return course.spared_s - left
