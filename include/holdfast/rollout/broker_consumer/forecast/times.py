"""When the targets of a change are computed, when the group is stable, and how long partitions have no owner (`coordinated`)."""

from collections.abc import Mapping

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, SESSION_TIMEOUT, number_of
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast.contested import Contested
from holdfast.rollout.broker_consumer.forecast.course import CarriedOut, Ground
from holdfast.rollout.broker_consumer.forecast.summary import owners_now
from holdfast.rollout.broker_consumer.target.target import each_partition
from holdfast.rollout.coordinated import clock, unowned_time
from holdfast.rollout.coordinated.clock import Pace, Times
from holdfast.rollout.coordinated.spans import Seconds, plus
from holdfast.rollout.coordinated.unowned_time import Given, Rebalanced


def times(ground: Ground, change: GroupChange, done: CarriedOut) -> Times[TopicPartition]:
    """Without the rebalances of the group while it is classic."""
    acts = clock.acts(change.numbered_batches())
    return clock.times(_pace(ground), Contested(_runs_first(ground, done)), acts, done.targets, done.returns)


def _runs_first(ground: Ground, done: CarriedOut) -> Mapping[TopicPartition, str]:
    """Who reads what when the first target is computed."""
    before = [one.owners for one in done.rebalances if not one.targets]
    return before[-1] if before else owners_now(ground)


def of_a_rebalance(settings: ConsumerConfig) -> Seconds:
    """How long one of a classic group lasts: members hear of it with their next heartbeat, and join with their next poll."""
    return Seconds(0, settings.heartbeat_interval_ms / 1000, settings.max_poll_interval_ms / 1000)


def stable_after(found: Times[TopicPartition], lasts: Seconds, rebalances: int) -> Seconds:
    """With those rebalances."""
    return plus(found.stable, Seconds(*(rebalances * one for one in lasts)))


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
    ground: Ground, change: GroupChange, done: CarriedOut, found: Times[TopicPartition], lasts: Seconds
) -> dict[TopicPartition, Seconds | None]:
    """For each partition that is handed over, all its hand-overs together. None: it waits for a consumer to start. `lasts`: of a
    rebalance."""
    return unowned_time.unowned(
        owners_now(ground),
        [one.member_id for one in ground.snapshot.members],
        [batch.wait for batch in change.numbered_batches()],
        [Given(one, tuple((member, each_partition(owned)) for member, owned in one.owned)) for one in done.targets],
        found,
        done.returns,
        [Rebalanced(one.targets, one.owned, one.stopped, lasts) for one in done.rebalances],
    )
