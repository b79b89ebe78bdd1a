"""What a coordinator has written, as the backtest reads and judges it."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.conformance.coordinator.targets import Case

from holdfast.rollout.backtest import entries
from holdfast.rollout.backtest.entries import Frame
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.broker_consumer.backtest.past import PAST


def judged(written: list[Case], release: str, differs: Callable[[Any, Any], None]) -> Any:
    """The group's result. `differs`: called with each question that is answered otherwise."""
    records = lambda: entries.entries(_frames(written), pytest.fail, coordinated=True)  # noqa: E731 - it is read twice
    return PAST.backtest("shop", records, Given(broker_release=release), differs)


def _frames(written: list[Case]) -> Iterator[Frame]:
    for number, one in enumerate(written):
        value = None if one["value"] is None else base64.b64decode(one["value"])
        yield Frame(1_790_000_000_000 + number, base64.b64decode(one["key"]), value)
