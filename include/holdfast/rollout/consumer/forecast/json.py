"""The JSON of a consumer group's Forecast: that of Kafka Streams, with one outcome. Holdfast does not read it."""

from holdfast.kafka.consumer.config import (
    AUTO_COMMIT,
    HEARTBEAT_INTERVAL,
    INITIAL_DELAY,
    MAX_POLL_INTERVAL,
    OFFSET_RESET,
    SESSION_TIMEOUT,
    ConsumerConfig,
)
from holdfast.rollout.backtest.forecast_past import PAST_OF_FORECAST
from holdfast.rollout.consumer.change.change import ITEM
from holdfast.rollout.consumer.events.parts.timing import SPAN
from holdfast.rollout.consumer.forecast.assignment_json import ASSIGNMENT
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast, ConsumerOutcome, ConsumerRound, ConsumerSummary
from holdfast.rollout.contract.batches_json import IN_ORDER
from holdfast.rollout.contract.rebalances import Detail, Trigger
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAMES, PROBABILITY, SECONDS, TEXT, choice, items, nullable
from holdfast.rollout.json.record import codec_of, member, written_of
from holdfast.rollout.json.record_codec import Omit, Record
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.offsets.positions_json import POSITIONS, reset

_CONFIG = written_of(
    ConsumerConfig,
    session_timeout_ms=member(COUNT, name=SESSION_TIMEOUT),
    heartbeat_interval_ms=member(COUNT, name=HEARTBEAT_INTERVAL),
    max_poll_interval_ms=member(COUNT, name=MAX_POLL_INTERVAL),
    initial_rebalance_delay_ms=member(COUNT, name=INITIAL_DELAY),
    reset=member(TEXT, name=OFFSET_RESET, write=reset),
    auto_commit=member(BOOLEAN, name=AUTO_COMMIT),
    given=member(items(TEXT.described("A setting that the Snapshot has; the others are Kafka's defaults."))),
)
_ROUND = written_of(
    ConsumerRound,
    trigger=member(choice(Trigger, among=(Trigger.CHANGE, Trigger.IMMEDIATE))),
    at_seconds=member(SECONDS),
    decision=member(ASSIGNMENT, name="assignment"),
    stopped=member(nullable(COUNT), "Partitions that were read and are unavailable while the members join; null: unknown."),
    unread=member(COUNT, "Partitions that no consumer reads at the end."),
    noticed_s=member(SECONDS, "Until the group noticed what brought it about.", name="noticed_seconds"),
    lasts=member(SPAN, name="lasts_seconds"),
)


def _codec(detail: Detail) -> Record[ConsumerForecast]:
    left_out: Omit = False if detail is Detail.FULL else lambda _: True
    outcome = written_of(
        ConsumerOutcome,
        probability=member(PROBABILITY, write=lambda _: 1.0),
        member_ids=member(NAMES, write=lambda outcome: [one.member_id for one in outcome.members]),
        stable=member(BOOLEAN),
        warnings=member(
            items(TEXT.described("What a reader has to see first.")),
            write=lambda outcome: [warning_words.sentence(one) for one in outcome.warnings],
        ),
        rounds=member(items(_ROUND), "Left out with `--detail summary`.", default=(), omit=left_out),
        positions=member(POSITIONS),
        summary=member(codec_of(ConsumerSummary)),
    )
    return written_of(
        ConsumerForecast,
        version=strict.FORMAT_VERSION,
        about="What Kafka will do about a change to a consumer group without Kafka Streams, rebalance by rebalance.",
        assumptions=member(_CONFIG, write=lambda forecast: _CONFIG.write(forecast.outcome.config)),
        events=member(items(ITEM), IN_ORDER, write=lambda forecast: [ITEM.write(item) for item in forecast.change.events]),
        outcomes=member(items(outcome), write=lambda forecast: [outcome.write(forecast.outcome)]),
        unknown=member(UNKNOWNS),
        past=PAST_OF_FORECAST,
    )


FORECASTS = {detail: _codec(detail) for detail in Detail}


def consumer_forecast_to_json(forecast: ConsumerForecast, detail: Detail = Detail.FULL) -> dict[str, object]:
    return FORECASTS[detail].write(forecast)
