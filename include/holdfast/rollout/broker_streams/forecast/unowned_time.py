"""How long a task has no owner that a target gives to another member, before it restores anything. Seconds.

A coordinator hands a task over with heartbeats, whose phases are unknown: the old owner revokes it and says so at once, and the
new one gets it with its next heartbeat (`CurrentAssignmentBuilder`). A member that left gives its tasks up by leaving; one that
ended without leaving keeps them until its session is over, and that began with its last heartbeat.
"""

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from holdfast.kafka.coordinator.streams.group import Task, each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.clock import Moment, Times, plus, rounded
from holdfast.rollout.broker_streams.forecast.course import Ground, Return
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget, TargetTrigger
from holdfast.rollout.broker_streams.forecast.spans import Seconds
from holdfast.rollout.contract.batches import Wait

Unowned = tuple[tuple[Task, Seconds | None], ...]


def unowned(
    ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...], times: Times, returns: tuple[Return, ...] = ()
) -> Unowned:
    """For each task that is handed over, all its hand-overs together. None: unknown, because it waits for a client to start."""
    books = _Books(ground, change)
    for number, (target, moment) in enumerate(zip(targets, times.moments, strict=True)):
        books.returned([one for one in returns if one.targets == number])
        books.target(target, moment)
    books.returned([one for one in returns if one.targets == len(targets)])
    return tuple(sorted(((task, one and rounded(one)) for task, one in books.found.items()), key=lambda each: each[0].rank))


class _HandOver(NamedTuple):
    batch: int
    by: str
    task: Task
    to: str


class _Books:
    """Who runs what, target by target. `found`: of each task so far."""

    def __init__(self, ground: Ground, change: BrokerChange) -> None:
        self.found: dict[Task, Seconds | None] = {}
        self._waits = [batch.wait for batch in change.numbered_batches()]
        self._runs = {
            task: one.member_id
            for one in ground.snapshot.members
            if (there := one.assignment or one.target) is not None
            for task in each_task(there.active)
        }
        self._present = {one.member_id for one in ground.snapshot.members}
        self._lost: dict[Task, Seconds | None] = {}  # since when no member has them, until a session is over
        self._perhaps: set[Task] = set()  # those of which it is unknown
        self._done: list[_HandOver] = []

    def returned(self, returns: list[Return]) -> None:
        """Static members: their tasks have waited for their client to start."""
        for one in returns:
            for task in [task for task, runs in self._runs.items() if runs == one.old]:
                self._runs[task] = one.member_id
                self._add(task, None)
            self._present = self._present - {one.old} | {one.member_id}

    def target(self, target: ComputedTarget, moment: Moment) -> None:
        members = dict(target.processes)
        fenced = target.trigger is TargetTrigger.SESSION_OVER
        since = self._not_stable_since(target.occasion.died if fenced else target.batch)
        hardly = {(one.task, one.to) for one in self._done if one.batch >= since}  # these may not have them yet
        if fenced:
            self._keepers(target, moment, since, self._present - members.keys())
        joined = bool(members.keys() - self._present)
        for given in target.assignment.members:
            ended = given.member_id in target.ended
            for task in each_task(given.active):
                was = self._runs.setdefault(task, given.member_id)
                if task not in self._lost and (was == given.member_id or was in target.ended):
                    continue  # a member that ended keeps it until its session is over
                if ended or task in moment.waiting.for_sessions:
                    if task not in self._lost:
                        self._lost[task] = _since(moment, still_there=was in members, joined=joined)
                        if not ended and since < target.batch:  # who ended may have given its copy up before
                            self._perhaps.add(task)
                    continue
                if task in self._lost:
                    span = self._no_longer_lost(task, moment)
                else:
                    span = _span(target, moment, task, still_there=was in members, joined=joined)
                    if span is not None and (task, was) in hardly:
                        span = span._replace(least=0)  # who had it before still runs it
                    self._done.append(_HandOver(target.batch, was, task, given.member_id))
                self._runs[task] = given.member_id
                self._add(task, span)
        self._present = set(members)

    def _no_longer_lost(self, task: Task, moment: Moment) -> Seconds | None:
        span = _between(self._lost.pop(task), moment)
        return span._replace(least=0) if span is not None and task in self._perhaps else span

    def _keepers(self, target: ComputedTarget, moment: Moment, since: int, over: AbstractSet[str]) -> None:
        """A member that ended before it learned of a target keeps what it was to give up until its session is over."""
        longer = Seconds(0, 0, moment.sessions.most + moment.waits.most + moment.heartbeat.most)
        for one in self._done:
            if since <= one.batch <= target.occasion.died and one.by in over:
                self._add(one.task, longer)

    def _add(self, task: Task, span: Seconds | None) -> None:
        before = self.found.get(task, Seconds(0, 0, 0))
        self.found[task] = None if before is None or span is None else plus(before, span)

    def _not_stable_since(self, batch: int) -> int:
        """The first batch whose targets may still be unknown to members when that one begins."""
        while batch > 0 and self._waits[batch - 1] is Wait.REBALANCE:
            batch -= 1
        return batch


def _span(target: ComputedTarget, moment: Moment, task: Task, *, still_there: bool, joined: bool) -> Seconds | None:
    beat = moment.heartbeat
    more = task in moment.waiting.for_copies  # the copy is given up first: one heartbeat more
    taken = Seconds(0, beat.usual * (1.5 if more else 0.5), beat.most * (2 if more else 1))
    if still_there:
        return taken
    if target.trigger is TargetTrigger.SESSION_OVER:
        most = moment.sessions.most + moment.waits.most + taken.most
        return Seconds(moment.sessions.least, moment.sessions.usual, most)
    return None if joined else plus(moment.waits, taken)


def _since(moment: Moment, *, still_there: bool, joined: bool) -> Seconds | None:
    """Since when a task is lost that goes to a member that ended, or whose process has a copy in one that ended."""
    if still_there:
        return plus(moment.ready, Seconds(0, moment.heartbeat.usual / 2, moment.heartbeat.most))
    return None if joined else moment.began


def _between(since: Seconds | None, moment: Moment) -> Seconds | None:
    if since is None:
        return None
    usual = moment.ready.usual + moment.heartbeat.usual / 2 - since.usual
    return Seconds(max(0.0, moment.ready.least - since.most), max(0.0, usual), moment.stable.most - since.least)
