"""What forecasts a change to a consumer group whose broker assigns."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from holdfast.rollout.broker_consumer.change import shorthands
from holdfast.rollout.broker_consumer.change.change import CHANGE, GroupChange
from holdfast.rollout.broker_consumer.forecast import forecast as forecasts
from holdfast.rollout.broker_consumer.forecast.json import FORECASTS, forecast_to_json
from holdfast.rollout.broker_consumer.forecast.outcomes import GroupForecast
from holdfast.rollout.broker_consumer.kind import forecast_words
from holdfast.rollout.broker_consumer.kind.deciding import BrokerConsumerDecider
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.group.deciding import Row
from holdfast.rollout.group.forecasting import Forecaster
from holdfast.rollout.json.codec import Codec
from holdfast.rollout.text.document_blocks import Block


class BrokerConsumerForecaster(BrokerConsumerDecider, Forecaster[BrokerConsumerSnapshot, GroupChange, GroupForecast]):
    contracts: ClassVar[Mapping[str, Codec[Any]]] = {
        **BrokerConsumerDecider.contracts,
        "consumer-group-change": CHANGE,
        "consumer-group-forecast": FORECASTS[Detail.FULL],
    }

    def change_for(self, document: object, snapshot: BrokerConsumerSnapshot) -> GroupChange:
        return CHANGE.read(shorthands.written_out(document, snapshot))

    def refuse_settings(self, snapshot: BrokerConsumerSnapshot) -> None:
        forecasts.settings_of(snapshot)

    def forecast(self, snapshot: BrokerConsumerSnapshot, change: GroupChange, times: int) -> GroupForecast:
        return forecasts.forecast(snapshot, change, times)

    def forecast_to_json(self, forecast: GroupForecast, detail: Detail) -> Row:
        return forecast_to_json(forecast, detail)

    def forecast_blocks(self, snapshot: BrokerConsumerSnapshot, forecast: GroupForecast, detail: Detail) -> Iterable[Block]:
        return forecast_words.blocks(snapshot, forecast, targets=detail is Detail.FULL)


FORECASTER = BrokerConsumerForecaster()
"""What the group's coordinator makes of a change, target by target."""
