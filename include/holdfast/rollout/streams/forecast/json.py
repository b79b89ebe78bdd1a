"""The JSON of a Forecast. It is written for people and other programs; Holdfast does not read it."""

from holdfast.rollout.backtest.forecast_past import PAST_OF_FORECAST
from holdfast.rollout.contract.batches_json import IN_ORDER
from holdfast.rollout.contract.rebalances import Detail, Trigger
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, PROBABILITY, SECONDS, choice, items, nullable, table
from holdfast.rollout.json.kafka_codecs import PROCESS_ID, PROCESS_IDS, TASK_ID, TASK_IDS
from holdfast.rollout.json.record import codec_of, key, keyed, member, record_of, written_of
from holdfast.rollout.json.record_codec import Omit, Record
from holdfast.rollout.streams.change.change import ITEM
from holdfast.rollout.streams.forecast.amounts import READS
from holdfast.rollout.streams.forecast.assignment_json import ASSIGNMENT
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome, Round, Stopped, Summary, UnavailableTasks
from holdfast.rollout.streams.scene.assumptions import Assume

_WAITING = record_of(
    UnavailableTasks,
    closed=False,
    tasks=member(COUNT),
    task_seconds=member(SECONDS),
    longest_seconds=member(SECONDS),
    records=member(COUNT),
)
_STOPPED = record_of(Stopped, closed=False, task=key(TASK_ID), seconds=member(SECONDS), seconds_without_copy=member(SECONDS))
SUMMARY = written_of(
    Summary,
    stateful_tasks=member(COUNT),
    active_moved=member(COUNT, "Stateful tasks whose owner at the end is not the one before."),
    rebalances=member(COUNT),
    rebalances_at_least=member(COUNT),
    rebalances_at_most=member(nullable(COUNT)),
    seconds_to_stable=member(nullable(SECONDS)),
    seconds_to_stable_at_least=member(nullable(SECONDS)),
    restore_records=member(COUNT),
    restore_bytes=member(nullable(COUNT)),
    stopped_task_seconds=member(SECONDS, "Task-seconds of downtime until the session timeout of clients that ended.", default=0),
    restore_records_by_client=member(table(PROCESS_ID, COUNT)),
    without_caught_up_copy=member(_WAITING),
    stopped=member(keyed(_STOPPED), default=()),
    reads=member(READS, name="reads_by_broker", default=(), omit=lambda summary: all(one.broker is None for one in summary.reads)),
)
_ROUND = written_of(
    Round,
    trigger=member(choice(Trigger)),
    at_seconds=member(SECONDS),
    decision=member(ASSIGNMENT, name="assignment"),
    restoring=member(table(PROCESS_ID, COUNT)),
    restoring_bytes=member(table(PROCESS_ID, nullable(COUNT))),
    restoring_tasks=member(table(PROCESS_ID, table(TASK_ID, COUNT))),
    without_caught_up_copy=member(TASK_IDS),
)


def _codec(detail: Detail) -> Record[Forecast]:
    left_out: Omit = False if detail is Detail.FULL else lambda _: True
    outcome = written_of(
        Outcome,
        probability=member(PROBABILITY),
        process_ids=member(PROCESS_IDS),
        stable=member(BOOLEAN),
        rounds=member(items(_ROUND), "Left out with `--detail summary`.", default=(), omit=left_out),
        summary=member(SUMMARY),
    )
    return written_of(
        Forecast,
        version=strict.FORMAT_VERSION,
        about="What Kafka will do about a change, rebalance by rebalance, for every rank that new random process IDs can have.",
        assumptions=member(codec_of(Assume), write=lambda forecast: codec_of(Assume).write(forecast.change.assume)),
        events=member(items(ITEM), IN_ORDER, write=lambda forecast: [ITEM.write(item) for item in forecast.change.events]),
        outcomes=member(items(outcome)),
        unknown=member(UNKNOWNS),
        past=PAST_OF_FORECAST,
    )


FORECASTS = {detail: _codec(detail) for detail in Detail}


def forecast_to_json(forecast: Forecast, detail: Detail = Detail.FULL) -> dict[str, object]:
    return FORECASTS[detail].write(forecast)
