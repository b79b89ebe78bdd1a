"""What an option does to a consumer group, in a sentence: for headlines and pages."""

from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.contract.times import Times
from holdfast.rollout.text.format import counted, many
from holdfast.rollout.timing import time_words


def effect(summary: ConsumerSummary, rebalances: tuple[int, int], times: Times | None) -> str:
    """`2 of 6 partitions migrate, 2 rebalances; rebalancing ends after 8 s; 4 interruptions of partitions, usually up to 3 s each.`

    `rebalances`: least and most. `times` None: a plan of another version, which does not say when rebalancing ends.
    """
    moved = "unknown number" if summary.moved is None else f"{summary.moved:,}"
    parts = [f"{moved} of {many(summary.partitions, 'partition')} migrate, {counted(*rebalances, 'rebalance')}"]
    if summary.seconds_to_stable is None:
        parts.append("rebalancing never ends")
    elif summary.rebalances:
        parts += [] if times is None else [f"rebalancing ends after {time_words.estimate(times.rebalancing_ends)}"]
        parts.append(_unread(summary))
    else:
        parts.append("the partitions of a consumer are unavailable only until it returns")
    return f"{'; '.join(parts)}."


def _unread(summary: ConsumerSummary) -> str:
    if summary.stops is None or summary.longest_stop is None:
        return "downtime unknown"
    stops = many(summary.stops, "interruption")
    return f"{stops} of partitions, usually up to {summary.longest_stop.usual:g} s each" if summary.stops else "no downtime"
