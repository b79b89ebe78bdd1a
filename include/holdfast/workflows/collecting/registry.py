"""The collectors, one line per kind of group. No other module chooses between kinds while collecting."""

from typing import Any

from holdfast.ports import ObservedGroup
from holdfast.workflows.collecting.broker_consumer.collector import BrokerConsumerCollector
from holdfast.workflows.collecting.broker_streams.collector import BrokerStreamsCollector
from holdfast.workflows.collecting.collector import Collector
from holdfast.workflows.collecting.consumer.collector import ConsumerCollector
from holdfast.workflows.collecting.streams.collector import StreamsCollector

COLLECTORS: tuple[Collector[Any], ...] = (
    StreamsCollector(),
    ConsumerCollector(),
    BrokerStreamsCollector(),
    BrokerConsumerCollector(),
)
"""The first also takes the groups that no collector owns: a Streams group without members cannot be recognized, and any other group
it refuses by name."""


def owner_of(group: ObservedGroup) -> Collector[Any] | None:
    return next((one for one in COLLECTORS if one.owns(group)), None)


def collector_of(group: ObservedGroup) -> Collector[Any]:
    return owner_of(group) or COLLECTORS[0]
