"""A forecast in a terminal, by the name of its kind of group."""

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.cli.views import consumer_forecast_view, forecast_view

SHOWS: Mapping[str, Callable[[Any, Any, bool], None]] = {
    "streams": lambda group, answer, rounds: forecast_view.show(group, answer, rounds=rounds),
    "consumer": lambda group, answer, rounds: consumer_forecast_view.show(group, answer, rounds=rounds),
}
"""Of a Snapshot and its Forecast, with every round or without."""
