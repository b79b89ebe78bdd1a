"""Why nothing can be predicted of an option, as a value, and in words."""

from enum import StrEnum

from holdfast.errors import CannotPredict, InvalidInput, TooMuchWork, Unsupported
from holdfast.rollout.json.codec import TEXT, choice
from holdfast.rollout.json.record import codec_of, member, record


class Refuses(StrEnum):
    """`EVIDENCE`: it is not there; `WORK`: it would take more than is allowed; `UNSUPPORTED`: something is not modelled; `ORDER`:
    an event needs what comes later in this option; `OUTCOME`: the forecast has none; `MISFIT`: the change does not fit the group
    then; `TOO_LARGE`: the group, for a forecast next to others."""

    EVIDENCE = "evidence"
    WORK = "work"
    UNSUPPORTED = "unsupported"
    ORDER = "order"
    OUTCOME = "outcome"
    MISFIT = "misfit"
    TOO_LARGE = "too_large"


@record
class Refusal:
    """`reason`: as the forecast says what is missing."""

    kind: Refuses = member(choice(Refuses))
    reason: str = member(TEXT, default="", omit=True)


REFUSAL = codec_of(Refusal)


def refusal_of(problem: CannotPredict | Unsupported | InvalidInput) -> Refusal:
    match problem:
        case Unsupported():
            kind = Refuses.UNSUPPORTED
        case InvalidInput():
            kind = Refuses.MISFIT
        case _:
            kind = Refuses.WORK if isinstance(problem, TooMuchWork) else Refuses.EVIDENCE
    return Refusal(kind, str(problem))


def sentence(one: Refusal) -> str:
    match one.kind:
        case Refuses.ORDER:
            return "The change cannot be made in this order."
        case Refuses.OUTCOME:
            return "the forecast has no outcome"
        case Refuses.TOO_LARGE:
            return "Not forecast: the group is so large that this takes minutes. Plan that change separately."
        case _:
            return f"Cannot predict: {one.reason}"
