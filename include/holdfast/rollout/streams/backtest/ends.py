"""End offsets of a moment that is gone: which of them would give different decisions, and the search among those.

A decision depends on the end-offset sum of a task only through which clients are caught up: E - report <= acceptable.recovery.lag.
So all sums between two thresholds are alike, and there are as many of them to try as there are different reports, plus one. (A
client's threads also compare the lags of *different* tasks: `threads`.)
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdfast.kafka.streams.group import Group
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.backtest.question import PastTask

MOST_COMBINATIONS = 64
"""Of sums that would give different decisions: up to here all are tried."""
MOST_REPAIRS = 24
"""Beyond that: how many are tried that the differences suggest."""

Ends = dict[TaskId, int]


@dataclass(frozen=True, slots=True)
class Found:
    """`fitting`: sums that give the recorded decision; None: none of those tried. `others`: whether some give another one.
    `exhaustive`: all were tried."""

    fitting: Ends | None
    others: bool
    exhaustive: bool


def reports(group: Group) -> dict[TaskId, list[int]]:
    """The sums that clients report of each task, but for running ones."""
    found: dict[TaskId, list[int]] = {}
    for client in group.clients:
        for consumer in client.consumers:
            for task, total in consumer.task_offset_sums:
                if total >= 0:
                    found.setdefault(task, []).append(total)
    return found


def classes(task: PastTask, reported: Sequence[int], acceptable_lag: int) -> tuple[int, ...]:
    """One end-offset sum of each range whose sums decide alike, lowest first."""
    low = max((task.low, *reported))
    high = task.high if task.high is None or task.high >= low else None
    found = [low]
    thresholds = sorted({total + acceptable_lag for total in (0, *reported)})
    found += [threshold + 1 for threshold in thresholds if threshold >= low and (high is None or threshold < high)]
    return tuple(found)


def search(
    choices: Mapping[TaskId, tuple[int, ...]], decides: Callable[[Ends], tuple[TaskId, ...] | None], equal: Callable[[], bool]
) -> Found:
    """Try the sums. `decides` returns the tasks that differ with some sums; `equal`: the last decision was the recorded one."""
    if math.prod(map(len, choices.values())) <= MOST_COMBINATIONS:
        return _all(choices, decides, equal)
    return _suggested(choices, decides, equal)


def _all(
    choices: Mapping[TaskId, tuple[int, ...]], decides: Callable[[Ends], tuple[TaskId, ...] | None], equal: Callable[[], bool]
) -> Found:
    fitting: Ends | None = None
    others = False
    for combination in itertools.product(*choices.values()):
        ends = dict(zip(choices, combination, strict=True))
        decides(ends)
        if equal():
            fitting = fitting or ends
        else:
            others = True
        if fitting is not None and others:
            break
    return Found(fitting, others, exhaustive=True)


def _suggested(
    choices: Mapping[TaskId, tuple[int, ...]], decides: Callable[[Ends], tuple[TaskId, ...] | None], equal: Callable[[], bool]
) -> Found:
    """All lowest, all highest, and from the better of the two one task that differs at a time."""
    fitting: Ends | None = None
    others = False
    best: tuple[int, Ends, tuple[TaskId, ...]] | None = None
    for end in (0, -1):
        ends = {task: sums[end] for task, sums in choices.items()}
        differ = decides(ends) or ()
        if equal():
            fitting = fitting or ends
        else:
            others = True
            if best is None or len(differ) < best[0]:
                best = len(differ), ends, differ
    tries = MOST_REPAIRS
    while fitting is None and best is not None and tries > 0:
        better = None
        for ends in itertools.islice(_neighbours(best[1], best[2], choices), tries):
            tries -= 1
            differ = decides(ends) or ()
            if equal():
                fitting = ends
                break
            if len(differ) < best[0] and (better is None or len(differ) < better[0]):
                better = len(differ), ends, differ
        if better is None:
            break
        best = better
    return Found(fitting, others, exhaustive=False)


def _neighbours(ends: Ends, differ: Sequence[TaskId], choices: Mapping[TaskId, tuple[int, ...]]) -> Iterator[Ends]:
    several = [task for task in differ if len(choices.get(task, ())) > 1]
    for task in several:
        for total in choices[task]:
            if total != ends[task]:
                yield {**ends, task: total}
