"""How long something has no owner that a target gives to another member, before it restores anything. Seconds.

A coordinator hands a task or a partition over with heartbeats, whose phases are unknown: the old owner revokes it and says so at
once, and the new one gets it with its next heartbeat (`CurrentAssignmentBuilder`). A member that left gives up what it has by
leaving; one that ended without leaving keeps it until its session is over, and that began with its last heartbeat.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.coordinated.clock import Moment, Times
from holdfast.rollout.coordinated.spans import Seconds, plus, rounded
from holdfast.rollout.coordinated.targets import Return, TargetTrigger, Timed

I = TypeVar("I", bound=Hashable)  # noqa: E741 - as in `clock`


@dataclass(frozen=True, slots=True)
class Given(Generic[I]):
    """What a target gives to each of its members, the members that ended included."""

    target: Timed
    members: tuple[tuple[str, tuple[I, ...]], ...]


class Rebalanced(NamedTuple, Generic[I]):
    """A rebalance of a group whose leader assigns, after that number of targets: what it gives to each member, what no member has
    while it lasts, and how long that is."""

    targets: int
    members: tuple[tuple[str, tuple[I, ...]], ...]
    stopped: tuple[I, ...]
    lasts: Seconds


def unowned(
    runs: Mapping[I, str],
    present: Iterable[str],
    waits: Sequence[Wait | None],
    targets: Sequence[Given[I]],
    times: Times[I],
    returns: Sequence[Return] = (),
    rebalances: Sequence[Rebalanced[I]] = (),
) -> dict[I, Seconds | None]:
    """For each of what is handed over, all its hand-overs together. None: unknown, because it waits for a client to start.

    `runs`: who runs what before the change; `present`: its members; `waits`: for what each batch waits.
    """
    books = _Books(runs, present, waits)
    for number, (given, moment) in enumerate(zip(targets, times.moments, strict=True)):
        books.returned([one for one in returns if one.targets == number])
        books.rebalanced([one for one in rebalances if one.targets == number])
        books.target(given, moment)
    books.returned([one for one in returns if one.targets == len(targets)])
    books.rebalanced([one for one in rebalances if one.targets == len(targets)])
    return {one: span and rounded(span) for one, span in books.found.items()}


class _HandOver(NamedTuple, Generic[I]):
    batch: int
    by: str
    item: I
    to: str


class _Books(Generic[I]):
    """Who runs what, target by target. `found`: of each item so far."""

    def __init__(self, runs: Mapping[I, str], present: Iterable[str], waits: Sequence[Wait | None]) -> None:
        self.found: dict[I, Seconds | None] = {}
        self._waits = waits
        self._runs = dict(runs)
        self._present = set(present)
        self._lost: dict[I, Seconds | None] = {}  # since when no member has them, until a session is over
        self._perhaps: set[I] = set()  # those of which it is unknown
        self._done: list[_HandOver[I]] = []

    def returned(self, returns: list[Return]) -> None:
        """Static members: their tasks have waited for their client to start."""
        for one in returns:
            for item in [item for item, runs in self._runs.items() if runs == one.old]:
                self._runs[item] = one.member_id
                self._add(item, None)
            self._present = self._present - {one.old} | {one.member_id}

    def rebalanced(self, rebalances: list[Rebalanced[I]]) -> None:
        for one in rebalances:
            for item in one.stopped:
                self._add(item, one.lasts)
            self._runs |= {item: member for member, items in one.members for item in items}
            self._present = {member for member, _ in one.members}

    def target(self, given: Given[I], moment: Moment[I]) -> None:
        target, members = given.target, dict(given.members)
        fenced = target.trigger is TargetTrigger.SESSION_OVER
        since = self._not_stable_since(target.occasion.died if fenced else target.batch)
        hardly = {(one.item, one.to) for one in self._done if one.batch >= since}  # these may not have them yet
        if fenced:
            self._keepers(target, moment, since, self._present - members.keys())
        joined = bool(members.keys() - self._present)
        for member, items in given.members:
            ended = member in target.ended
            for item in items:
                was = self._runs.setdefault(item, member)
                if item not in self._lost and (was == member or was in target.ended):
                    continue  # a member that ended keeps it until its session is over
                if ended or item in moment.waiting.for_sessions:
                    if item not in self._lost:
                        self._lost[item] = _since(moment, still_there=was in members, joined=joined)
                        if not ended and since < target.batch:  # who ended may have given its copy up before
                            self._perhaps.add(item)
                    continue
                if item in self._lost:
                    span = self._no_longer_lost(item, moment)
                else:
                    span = _span(target, moment, item, still_there=was in members, joined=joined)
                    if span is not None and (item, was) in hardly:
                        span = span._replace(least=0)  # who had it before still runs it
                    self._done.append(_HandOver(target.batch, was, item, member))
                self._runs[item] = member
                self._add(item, span)
        self._present = set(members)

    def _no_longer_lost(self, item: I, moment: Moment[I]) -> Seconds | None:
        span = _between(self._lost.pop(item), moment)
        return span._replace(least=0) if span is not None and item in self._perhaps else span

    def _keepers(self, target: Timed, moment: Moment[I], since: int, over: AbstractSet[str]) -> None:
        """A member that ended before it learned of a target keeps what it was to give up until its session is over."""
        longer = Seconds(0, 0, moment.sessions.most + moment.waits.most + moment.heartbeat.most)
        for one in self._done:
            if since <= one.batch <= target.occasion.died and one.by in over:
                self._add(one.item, longer)

    def _add(self, item: I, span: Seconds | None) -> None:
        before = self.found.get(item, Seconds(0, 0, 0))
        self.found[item] = None if before is None or span is None else plus(before, span)

    def _not_stable_since(self, batch: int) -> int:
        """The first batch whose targets may still be unknown to members when that one begins."""
        while batch > 0 and self._waits[batch - 1] is Wait.REBALANCE:
            batch -= 1
        return batch


def _span(target: Timed, moment: Moment[I], item: I, *, still_there: bool, joined: bool) -> Seconds | None:
    beat = moment.heartbeat
    more = item in moment.waiting.for_copies  # the copy is given up first: one heartbeat more
    taken = Seconds(0, beat.usual * (1.5 if more else 0.5), beat.most * (2 if more else 1))
    if still_there:
        return taken
    if target.trigger is TargetTrigger.SESSION_OVER:
        most = moment.sessions.most + moment.waits.most + taken.most
        return Seconds(moment.sessions.least, moment.sessions.usual, most)
    return None if joined else plus(moment.waits, taken)


def _since(moment: Moment[I], *, still_there: bool, joined: bool) -> Seconds | None:
    """Since when a item is lost that goes to a member that ended, or whose process has a copy in one that ended."""
    if still_there:
        return plus(moment.ready, Seconds(0, moment.heartbeat.usual / 2, moment.heartbeat.most))
    return None if joined else moment.began


def _between(since: Seconds | None, moment: Moment[I]) -> Seconds | None:
    if since is None:
        return None
    usual = moment.ready.usual + moment.heartbeat.usual / 2 - since.usual
    return Seconds(max(0.0, moment.ready.least - since.most), max(0.0, usual), moment.stable.most - since.least)
