"""The Forecast of a Change to a consumer group whose broker assigns: every target that its coordinator computes.

Nothing here is a guess: where evidence is missing it is CannotPredict.
"""

from dataclasses import replace

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka.consumer import config
from holdfast.kafka.consumer.config import AUTO_COMMIT, HEARTBEAT_INTERVAL, MAX_POLL_INTERVAL, OFFSET_RESET, ConsumerConfig
from holdfast.kafka.consumer.release import LINES
from holdfast.kafka.coordinator.consumer.group import MemberType
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.forecast import course, summary, times, together
from holdfast.rollout.broker_consumer.forecast.course import Ground
from holdfast.rollout.broker_consumer.forecast.outcomes import GroupForecast, GroupOutcome
from holdfast.rollout.broker_consumer.forecast.possibilities import Possibilities, possibilities
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.broker_consumer.target.group import group_of
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.offsets import positions


def forecast(snapshot: BrokerConsumerSnapshot, change: GroupChange, factor: int = 1, at_most: int | None = None) -> GroupForecast:
    """The Forecast of the contract. Raise CannotPredict, Unsupported, or InvalidInput for a change that does not fit the group.

    `factor`: by how much the usual number of possibilities is multiplied, where IDs are random; `at_most`: how many are wanted.
    """
    ground = ground_of(snapshot)
    settings = settings_of(snapshot)
    possible = possibilities(ground, change, factor, at_most)
    first = _outcome(ground, possible.each[0].change, settings)
    if not first.targets:  # then no ID decides anything
        possible = Possibilities((replace(possible.each[0], probability=1.0),), exhaustive=True)
    outcomes = [first, *(_outcome(ground, one.change, settings) for one in possible.each[1:])]
    unknown = (*snapshot.unknown, *_of_java(outcomes), *_of_the_leader(outcomes))
    if possible.each[0].change == change:
        return GroupForecast(change, outcomes[0], settings, unknown)
    example = together.usual(outcomes, possible)
    whole = together.together(outcomes, possible, example)
    return GroupForecast(change, whole, settings, unknown, possible.each[example].change)


def refuse_misfit(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> None:
    """Raise InvalidInput for a change that does not fit the group, with the path of the event. What cannot be predicted fits."""
    try:
        ground = ground_of(snapshot)
        course.carried_out(ground, possibilities(ground, change, 1, 1).each[0].change)
    except (CannotPredict, Unsupported):
        return


def ground_of(snapshot: BrokerConsumerSnapshot) -> Ground:
    """Raise CannotPredict where what decides is unknown."""
    group = group_of(snapshot)
    behaviour(group.release)
    return Ground(snapshot, group)


def settings_of(snapshot: BrokerConsumerSnapshot) -> ConsumerConfig:
    """Raise InvalidInput for a value that Kafka refuses."""
    read = (AUTO_COMMIT, MAX_POLL_INTERVAL, OFFSET_RESET, *((HEARTBEAT_INTERVAL,) if snapshot.still_classic else ()))
    given = {key: value for key, value in snapshot.config if key in read}
    return config.read(LINES[-1].releases[-1], given)


def _outcome(ground: Ground, change: GroupChange, settings: ConsumerConfig) -> GroupOutcome:
    done = course.carried_out(ground, change)
    targets, returns, conversions = done.targets, done.returns, done.conversions
    lasts = times.of_a_rebalance(settings)
    found = times.times(ground, change, done)
    unowned = times.unowned(ground, change, done, found, lasts)
    stable = times.stable_after(found, lasts, len(done.rebalances))
    resumed = positions.positions(summary.taken_up(ground, change, done), ground.snapshot.topics, settings)
    there = tuple(member for member, _ in targets[-1].owned) if targets else tuple(one.member_id for one in ground.group.members)
    back = {one.old: one.member_id for one in returns if one.targets == len(targets)}
    classic = next((one for one in conversions if one.to is MemberType.CLASSIC), None)
    last = done.rebalances[-1:] if classic is not None and any(one.batch == classic.batch for one in done.rebalances) else ()
    left = [name for one in last for name, _ in one.owned] or ([] if classic is None else classic.member_ids)
    return GroupOutcome(
        member_ids=tuple(back.get(one, one) for one in there) if classic is None else tuple(left),
        targets=targets,
        summary=summary.summary(ground, change, done, stable, found.start_ups, unowned),
        positions=resumed,
        warnings=positions.warnings(resumed, settings),
        unowned=tuple(sorted(unowned.items())),
        conversions=conversions,
        stalled=done.stalled,
        rebalances=done.rebalances,
    )


def _of_the_leader(outcomes: list[GroupOutcome]) -> tuple[Unknown, ...]:
    """What a leader of the classic protocol decides after all, where that is not in the outcome."""
    found = [one for one in outcomes if one.becomes_classic is not None and (one.ends_early or not one.becomes_classic.rebalances)]
    return tuple(dict.fromkeys(_LEADER if one.ends_early else _KEPT for one in found))


_LEADER = Unknown(
    "conversions",
    "the group is classic then, and rebalances: what its leader assigns is unknown. Give the `assignors` of members that are, or"
    " become, classic",
)
_KEPT = Unknown("conversions", "the group is classic then: its leader assigns with the next rebalance")


def _of_java(outcomes: list[GroupOutcome]) -> tuple[Unknown, ...]:
    return tuple(dict.fromkeys(one for outcome in outcomes for target in outcome.targets for one in target.assignment.unknown))
