"""Forecast against what happened, in tables that a person can read when they differ."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tests.live import observe
from tests.live.experiment import Step

from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Task
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout import groups, replay
from holdfast.rollout.snapshot import Generation, Snapshot

Placement = dict[tuple[TaskId, str], str]
"""(task, "active" or "standby") to the process IDs that have it."""


def leaders_disagreements(generations: Iterable[Generation], snapshot: Snapshot, tasks: tuple[Task, ...]) -> list[tuple[str, ...]]:
    """Where our decision on what was reported is not what the leader decided: generation, member, what, ours, leader's."""
    group = groups.group_of(snapshot)
    rows: list[tuple[str, ...]] = []
    for generation in generations:
        reported = replay.reported_group(generation, tasks, group.release, group.config)
        ours = replay.our_decision(leader.assign(reported))
        found = replay.differences(ours, replay.leaders_decision(generation))
        rows.extend((str(generation.number), one.member_id, one.what, one.ours, one.leaders) for one in found)
    return rows


def before_any_record(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """The same tasks when their changelogs had just been made."""
    return tuple(
        replace(task, changelogs=tuple(replace(changelog, end_offset=0) for changelog in task.changelogs or ())) for task in tasks
    )


def forecast_end(step: Step) -> Placement:
    """Who has what when the forecast's only outcome has settled."""
    (outcome,) = step.forecast.outcomes
    decision = outcome.rounds[-1].decision
    assert outcome.stable, outcome.notes
    assert isinstance(decision, Assignment), decision
    process_ids = {consumer.member_id: str(client.process_id) for client in outcome.clients for consumer in client.consumers}
    return _placement((process_ids[one.member_id], one.active, one.standby) for one in decision.consumers)


def real_end(generation: Generation) -> Placement:
    """Who has what after a generation."""
    process_ids = {member.member_id: str(observe.process_id(member)) for member in generation.members}
    decision = replay.leaders_decision(generation)
    return _placement((process_ids[one.member_id], one.active, one.standby) for one in decision.members)


def end_differences(step: Step) -> list[tuple[str, ...]]:
    """Tasks that did not end where the forecast said: task, what, forecast, happened."""
    forecast, happened = forecast_end(step), real_end(step.generations[-1])
    return [
        (str(task), what, forecast.get((task, what), "nobody"), happened.get((task, what), "nobody"))
        for task, what in sorted({**forecast, **happened})
        if forecast.get((task, what)) != happened.get((task, what))
    ]


def active(placement: Placement) -> Mapping[TaskId, str]:
    """Who runs each task."""
    return {task: process_id for (task, what), process_id in placement.items() if what == "active"}


def table(title: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """The rows under their columns, for a failure's message."""
    widths = [max(len(row[index]) for row in (columns, *rows)) for index in range(len(columns))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (columns, *rows))
    return "\n".join([title, *lines])


def _placement(handed: Iterable[tuple[str, tuple[TaskId, ...], tuple[TaskId, ...]]]) -> Placement:
    found: dict[tuple[TaskId, str], list[str]] = {}
    for process_id, running, standby in handed:
        for task in running:
            found.setdefault((task, "active"), []).append(process_id)
        for task in standby:
            found.setdefault((task, "standby"), []).append(process_id)
    return {key: " ".join(sorted(process_ids)) for key, process_ids in found.items()}
