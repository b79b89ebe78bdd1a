"""The JSON of the Forecast of a consumer group whose broker assigns. Holdfast does not read it."""

from holdfast.rollout.broker_consumer.change.change import ITEM
from holdfast.rollout.broker_consumer.forecast.bounds import Bounds
from holdfast.rollout.broker_consumer.forecast.outcomes import (
    ComputedTarget,
    GroupConversion,
    GroupForecast,
    GroupOutcome,
    LeaderRebalance,
    TargetsSummary,
)
from holdfast.rollout.broker_consumer.snapshot.snapshot import OWNED
from holdfast.rollout.broker_consumer.target.target import ASSIGNMENT
from holdfast.rollout.contract.batches_json import IN_ORDER
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS
from holdfast.rollout.coordinated.spans import SPAN
from holdfast.rollout.coordinated.targets import TargetTrigger
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAME, NAMES, PROBABILITY, TEXT, choice, items, nullable, table
from holdfast.rollout.json.kafka_codecs import PARTITION_NAME
from holdfast.rollout.json.record import codec_of, member, written_of
from holdfast.rollout.json.record_codec import Omit, Record
from holdfast.rollout.offsets import warning_words
from holdfast.rollout.offsets.positions_json import CLIENT_SETTINGS, POSITIONS

_TRIGGERS = (TargetTrigger.CHANGE, TargetTrigger.SESSION_OVER)
_TARGET = written_of(
    ComputedTarget,
    trigger=member(choice(TargetTrigger, among=_TRIGGERS)),
    group_epoch=member(nullable(COUNT)),
    assignment=member(ASSIGNMENT),
    after_undetermined=member(
        OWNED, "Partitions whose owner depends on undetermined partitions of earlier targets.", default=(), omit=True
    ),
    likely=member(
        table(PARTITION_NAME, table(NAME, PROBABILITY)),
        "Where IDs are random: the possible owners of each undetermined partition, with their probabilities.",
        name="likely_owners",
        default=(),
        omit=True,
    ),
)

_REBALANCE = written_of(
    LeaderRebalance,
    about="A rebalance of the group while it is classic: its leader assigns.",
    generation=member(nullable(COUNT), "After it."),
    assignor=member(NAME, "Of the consumers."),
    owned=member(table(NAME, OWNED), "What each member is handed.", name="members"),
    stopped=member(OWNED, "Partitions that no member reads meanwhile."),
    batch=member(COUNT, "Of the events, from 0."),
    targets=member(COUNT, "How many targets were computed before it."),
)


def _codec(detail: Detail) -> Record[GroupForecast]:
    left_out: Omit = False if detail is Detail.FULL else lambda _: True
    outcome = written_of(
        GroupOutcome,
        probability=member(PROBABILITY, write=lambda _: 1.0),
        member_ids=member(NAMES),
        stable=member(BOOLEAN, write=lambda _: True),
        warnings=member(
            items(TEXT.described("What a reader has to see first.")),
            write=lambda outcome: [warning_words.sentence(one) for one in outcome.warnings],
        ),
        targets=member(items(_TARGET), "Left out with `--detail summary`.", default=(), omit=left_out),
        positions=member(POSITIONS),
        summary=member(codec_of(TargetsSummary)),
        unowned=member(
            table(PARTITION_NAME, nullable(SPAN)),
            "How long each partition that is handed over has no owner: at least, usually, at most, where consumers poll in time;"
            " null: until a consumer has started.",
            name="unowned_seconds",
            default=(),
            omit=left_out,
        ),
        bounds=member(
            nullable(codec_of(Bounds)), "Where IDs are new random ones: the outcome is an example.", default=None, omit=True
        ),
        conversions=member(items(codec_of(GroupConversion)), default=(), omit=True),
        rebalances=member(
            items(_REBALANCE),
            "Of the group while it is classic. Left out with `--detail summary`.",
            default=(),
            omit=left_out or True,
        ),
        stalled=member(
            BOOLEAN,
            "A target is due that no member computes: what has no owner then waits for a member that joins.",
            default=False,
            omit=True,
        ),
    )
    return written_of(
        GroupForecast,
        version=strict.FORMAT_VERSION,
        about="What the coordinator of a consumer group will do about a change, target by target.",
        assumptions=member(CLIENT_SETTINGS, write=lambda forecast: CLIENT_SETTINGS.write(forecast.settings)),
        events=member(items(ITEM), IN_ORDER, write=lambda forecast: [ITEM.write(item) for item in forecast.change.events]),
        outcomes=member(items(outcome), write=lambda forecast: [outcome.write(forecast.outcome)]),
        unknown=member(UNKNOWNS),
    )


FORECASTS = {detail: _codec(detail) for detail in Detail}


def forecast_to_json(forecast: GroupForecast, detail: Detail = Detail.FULL) -> dict[str, object]:
    return FORECASTS[detail].write(forecast)
