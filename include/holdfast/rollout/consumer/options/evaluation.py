"""One option for a consumer group, forecast: the figures that a plan needs. Each can be computed independently."""

from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.rollout.consumer.forecast.course import Shares, course
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.options.proposals import ConsumerOption
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.times import TimedBatch
from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.facts.refusals import REFUSAL, Refusal, Refuses, refusal_of
from holdfast.rollout.json.codec import COUNT, TEXT, items, nullable
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.offsets.positions import OffsetWarning


@record
class EvaluatedConsumerOption:
    """The evaluation of an option. `summary` None: `refused` says why nothing can be predicted.

    `unsettled`: why the group does not settle (None: it does). `unknown`: inputs. `offsets_unknown`: of how many partitions
    it is unknown where their readers go on. `read_twice`: records that may have been read and not committed, at most; None:
    unknown. `course` None: unknown. `acts`: the actions, each with its time.
    """

    option: ConsumerOption = member(codec_of(ConsumerOption))
    summary: ConsumerSummary | None = member(nullable(codec_of(ConsumerSummary)))
    refused: Refusal | None = member(nullable(REFUSAL), default=None, needed=True)
    unsettled: str | None = member(nullable(TEXT), default=None, needed=True)
    warnings: tuple[OffsetWarning, ...] = member(items(codec_of(OffsetWarning)), default=(), needed=True)
    unknown: tuple[Unknown, ...] = member(UNKNOWNS, default=(), needed=True)
    offsets_unknown: int = member(COUNT, default=0, needed=True)
    read_twice: int | None = member(COUNT, name="records_read_twice_at_most", default=None, omit=True)
    course: Shares | None = member(codec_of(Shares), default=None, omit=True)
    rebalances_most: int | None = member(COUNT, default=None, omit=True)
    """Where members that must revoke may need more than the forecast's (`ConsumerOutcome.rebalances_most`). None: they may not."""
    acts: tuple[TimedBatch, ...] = member(items(codec_of(TimedBatch)), default=())

    @property
    def rebalances(self) -> tuple[int, int]:
        """As `Considered.rebalances`."""
        assert self.summary is not None, "what was refused has no rebalances"
        return self.summary.rebalances, self.rebalances_most or self.summary.rebalances


def evaluate(snapshot: ConsumerSnapshot, option: ConsumerOption) -> EvaluatedConsumerOption:
    """Raise InvalidInput for a change that does not fit the group, as it was asked for."""
    settings = {one.key: one.value for one in option.settings}
    meanwhile = replace(snapshot, config=tuple(sorted((dict(snapshot.config) | settings).items()))) if settings else snapshot
    try:
        foreseen = forecast(meanwhile, option.change)
    except (CannotPredict, Unsupported) as refusal:
        return EvaluatedConsumerOption(option, None, refusal_of(refusal))
    except InvalidInput:
        if option.name == BASELINE_NAME:
            raise
        return EvaluatedConsumerOption(option, None, Refusal(Refuses.ORDER))  # one event may need what another one did
    outcome = foreseen.outcome
    return EvaluatedConsumerOption(
        option=option,
        summary=outcome.summary,
        unsettled=outcome.unsettled,
        warnings=outcome.warnings,
        unknown=foreseen.unknown,
        offsets_unknown=outcome.positions.unknown,
        read_twice=outcome.positions.records_read_twice_at_most,
        course=course(meanwhile, option.change, outcome),
        rebalances_most=outcome.rebalances_most if outcome.rebalances_most > outcome.summary.rebalances else None,
        acts=outcome.acts,
    )
