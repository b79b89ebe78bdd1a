"""When the targets of a change are computed, when the group is stable, and how long partitions have no owner (`coordinated`)."""

from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, SESSION_TIMEOUT, number_of
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast.contested import Contested
from holdfast.rollout.broker_consumer.forecast.course import Ground
from holdfast.rollout.broker_consumer.forecast.outcomes import ComputedTarget
from holdfast.rollout.broker_consumer.target.target import each_partition
from holdfast.rollout.coordinated import clock, unowned_time
from holdfast.rollout.coordinated.clock import Pace, Times
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.coordinated.targets import Return
from holdfast.rollout.coordinated.unowned_time import Given


def times(
    ground: Ground, change: GroupChange, targets: tuple[ComputedTarget, ...], returns: tuple[Return, ...]
) -> Times[TopicPartition]:
    return clock.times(_pace(ground), Contested(ground), clock.acts(change.numbered_batches()), targets, returns)


def _pace(ground: Ground) -> Pace:
    config = ground.snapshot.config
    has_interval = behaviour(ground.group.release).has_interval
    apart = number_of(dict(config), ASSIGNMENT_INTERVAL) / 1000 if has_interval else 0.0
    return Pace(
        config=config,
        number=number_of,
        heartbeat=HEARTBEAT_INTERVAL,
        session=SESSION_TIMEOUT,
        interval=ASSIGNMENT_INTERVAL if has_interval else None,
        delay=None,
        since=Seconds(0, apart, float("inf")),
    )


def unowned(
    ground: Ground,
    change: GroupChange,
    targets: tuple[ComputedTarget, ...],
    found: Times[TopicPartition],
    returns: tuple[Return, ...],
) -> dict[TopicPartition, Seconds | None]:
    """For each partition that is handed over, all its hand-overs together. None: it waits for a consumer to start."""
    runs = {partition: one.member_id for one in ground.snapshot.members for partition in one.assignment or one.target or ()}
    return unowned_time.unowned(
        runs,
        [one.member_id for one in ground.snapshot.members],
        [batch.wait for batch in change.numbered_batches()],
        [Given(one, tuple((member, each_partition(owned)) for member, owned in one.owned)) for one in targets],
        found,
        returns,
    )
