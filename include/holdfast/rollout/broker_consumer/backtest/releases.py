"""Which releases the coordinator may have run that wrote a target: by whether it has the moment at which it was computed."""

from holdfast.kafka.coordinator.consumer.release import LINES
from holdfast.kafka.release_lines import is_older
from holdfast.rollout.backtest.results import Given


def fitting(given: Given, timestamp_ms: int | None) -> tuple[str, ...]:
    """One of each line, oldest first; none newer than what the brokers run now. `timestamp_ms`: as recorded; releases since 4.3
    record it."""
    if given.broker_release is not None:
        return (given.broker_release,)
    newest = given.brokers_newest
    return tuple(
        line.releases[-1]
        for line in LINES
        if line.has_interval == (timestamp_ms is not None)
        and (newest is None or not is_older(newest, ".".join(line.releases[0].split(".")[:2])))
    )
