"""One option for a consumer group whose broker assigns, forecast: the figures that a plan needs."""

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.coordinator.consumer.config_keys import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, number_of
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.cost.hand_over import HandOver, hand_over
from holdfast.rollout.broker_consumer.events.event import ConsumerEvent
from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.forecast.forecast import forecast, ground_of
from holdfast.rollout.broker_consumer.forecast.outcomes import TargetsSummary
from holdfast.rollout.broker_consumer.forecast.placement import Shares, course
from holdfast.rollout.broker_consumer.options.option import GroupOption
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.coordinated.spans import Seconds
from holdfast.rollout.facts.refusals import REFUSAL, Refusal, Refuses, refusal_of
from holdfast.rollout.json.codec import COUNT, items, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.offsets.positions import OffsetWarning

MOST_POSSIBILITIES = 100
"""Of new IDs, for each option."""
WORK = 200_000
"""Partitions and members that all possibilities of an option may look at together: a roll of a very large group has one draw."""
_CONVERTED = CannotPredict(
    "the group becomes one of the classic protocol in the course of the change: what its leader then assigns is unknown"
    " (holdfast forecast shows the course until then). Give the assignors of members that are, or become, classic, or leave one"
    " consumer of the new protocol"
)
_STALLED = CannotPredict(
    "only members of the classic protocol are left, and the brokers do not let the group become classic: no member computes the"
    " target that is due. Leave one consumer of the new protocol, or set group.consumer.migration.policy to bidirectional before"
)
OPTIONS = 6
"""This many options are forecast for most changes."""


@record
class EvaluatedGroupOption:
    """The evaluation of an option. `summary` None: `refused` says why nothing can be predicted, or why it does not apply.

    `bounds`: where IDs are new random ones. `offsets_unknown`: of how many partitions it is unknown where their readers go on;
    `read_twice`: records that may have been read and not committed, at most; None: unknown. The rest: see
    `options.target_times.Paced`.
    """

    option: GroupOption = member(codec_of(GroupOption))
    summary: TargetsSummary | None = member(nullable(codec_of(TargetsSummary)))
    refused: Refusal | None = member(nullable(REFUSAL), default=None, needed=True)
    bounds: Bounds | None = member(nullable(codec_of(Bounds)), default=None, omit=True)
    hand_over: HandOver | None = member(nullable(codec_of(HandOver)), default=None, omit=True)
    warnings: tuple[OffsetWarning, ...] = member(items(codec_of(OffsetWarning)), default=(), needed=True)
    offsets_unknown: int = member(COUNT, default=0, needed=True)
    read_twice: int | None = member(COUNT, name="records_read_twice_at_most", default=None, omit=True)
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, default=(), needed=True)
    course: Shares | None = member(codec_of(Shares), default=None, omit=True)
    interval_ms: int | None = member(nullable(COUNT), default=None, omit=True)
    heartbeat_ms: int = member(COUNT, default=0, needed=True)
    start_ups: int = member(COUNT, default=0, needed=True)
    restarts: int = member(COUNT, default=0, omit=True)
    batches: int = member(COUNT, default=0, needed=True)

    @property
    def held_back(self) -> Seconds | None:
        """Nothing holds a consumer back that starts."""
        return None


def evaluate(snapshot: BrokerConsumerSnapshot, option: GroupOption, times: int = 1) -> EvaluatedGroupOption:
    """Raise InvalidInput for a change that does not fit the group, as it was asked for. `times`: as in a forecast."""
    if option.refused is not None:
        return EvaluatedGroupOption(option, None, option.refused)
    try:
        foreseen = forecast(snapshot, option.change, times, _possibilities(snapshot, option.change) * times)
        ground = ground_of(snapshot)
    except (CannotPredict, Unsupported) as refusal:
        return EvaluatedGroupOption(option, None, refusal_of(refusal))
    except InvalidInput:
        if option.name == BASELINE_NAME:
            raise
        return EvaluatedGroupOption(option, None, Refusal(Refuses.ORDER))  # one event may need what another one did
    outcome = foreseen.outcome
    if outcome.stalled or outcome.ends_early:
        return EvaluatedGroupOption(option, None, refusal_of(_STALLED if outcome.stalled else _CONVERTED))
    batches = [[event for _, event in batch.events] for batch in option.change.numbered_batches() if batch.events]
    return EvaluatedGroupOption(
        option=option,
        summary=outcome.summary,
        bounds=outcome.bounds,
        hand_over=hand_over(outcome),
        warnings=outcome.warnings,
        offsets_unknown=outcome.positions.unknown,
        read_twice=outcome.positions.records_read_twice_at_most,
        unknown=tuple(one for one in foreseen.unknown if not _only_offsets(one)),
        course=course(ground, foreseen.carried_out, outcome),
        interval_ms=_interval(snapshot, option.change),
        heartbeat_ms=number_of(dict(snapshot.config), HEARTBEAT_INTERVAL),
        start_ups=outcome.summary.start_ups - sum(any(one.in_interval() for one in batch) for batch in batches),
        restarts=sum(all(_is_restart(one) for one in batch) for batch in batches),
        batches=len(batches),
    )


def _is_restart(event: ConsumerEvent) -> bool:
    """A consumer that stops, and comes back in its own time."""
    return event.restarts() and not event.in_interval() and not event.crashes()


def _only_offsets(one: Unknown) -> bool:
    """Whether it is about offsets, which `offsets_unknown` counts: no target depends on them."""
    return one.what == "committed_offset" or one.what.startswith(("end_offset", "committed_offset."))


def _interval(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> int | None:
    """The shortest in which a consumer has to be back; None: none has to be. 0: the release has none."""
    known = snapshot.broker_release is not None and behaviour(snapshot.broker_release).has_interval
    config, found = dict(snapshot.config), list[int]()
    for event in change.statements():
        config |= dict(event.configures())
        if event.in_interval():
            found.append(number_of(config, ASSIGNMENT_INTERVAL) if known else 0)
    return min(found, default=None)


def _possibilities(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> int:
    """How many an option is forecast with, at most."""
    return max(1, min(MOST_POSSIBILITIES, WORK // max(1, _work_of_one(snapshot, change))))


def _work_of_one(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> int:
    partitions = sum(len(one.partitions) for one in snapshot.topics)
    return (partitions + len(snapshot.members)) * (len(change.events) + 1)


def work(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> int:
    """How much work a search is, in partitions and members that are looked at once."""
    opened = any(one.consumer.member_id is None for one in change.starts())
    return OPTIONS * (_possibilities(snapshot, change) if opened else 1) * _work_of_one(snapshot, change)
