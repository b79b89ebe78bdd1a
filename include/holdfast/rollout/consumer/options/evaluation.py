"""One option for a consumer group, forecast: the figures that a plan needs. Each can be computed independently."""

from dataclasses import dataclass, replace

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.rollout.consumer.forecast.course import Course, course
from holdfast.rollout.consumer.forecast.forecast import forecast
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.forecast.positions import OffsetWarning
from holdfast.rollout.consumer.options.proposals import ConsumerOption
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.contract.times import Act
from holdfast.rollout.contract.verdicts import PLAINLY


@dataclass(frozen=True, slots=True)
class EvaluatedConsumerOption:
    """What comes of an option. `summary` None: `refused` says why nothing can be predicted.

    `unsettled`: why the group does not settle (None: it does). `unknown`: sentences. `offsets_unknown`: of how many partitions
    nobody knows where their readers go on. `read_twice`: records that may have been read and not committed, at most; None: not
    known. `course` None: nobody can tell. `acts`: what is done, as it takes time.
    """

    option: ConsumerOption
    summary: ConsumerSummary | None
    refused: str | None = None
    unsettled: str | None = None
    warnings: tuple[OffsetWarning, ...] = ()
    unknown: tuple[str, ...] = ()
    offsets_unknown: int = 0
    read_twice: int | None = None
    course: Course | None = None
    acts: tuple[Act, ...] = ()


def evaluate(snapshot: ConsumerSnapshot, option: ConsumerOption) -> EvaluatedConsumerOption:
    """Raise InvalidInput for a change that does not fit the group, as it was asked for."""
    settings = {one.key: one.value for one in option.settings}
    meanwhile = replace(snapshot, config=tuple(sorted((dict(snapshot.config) | settings).items()))) if settings else snapshot
    try:
        foreseen = forecast(meanwhile, option.change)
    except (CannotPredict, Unsupported) as refusal:
        return EvaluatedConsumerOption(option, None, f"Cannot predict: {refusal}")
    except InvalidInput:
        if option.name == PLAINLY:
            raise
        return EvaluatedConsumerOption(
            option, None, "The change cannot be made in this order."
        )  # one event may need what another one did
    outcome = foreseen.outcome
    return EvaluatedConsumerOption(
        option=option,
        summary=outcome.summary,
        unsettled=outcome.unsettled,
        warnings=outcome.warnings,
        unknown=tuple(f"{each.what}: {each.reason}" for each in foreseen.unknown),
        offsets_unknown=outcome.positions.unknown,
        read_twice=outcome.positions.records_read_twice_at_most,
        course=course(meanwhile, option.change, outcome),
        acts=outcome.acts,
    )
