"""The JSON of the Forecast of a streams group whose broker assigns. Holdfast does not read it."""

from holdfast.rollout.backtest.forecast_past import PAST_OF_FORECAST
from holdfast.rollout.broker_streams.change.change import ITEM
from holdfast.rollout.broker_streams.forecast.outcomes import (
    BrokerForecast,
    BrokerOutcome,
    BrokerSummary,
    ComputedTarget,
    Draws,
)
from holdfast.rollout.broker_streams.snapshot.tasks import TASK
from holdfast.rollout.broker_streams.target.target import ASSIGNMENT
from holdfast.rollout.contract.batches_json import IN_ORDER
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS
from holdfast.rollout.coordinated.spans import SPAN
from holdfast.rollout.coordinated.targets import TargetTrigger
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAME, NAMES, PROBABILITY, choice, items, nullable, table
from holdfast.rollout.json.record import codec_of, member, written_of
from holdfast.rollout.json.record_codec import Omit, Record

_TARGET = written_of(
    ComputedTarget,
    trigger=member(choice(TargetTrigger)),
    group_epoch=member(nullable(COUNT)),
    assignment=member(ASSIGNMENT),
    after_undetermined=member(
        items(TASK), "Tasks whose place depends on undetermined tasks of earlier targets.", default=(), omit=True
    ),
    likely=member(
        table(TASK, table(NAME, PROBABILITY)),
        "Where IDs are drawn: the processes of each undetermined task, with their shares of the draws.",
        name="likely_owners",
        default=(),
        omit=True,
    ),
)


def _codec(detail: Detail) -> Record[BrokerForecast]:
    left_out: Omit = False if detail is Detail.FULL else lambda _: True
    outcome = written_of(
        BrokerOutcome,
        probability=member(PROBABILITY, write=lambda _: 1.0),
        process_ids=member(NAMES),
        stable=member(BOOLEAN, write=lambda _: True),
        targets=member(items(_TARGET), "Left out with `--detail summary`.", default=(), omit=left_out),
        summary=member(codec_of(BrokerSummary)),
        unowned=member(
            table(TASK, nullable(SPAN)),
            "How long each task that is handed over has no owner: at least, usually, at most; null: until a client has started.",
            name="unowned_seconds",
            default=(),
            omit=left_out,
        ),
        draws=member(
            nullable(codec_of(Draws)), "Where IDs are new random ones: the outcome is an example.", default=None, omit=True
        ),
    )
    return written_of(
        BrokerForecast,
        version=strict.FORMAT_VERSION,
        about="What the coordinator of a Streams group will do about a change, target by target.",
        events=member(items(ITEM), IN_ORDER, write=lambda forecast: [ITEM.write(item) for item in forecast.change.events]),
        outcomes=member(items(outcome), write=lambda forecast: [outcome.write(forecast.outcome)]),
        unknown=member(UNKNOWNS),
        past=PAST_OF_FORECAST,
    )


FORECASTS = {detail: _codec(detail) for detail in Detail}


def forecast_to_json(forecast: BrokerForecast, detail: Detail = Detail.FULL) -> dict[str, object]:
    return FORECASTS[detail].write(forecast)
