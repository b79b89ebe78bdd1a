"""How long an option for a group whose broker assigns takes: its targets, the starts of clients and what passes between steps."""

import math
from collections.abc import Iterator
from typing import Protocol

from holdfast.rollout.backtest.learnt import SHORTEST_S, Span
from holdfast.rollout.contract.times import Estimate, Phase, PhaseKind
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.timing.timeline import in_order


class Paced(Protocol):
    """`start_ups`: how many times, one after the other, clients are waited for that start, outside of assignment intervals;
    `restarts`: in how many of them all have left before. `batches`: of events that take effect together.

    `interval_ms`: the shortest assignment interval that a client has to be back in; None: no client has to be. `heartbeat_ms`: the
    heartbeat interval. `held_back`: how long what waits for a client to start waits in addition; None: not at all.
    """

    @property
    def start_ups(self) -> int: ...
    @property
    def restarts(self) -> int: ...
    @property
    def batches(self) -> int: ...
    @property
    def interval_ms(self) -> int | None: ...
    @property
    def heartbeat_ms(self) -> int: ...
    @property
    def held_back(self) -> Seconds | None: ...


class HandedOver(Protocol):
    """How long tasks (partitions) have no owner, all of them together, and the longest of them, without those that wait for a
    client to start: `waiting` is how many do."""

    @property
    def unowned(self) -> Seconds: ...
    @property
    def longest(self) -> Seconds: ...
    @property
    def waiting(self) -> int: ...


def phases(found: Paced, to_stable: Seconds, policy: Policy) -> Iterator[Phase]:
    """What passes until the last target is reached. A roll goes by how long such ones, or parts of them, took before, where that is
    known: in it are the targets of all restarts but one, and what passes between two steps."""
    targets = _until_stable(to_stable, policy)
    known, count, restarts = policy.learnt, found.start_ups, found.restarts
    restart = policy.start_up if known.restart is None else _whole(known.restart)
    if known.restarts_apart is not None and count == restarts == found.batches > 1:
        last = Estimate(targets.low // count, round(targets.usual / count), -(-targets.high // count))
        yield Phase(PhaseKind.REBALANCE, last)
        yield Phase(PhaseKind.START_UP, restart)
        yield Phase(PhaseKind.NEXT_RESTART, _less(_whole(known.roll(count - 1)), _whole(known.roll(0))))
        return
    yield Phase(PhaseKind.REBALANCE, targets)
    yield Phase(PhaseKind.START_UP, _times(restarts, restart) + _times(count - restarts, policy.start_up))
    yield Phase(PhaseKind.BETWEEN_STEPS, _times(max(0, found.batches - 1), policy.between_steps))


def estimate(span: Seconds) -> Estimate:
    return in_order(math.floor(span.least), round(span.usual), math.ceil(span.most))


def _until_stable(found: Seconds, policy: Policy) -> Estimate:
    """After the last event of each batch, in all: as forecast, or as many times as long as such courses took."""
    took = policy.learnt.took
    if took is not None:
        counted = max(found.usual, SHORTEST_S)
        found = Seconds(*(counted * times for times in (took.low, took.usual, took.high)))
    return estimate(found)


def _whole(span: Span) -> Estimate:
    return in_order(math.floor(span.low), round(span.usual), math.ceil(span.high))


def _less(whole: Estimate, first: Estimate) -> Estimate:
    low, usual, high = whole.low - first.low, whole.usual - first.usual, whole.high - first.high
    return in_order(max(0, low), max(0, usual), max(0, high))


def _times(count: int, one: Estimate) -> Estimate:
    return Estimate(count * one.low, count * one.usual, count * one.high)


# Without an owner.


def waits_to_start(found: Paced, policy: Policy) -> Seconds:
    """How long a task (partition) has no owner that waits for a client to start: it starts, or the assignment interval is over, and
    a heartbeat hands the task to it. Where all clients stop: what passes before they may start, and until their first target."""
    interval, beat = (found.interval_ms or 0) / 1000, found.heartbeat_ms / 1000
    start, held = policy.start_up, found.held_back or Seconds(0, 0, 0)
    spans = Seconds(start.low, max(start.usual, interval) + beat / 2, max(start.high, interval) + beat)
    return Seconds(*(one + other for one, other in zip(spans, held, strict=True)))


def unowned(found: Paced, handed: HandedOver | None, policy: Policy) -> tuple[Seconds, Seconds]:
    """Task-seconds (partition-seconds) without an owner in all, and the longest of one."""
    if handed is None:
        return Seconds(0, 0, 0), Seconds(0, 0, 0)
    wait, count = waits_to_start(found, policy), handed.waiting
    together = Seconds(*(one + count * other for one, other in zip(handed.unowned, wait, strict=True)))
    longest = max(handed.longest, wait, key=lambda one: one.most) if handed.waiting else handed.longest
    return together, longest
