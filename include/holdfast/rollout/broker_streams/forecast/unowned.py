"""How long a task has no owner that a target gives to another member, before it restores anything. Seconds.

A coordinator hands a task over with heartbeats, whose phases are unknown: the old owner revokes it and says so at once, and the
new one gets it with its next heartbeat (`CurrentAssignmentBuilder`). A member that left gives its tasks up by leaving; one that
ended without leaving keeps them until its session is over, and that began with its last heartbeat.
"""

from collections.abc import Mapping
from typing import NamedTuple

from holdfast.kafka.coordinator.config_keys import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, SESSION_TIMEOUT, number_of
from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams.group import Task, each_task
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget, Seconds, TargetTrigger


class _Spans(NamedTuple):
    """From a live member to another one; from one that left; from one that ended without leaving."""

    live: Seconds
    left: Seconds
    ended: Seconds


def unowned(ground: Ground, targets: tuple[ComputedTarget, ...]) -> tuple[tuple[Task, Seconds | None], ...]:
    """For each task that is handed over, all its hand-overs together. None: unknown, because it waits for a client to start.

    The settings are those of the Snapshot.
    """
    spans = _spans(ground)
    runs = {
        task: one.member_id
        for one in ground.snapshot.members
        if (there := one.assignment or one.target) is not None
        for task in each_task(there.active)
    }
    present = {one.member_id for one in ground.snapshot.members}
    found: dict[Task, Seconds | None] = {}
    for target in targets:
        members = dict(target.processes)
        joined = members.keys() - present
        for given in target.assignment.members:
            for task in each_task(given.active):
                was = runs.get(task)
                if was == given.member_id or was in target.ended:
                    continue  # a member that ended keeps it until its session is over
                runs[task] = given.member_id
                if was is not None:
                    span = _span(target.trigger, spans, still_there=was in members, joined=bool(joined))
                    found[task] = _sum(found.get(task, Seconds(0, 0, 0)), span)
        present = set(members)
    return tuple(sorted(found.items(), key=lambda each: each[0].rank))


def _span(trigger: TargetTrigger, spans: _Spans, *, still_there: bool, joined: bool) -> Seconds | None:
    if still_there:
        return spans.live
    if trigger is TargetTrigger.SESSION_OVER:
        return spans.ended
    return None if joined else spans.left


def _sum(one: Seconds | None, other: Seconds | None) -> Seconds | None:
    if one is None or other is None:
        return None
    return Seconds(one.least + other.least, one.usual + other.usual, one.most + other.most)


def _spans(ground: Ground) -> _Spans:
    config: Mapping[str, object] = dict(ground.snapshot.config)
    heartbeat = number_of(config, HEARTBEAT_INTERVAL) / 1000
    session = number_of(config, SESSION_TIMEOUT) / 1000
    interval = number_of(config, ASSIGNMENT_INTERVAL) / 1000 if behaviour(ground.group.release).has_interval else 0
    return _Spans(
        live=Seconds(0, heartbeat / 2, heartbeat),
        left=Seconds(0, heartbeat / 2, heartbeat + interval),
        ended=Seconds(max(0, session - heartbeat), session, session + heartbeat + interval),
    )
