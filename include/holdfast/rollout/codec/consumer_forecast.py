"""The JSON of a plain consumer group's Forecast: the same envelope as for Kafka Streams, with one outcome."""

from holdfast.rollout.codec import document
from holdfast.rollout.codec.consumer_assignment import consumer_assignment_to_json
from holdfast.rollout.codec.consumer_change import consumer_change_to_json
from holdfast.rollout.codec.forecast import Detail
from holdfast.rollout.codec.snapshot_writing import unknown_to_json
from holdfast.rollout.consumer.outcomes import ConsumerForecast, ConsumerOutcome, ConsumerRound, ConsumerSummary


def consumer_forecast_to_json(forecast: ConsumerForecast, detail: Detail = Detail.FULL) -> dict[str, object]:
    return {
        "format_version": document.FORMAT_VERSION,
        "assumptions": {},
        "events": consumer_change_to_json(forecast.change)["events"],
        "outcomes": [_outcome_to_json(forecast.outcome, detail)],
        "unknown": unknown_to_json(forecast.unknown),
    }


def _outcome_to_json(outcome: ConsumerOutcome, detail: Detail) -> dict[str, object]:
    written: dict[str, object] = {
        "probability": 1.0,
        "member_ids": [member.member_id for member in outcome.members],
        "stable": outcome.stable,
    }
    if detail is Detail.FULL:
        written["rounds"] = [_round_to_json(one) for one in outcome.rounds]
    return written | {"summary": _summary_to_json(outcome.summary)}


def _round_to_json(one: ConsumerRound) -> dict[str, object]:
    return {
        "trigger": str(one.trigger),
        "at_seconds": one.at_seconds,
        "assignment": consumer_assignment_to_json(one.decision),
        "stopped": one.stopped,
        "unread": one.unread,
    }


def _summary_to_json(summary: ConsumerSummary) -> dict[str, object]:
    return {
        "partitions": summary.partitions,
        "moved": summary.moved,
        "needless": summary.needless,
        "rebalances": summary.rebalances,
        "stops": summary.stops,
        "seconds_to_stable": summary.seconds_to_stable,
    }
