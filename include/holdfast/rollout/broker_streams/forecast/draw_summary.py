"""What many draws of random IDs say together: what each of them gives to the same clients, and how likely the rest is."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.kafka.coordinator.streams.group import Task, each_task
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome, ComputedTarget, Draws
from holdfast.rollout.broker_streams.forecast.restores import longest
from holdfast.rollout.coordinated.chance import CONFIDENCE, Spread, missed_at_most
from holdfast.rollout.coordinated.spans import Seconds

Places = dict[Task, tuple[str, tuple[str, ...]]]
"""The process of each active task, and those of its standbys."""


def together(outcomes: Sequence[BrokerOutcome], names: Sequence[Mapping[str, str]], example: int) -> BrokerOutcome:
    """The example, with what the others say of its targets. `names`: for each draw the IDs of the example in the places of its own.

    A task is undetermined where not every draw gives it, and its standbys, to the same clients.
    """
    found = outcomes[example]
    targets = []
    for number, target in enumerate(found.targets):
        drawn = [_places(one.targets[number], own) for one, own in zip(outcomes, names, strict=True)]
        tasks = sorted({task for places in drawn for task in places}, key=lambda task: task.rank)
        open_ = tuple(task for task in tasks if len({places.get(task) for places in drawn}) > 1)
        assignment = replace(target.assignment, undetermined_tasks=open_)
        targets.append(replace(target, assignment=assignment, after_undetermined=(), likely=_likely(open_, drawn)))
    summaries = [one.summary for one in outcomes]
    draws = Draws(
        count=len(outcomes),
        confidence=CONFIDENCE,
        missed_at_most=round(missed_at_most(len(outcomes)), 4),
        active_moved=_range([one.active_moved for one in summaries]),
        moves=_range([one.moves for one in summaries]),
        cold_moves=_range([one.cold_moves for one in summaries]),
        restored_records=_range_or_none([one.restored_records for one in summaries]),
    )
    summary = replace(
        found.summary, seconds_to_stable=_widest([one.seconds_to_stable for one in summaries if one.seconds_to_stable is not None])
    )
    most = max((one.restores for one in outcomes if one.restores is not None), key=longest, default=None)
    return replace(found, targets=tuple(targets), summary=summary, draws=draws, unowned=_unowned(outcomes), restores_most=most)


def usual(outcomes: Sequence[BrokerOutcome]) -> int:
    """The number of the draw in the middle."""
    order = sorted(range(len(outcomes)), key=lambda number: (outcomes[number].summary.moves, outcomes[number].summary.active_moved))
    return order[len(order) // 2]


def _range(values: list[int]) -> Spread:
    values.sort()
    return Spread(values[0], values[len(values) // 2], values[-1])


def _range_or_none(values: list[int | None]) -> Spread | None:
    """None: unknown in one of the draws."""
    known = [one for one in values if one is not None]
    return _range(known) if len(known) == len(values) else None


def _widest(spans: list[Seconds]) -> Seconds:
    usual = sorted(one.usual for one in spans)
    return Seconds(min(one.least for one in spans), usual[len(usual) // 2], max(one.most for one in spans))


def _unowned(outcomes: Sequence[BrokerOutcome]) -> tuple[tuple[Task, Seconds | None], ...]:
    """Of the tasks that any draw hands over. Where some draws do not, it may be no time at all."""
    drawn = [dict(one.unowned) for one in outcomes]
    found: list[tuple[Task, Seconds | None]] = []
    for task in sorted({task for one in drawn for task in one}, key=lambda task: task.rank):
        spans = [one.get(task, Seconds(0, 0, 0)) for one in drawn]
        known = [one for one in spans if one is not None]
        found.append((task, _widest(known) if len(known) == len(spans) else None))
    return tuple(found)


def _places(target: ComputedTarget, names: Mapping[str, str]) -> Places:
    processes = {member: names.get(process, process) for member, process in target.processes}
    active: dict[Task, str] = {}
    standby: dict[Task, list[str]] = {}
    for given in target.assignment.members:
        process = processes[given.member_id]
        active |= dict.fromkeys(each_task(given.active), process)
        for task in each_task(given.standby):
            standby.setdefault(task, []).append(process)
    if not standby:
        return {task: (process, ()) for task, process in active.items()}
    return {task: (process, tuple(sorted(standby.get(task, ())))) for task, process in active.items()}


def _likely(tasks: tuple[Task, ...], drawn: list[Places]) -> tuple[tuple[Task, tuple[tuple[str, float], ...]], ...]:
    """The clients that run each of these tasks, the likeliest first, with their shares of the draws."""
    found = []
    for task in tasks:
        counts = Counter(places[task][0] for places in drawn if task in places)
        found.append((task, tuple((process, round(count / len(drawn), 4)) for process, count in counts.most_common())))
    return tuple(found)
