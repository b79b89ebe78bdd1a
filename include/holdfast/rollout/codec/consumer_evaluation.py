"""The JSON of one way's forecast, as executors hand it back (no contract: who writes it reads it), and of the summary in a plan."""

from holdfast.rollout.codec import document
from holdfast.rollout.codec.consumer_forecast import consumer_summary_to_json
from holdfast.rollout.codec.document import Fields, nullable
from holdfast.rollout.consumer.evaluation import WayForecast
from holdfast.rollout.consumer.outcomes import ConsumerSummary
from holdfast.rollout.consumer.timing import Span


def way_forecast_to_json(found: WayForecast) -> dict[str, object]:
    return {
        "name": found.name,
        "summary": None if found.summary is None else consumer_summary_to_json(found.summary),
        "refused": found.refused,
        "unsettled": found.unsettled,
        "warnings": list(found.warnings),
        "unknown": list(found.unknown),
        "offsets_unknown": found.offsets_unknown,
    }


def way_forecast_from_json(value: object) -> WayForecast:
    fields = Fields(value)
    found = WayForecast(
        name=fields.need("name", document.name),
        summary=fields.need("summary", nullable(summary_from_json)),
        refused=fields.need("refused", nullable(document.text)),
        unsettled=fields.need("unsettled", nullable(document.text)),
        warnings=fields.need("warnings", _texts),
        unknown=fields.need("unknown", _texts),
        offsets_unknown=fields.need("offsets_unknown", document.offset),
    )
    fields.finish(closed=True)
    return found


def _texts(value: object) -> tuple[str, ...]:
    return document.each(value, document.text)


def summary_from_json(value: object) -> ConsumerSummary:
    fields = Fields(value)
    summary = ConsumerSummary(
        partitions=fields.need("partitions", document.offset),
        moved=fields.need("moved", nullable(document.offset)),
        needless=fields.need("needless", nullable(document.offset)),
        rebalances=fields.need("rebalances", document.offset),
        stops=fields.need("stops", nullable(document.offset)),
        seconds_to_stable=fields.need("seconds_to_stable", nullable(_seconds)),
        longest_stop=fields.need("longest_stop_seconds", nullable(_span)),
        partition_seconds=fields.need("stopped_partition_seconds", nullable(_span)),
    )
    fields.finish(closed=True)
    return summary


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise document.mismatch("a number of seconds, 0 or more", value)
    return value


def _span(value: object) -> Span:
    found = document.each(value, _seconds)
    if len(found) != 2:
        raise document.mismatch("two numbers of seconds: usual, and at most", value)
    return Span(*found)
