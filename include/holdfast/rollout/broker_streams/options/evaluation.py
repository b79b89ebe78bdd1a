"""One option for a streams group whose broker assigns, forecast: the figures that a plan needs."""

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.coordinator.config_keys import (
    ASSIGNMENT_INTERVAL,
    HEARTBEAT_INTERVAL,
    INITIAL_DELAY,
    number_of,
)
from holdfast.kafka.coordinator.release import behaviour
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.cost.hand_over import HandOver, hand_over
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.forecast import draws
from holdfast.rollout.broker_streams.forecast.clock import empties
from holdfast.rollout.broker_streams.forecast.forecast import forecast, ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerSummary, ComputedTarget, Draws
from holdfast.rollout.broker_streams.forecast.placement import Shares, course
from holdfast.rollout.broker_streams.forecast.restores import RESTORES, Restores
from holdfast.rollout.broker_streams.options.option import BrokerOption
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.coordinated.spans import SPAN, Seconds, plus
from holdfast.rollout.coordinated.targets import TargetTrigger
from holdfast.rollout.facts.refusals import REFUSAL, Refusal, Refuses, refusal_of
from holdfast.rollout.json.codec import COUNT, nullable
from holdfast.rollout.json.record import codec_of, member, record

MOST_DRAWS = 60
"""Draws of new IDs for each option. What all of them have alike fails in at most 4.9 % of all starts, with 95 % confidence."""
WORK = 1_000_000
"""Tasks and members that all draws for an option may look at together: a roll of a very large group has one draw."""


@record
class EvaluatedBrokerOption:
    """The evaluation of an option. `summary` None: `refused` says why nothing can be predicted, or why it does not apply.

    `draws`: where IDs are new random ones. `interval_ms`: the shortest assignment interval that a client has to be back in; None:
    no client has to be. `delay_ms`: the initial rebalance delay within which several clients are to join; None: none are.
    `held_back`: how long tasks that wait for a client to start wait in addition: a classic group has to become empty first, and
    the coordinator waits for the initial delay; None: for neither.
    `heartbeat_ms`: the heartbeat interval. `start_ups`: how many times, one after the other, clients are waited for that start,
    outside of assignment intervals; `restarts`: in how many of them all have left before. `batches`: of events that take effect
    together.
    """

    option: BrokerOption = member(codec_of(BrokerOption))
    summary: BrokerSummary | None = member(nullable(codec_of(BrokerSummary)))
    refused: Refusal | None = member(nullable(REFUSAL), default=None, needed=True)
    draws: Draws | None = member(nullable(codec_of(Draws)), default=None, omit=True)
    hand_over: HandOver | None = member(nullable(codec_of(HandOver)), default=None, omit=True)
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, default=(), needed=True)
    course: Shares | None = member(codec_of(Shares), default=None, omit=True)
    interval_ms: int | None = member(nullable(COUNT), default=None, omit=True)
    delay_ms: int | None = member(nullable(COUNT), default=None, omit=True)
    heartbeat_ms: int = member(COUNT, default=0, needed=True)
    start_ups: int = member(COUNT, default=0, needed=True)
    restarts: int = member(COUNT, default=0, omit=True)
    batches: int = member(COUNT, default=0, needed=True)
    held_back: Seconds | None = member(SPAN, default=None, omit=True)
    restores: Restores | None = member(nullable(RESTORES), "Null, or left out: unknown.", default=None, omit=True)
    restores_most: Restores | None = member(
        nullable(RESTORES), "Where IDs are drawn: of the draw in which one client restores most.", default=None, omit=True
    )


def evaluate(snapshot: StreamsGroupSnapshot, option: BrokerOption, times: int = 1) -> EvaluatedBrokerOption:
    """Raise InvalidInput for a change that does not fit the group, as it was asked for. `times`: as in a forecast."""
    if option.refused is not None:
        return EvaluatedBrokerOption(option, None, option.refused)
    try:
        foreseen = forecast(snapshot, option.change, times, _draws(snapshot, option.change) * times)
        ground = ground_of(snapshot)
    except (CannotPredict, Unsupported) as refusal:
        return EvaluatedBrokerOption(option, None, refusal_of(refusal))
    except InvalidInput:
        if option.name == BASELINE_NAME:
            raise
        return EvaluatedBrokerOption(option, None, Refusal(Refuses.ORDER))  # one event may need what another one did
    outcome, change = foreseen.outcome, foreseen.carried_out
    batches = [[event for _, event in batch.events] for batch in option.change.numbered_batches() if batch.events]
    return EvaluatedBrokerOption(
        option=option,
        summary=outcome.summary,
        draws=outcome.draws,
        hand_over=hand_over(ground, change, outcome),
        unknown=tuple(one for one in foreseen.unknown if not _only_prices(one, snapshot)),
        course=course(ground, change, outcome),
        interval_ms=_interval(snapshot, option.change),
        delay_ms=_delay(snapshot, option.change, outcome.targets),
        heartbeat_ms=number_of(dict(snapshot.config), HEARTBEAT_INTERVAL),
        start_ups=outcome.summary.start_ups - sum(any(one.in_interval() for one in batch) for batch in batches),
        restarts=sum(all(_is_restart(one) for one in batch) for batch in batches),
        batches=len(batches),
        held_back=_held_back(snapshot, option.change, outcome.targets),
        restores=outcome.restores,
        restores_most=outcome.restores_most,
    )


def _is_restart(event: BrokerEvent) -> bool:
    """A client that leaves, and comes back in its own time."""
    return event.restarts() and event.comes() is not None and not event.in_interval() and not event.unnoticed()


def _only_prices(one: Unknown, snapshot: StreamsGroupSnapshot) -> bool:
    """Whether it is about the logs of changelogs, or about disks where their offsets decide nothing: no target depends on it."""
    if one.about_log_sizes or one.what.startswith("end_offset."):
        return True
    release = snapshot.broker_release
    return one.what.startswith("state_directories") and release is not None and not behaviour(release).offsets_count


def _interval(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> int | None:
    """The shortest in which a client has to be back; None: no client has to be. 0: the release has none."""
    known = snapshot.broker_release is not None and behaviour(snapshot.broker_release).has_interval
    config, found = dict(snapshot.config), list[int]()
    for event in change.statements():
        config |= dict(event.configures())
        if event.in_interval():
            found.append(number_of(config, ASSIGNMENT_INTERVAL) if known else 0)
    return min(found, default=None)


def _delay(snapshot: StreamsGroupSnapshot, change: BrokerChange, targets: tuple[ComputedTarget, ...]) -> int | None:
    """The shortest initial delay within which several clients are to join. None: none are."""
    delayed = {one.batch for one in targets if one.trigger is TargetTrigger.DELAY_OVER}
    config, found = dict(snapshot.config), list[int]()
    for number, batch in enumerate(change.numbered_batches()):
        for _, event in batch.events:
            config |= dict(event.configures())
        if number in delayed and sum(event.comes() is not None for _, event in batch.events) > 1:
            found.append(number_of(config, INITIAL_DELAY))
    return min(found, default=None)


def _held_back(snapshot: StreamsGroupSnapshot, change: BrokerChange, targets: tuple[ComputedTarget, ...]) -> Seconds | None:
    emptied, delay = empties(snapshot), _initial_delay(snapshot, change, targets)
    return plus(emptied, Seconds(delay, delay, delay)) if delay or emptied.most else None


def _initial_delay(snapshot: StreamsGroupSnapshot, change: BrokerChange, targets: tuple[ComputedTarget, ...]) -> float:
    """Seconds; the longest before one of these targets."""
    delayed = {one.batch for one in targets if one.trigger is TargetTrigger.DELAY_OVER}
    config, found = dict(snapshot.config), 0
    for number, batch in enumerate(change.numbered_batches()):
        config |= dict(setting for _, event in batch.events for setting in event.configures())
        if number in delayed:
            found = max(found, number_of(config, INITIAL_DELAY))
    return found / 1000


def _draws(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> int:
    """How many draws an option is forecast with, at most."""
    of_one = (sum(one.partitions for one in snapshot.topics) + len(snapshot.members)) * (len(change.events) + 1)
    return max(1, min(MOST_DRAWS, WORK // max(1, of_one)))


OPTIONS = 8
"""This many options are forecast for most changes."""


def work(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> int:
    """How much work a search is, in tasks and members that are looked at once."""
    partitions = sum(one.partitions for one in snapshot.topics)
    count = _draws(snapshot, change) if draws.leaves_open(change) else 1
    return OPTIONS * count * (len(change.events) + 1) * (partitions + len(snapshot.members))
