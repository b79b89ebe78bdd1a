"""When the targets of a change are computed, and when the group is stable: seconds since the first event, without start-ups of
clients (`coordinated.clock`)."""

from dataclasses import replace
from datetime import datetime

from holdfast.kafka.coordinator.config_keys import (
    ASSIGNMENT_INTERVAL,
    HEARTBEAT_INTERVAL,
    INITIAL_DELAY,
    SESSION_TIMEOUT,
    number_of,
)
from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams.group import Task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.forecast.contested_tasks import Contested
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.coordinated import clock
from holdfast.rollout.coordinated.clock import Pace, Times
from holdfast.rollout.coordinated.spans import AT_ONCE, Seconds
from holdfast.rollout.coordinated.targets import Return


def times(
    ground: Ground, change: BrokerChange, targets: tuple[ComputedTarget, ...], returns: tuple[Return, ...] = ()
) -> Times[Task]:
    """`returns`: of static members."""
    return clock.times(_pace(ground), Contested(ground), clock.acts(change.numbered_batches()), targets, returns)


def _pace(ground: Ground) -> Pace:
    snapshot = ground.snapshot
    pace = Pace(
        config=snapshot.config,
        number=number_of,
        heartbeat=HEARTBEAT_INTERVAL,
        session=SESSION_TIMEOUT,
        interval=ASSIGNMENT_INTERVAL if behaviour(ground.group.release).has_interval else None,
        delay=INITIAL_DELAY,
        since=AT_ONCE,
        begins=empties(snapshot),
    )
    return replace(pace, since=_since_the_last(snapshot, pace.seconds_apart(snapshot.config)))


def empties(snapshot: StreamsGroupSnapshot) -> Seconds:
    """How long after its clients have stopped a classic group is empty: they do not leave, and their sessions began with their last
    heartbeats."""
    if snapshot.classic is None:
        return AT_ONCE
    session, beat = snapshot.classic.session_timeout_ms / 1000, snapshot.classic.heartbeat_ms / 1000
    return Seconds(max(0.0, session - beat), session, session)


def _since_the_last(snapshot: StreamsGroupSnapshot, interval: float) -> Seconds:
    """How long before the change the last target was computed: usually longer than the interval."""
    if snapshot.recorded_targets and snapshot.captured_at is not None:
        last = snapshot.recorded_targets[-1]
        over = (datetime.fromisoformat(snapshot.captured_at) - datetime.fromisoformat(last.computed_at)).total_seconds()
        if last.assignment_epoch == snapshot.assignment_epoch and over > 0:
            return Seconds(over, over, float("inf"))
    return Seconds(0, max(interval, 0), float("inf"))
