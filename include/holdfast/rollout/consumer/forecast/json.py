"""The JSON of a consumer group's Forecast: that of Kafka Streams, with one outcome."""

from holdfast.kafka.consumer.config import (
    AUTO_COMMIT,
    HEARTBEAT_INTERVAL,
    INITIAL_DELAY,
    MAX_POLL_INTERVAL,
    OFFSET_RESET,
    SESSION_TIMEOUT,
    ConsumerConfig,
)
from holdfast.rollout.consumer.change.change import ITEM
from holdfast.rollout.consumer.events.parts.timing import SPAN
from holdfast.rollout.consumer.forecast import warning_words
from holdfast.rollout.consumer.forecast.assignment_json import consumer_assignment_to_json
from holdfast.rollout.consumer.forecast.outcomes import ConsumerForecast, ConsumerOutcome, ConsumerRound, ConsumerSummary
from holdfast.rollout.consumer.forecast.positions import Positions
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.unknown import UNKNOWNS
from holdfast.rollout.json import strict
from holdfast.rollout.json.record import codec_of


def consumer_forecast_to_json(forecast: ConsumerForecast, detail: Detail = Detail.FULL) -> dict[str, object]:
    return {
        "format_version": strict.FORMAT_VERSION,
        "assumptions": _assumptions(forecast.outcome.config),
        "events": [ITEM.write(item) for item in forecast.change.events],
        "outcomes": [_outcome_to_json(forecast.outcome, detail)],
        "unknown": UNKNOWNS.write(forecast.unknown),
    }


def _assumptions(config: ConsumerConfig) -> dict[str, object]:
    """The settings that it was made with; `given` are those that the Snapshot has, the others are Kafka's defaults."""
    return {
        SESSION_TIMEOUT: config.session_timeout_ms,
        HEARTBEAT_INTERVAL: config.heartbeat_interval_ms,
        MAX_POLL_INTERVAL: config.max_poll_interval_ms,
        INITIAL_DELAY: config.initial_rebalance_delay_ms,
        OFFSET_RESET: str(config.reset) if config.duration is None else f"{config.reset}:{config.duration}",
        AUTO_COMMIT: config.auto_commit,
        "given": list(config.given),
    }


def _outcome_to_json(outcome: ConsumerOutcome, detail: Detail) -> dict[str, object]:
    written: dict[str, object] = {
        "probability": 1.0,
        "member_ids": [member.member_id for member in outcome.members],
        "stable": outcome.stable,
        "warnings": [warning_words.sentence(one) for one in outcome.warnings],
    }
    if detail is Detail.FULL:
        written["rounds"] = [_round_to_json(one) for one in outcome.rounds]
    return written | {
        "positions": _positions_to_json(outcome.positions),
        "summary": codec_of(ConsumerSummary).write(outcome.summary),
    }


def _positions_to_json(found: Positions) -> dict[str, object]:
    return {
        "committed": found.committed,
        "reset": found.reset,
        "unknown": found.unknown,
        "reset_to": str(found.reset_to),
        "records_skipped": found.records_skipped,
        "records_read_twice_at_most": found.records_read_twice_at_most,
        "skipping": [[one.topic, one.partition, records] for one, records in found.skipping],
    }


def _round_to_json(one: ConsumerRound) -> dict[str, object]:
    return {
        "trigger": str(one.trigger),
        "at_seconds": one.at_seconds,
        "assignment": consumer_assignment_to_json(one.decision),
        "stopped": one.stopped,
        "unread": one.unread,
        "noticed_seconds": one.noticed_s,
        "lasts_seconds": SPAN.write(one.lasts),
    }
