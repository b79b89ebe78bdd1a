"""Forecast against what happened, in tables that a person can read when they differ."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tests.live import observe
from tests.live.experiment import Step

from holdfast.kafka.streams import leader
from holdfast.kafka.streams.group import Assignment, Client, Task
from holdfast.kafka.vocabulary import TaskId
from holdfast.rollout.streams.forecast.outcomes import Outcome
from holdfast.rollout.streams.scene import reports
from holdfast.rollout.streams.snapshot import groups, replay
from holdfast.rollout.streams.snapshot.snapshot import Generation, Snapshot

Placement = dict[tuple[TaskId, str], str]
"""(task, "active" or "standby") to the process IDs that have it."""


def leaders_disagreements(generations: Iterable[Generation], snapshot: Snapshot, tasks: tuple[Task, ...]) -> list[tuple[str, ...]]:
    """Where Holdfast's decision on the reports is not the leader's: generation, member, what, Holdfast's, leader's."""
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
        replace(task, changelogs=tuple(changelog._replace(end_offset=0) for changelog in task.changelogs or ())) for task in tasks
    )


def forecast_end(step: Step) -> Placement:
    """Who has what when the forecast's only outcome has settled."""
    (outcome,) = step.forecast.outcomes
    return outcome_end(outcome)


def outcome_end(outcome: Outcome) -> Placement:
    """Who has what when this outcome has settled."""
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
    """Tasks that did not end where forecast: task, what, forecast, happened."""
    forecast, happened = forecast_end(step), real_end(step.generations[-1])
    return [
        (str(task), what, forecast.get((task, what), "nobody"), happened.get((task, what), "nobody"))
        for task, what in sorted({**forecast, **happened})
        if forecast.get((task, what)) != happened.get((task, what))
    ]


def active(placement: Placement) -> Mapping[TaskId, str]:
    """Who runs each task."""
    return {task: process_id for (task, what), process_id in placement.items() if what == "active"}


def report_differences(step: Step) -> list[tuple[str, ...]]:
    """Where a client that stayed did not report what the snapshot before the change inferred: client, what, inferred, reported.

    A copy that a client does not run is reported by whichever of its threads locks it first, so that sums are compared by client.
    """
    group = groups.group_of(step.before)
    reported = replay.reported_group(step.generations[0], group.tasks, group.release, group.config)
    rows: list[tuple[str, ...]] = []
    for client in step.before.clients:
        now = next((one for one in reported.clients if one.process_id == client.process_id), None)
        if now is None or _members(now) != _members(client):
            continue  # it left, or came back as another process on another disk
        for what, say in (("owned", _owned), ("offset sums", _sums)):
            if say(client) != say(now):
                rows.append((str(client.process_id), what, say(client), say(now)))
    return rows


def table(title: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """The rows under their columns, for a failure's message."""
    widths = [max(len(row[index]) for row in (columns, *rows)) for index in range(len(columns))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (columns, *rows))
    return "\n".join([title, *lines])


def _members(client: Client) -> list[str]:
    return sorted(consumer.member_id for consumer in client.consumers)


def _owned(client: Client) -> str:
    """Each consumer's partitions."""
    consumers = sorted(client.consumers, key=lambda consumer: consumer.member_id)
    return "; ".join(" ".join(map(str, sorted(consumer.owned))) for consumer in consumers)


def _sums(client: Client) -> str:
    """All of the client's tasks."""
    return " ".join(f"{task}={total}" for task, total in sorted(reports.reported(client).items()))


def _placement(handed: Iterable[tuple[str, tuple[TaskId, ...], tuple[TaskId, ...]]]) -> Placement:
    found: dict[tuple[TaskId, str], list[str]] = {}
    for process_id, running, standby in handed:
        for task in running:
            found.setdefault((task, "active"), []).append(process_id)
        for task in standby:
            found.setdefault((task, "standby"), []).append(process_id)
    return {key: " ".join(sorted(process_ids)) for key, process_ids in found.items()}
