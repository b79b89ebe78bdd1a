"""Why nothing can be predicted of an option, as a value, and in words."""

from enum import StrEnum

from holdfast.errors import CannotPredict, TooMuchWork, Unsupported
from holdfast.rollout.json.codec import TEXT, choice
from holdfast.rollout.json.record import codec_of, member, record


class Refuses(StrEnum):
    """`EVIDENCE`: it is not there; `WORK`: it would take more than is allowed; `UNSUPPORTED`: something is not modelled; `ORDER`:
    an event needs what comes later in this option; `OUTCOME`: the forecast has none."""

    EVIDENCE = "evidence"
    WORK = "work"
    UNSUPPORTED = "unsupported"
    ORDER = "order"
    OUTCOME = "outcome"


@record
class Refusal:
    """`reason`: as the forecast says what is missing."""

    kind: Refuses = member(choice(Refuses))
    reason: str = member(TEXT, default="", omit=True)


REFUSAL = codec_of(Refusal)


def refusal_of(problem: CannotPredict | Unsupported) -> Refusal:
    if isinstance(problem, Unsupported):
        return Refusal(Refuses.UNSUPPORTED, str(problem))
    return Refusal(Refuses.WORK if isinstance(problem, TooMuchWork) else Refuses.EVIDENCE, str(problem))


def sentence(one: Refusal) -> str:
    match one.kind:
        case Refuses.ORDER:
            return "The change cannot be made in this order."
        case Refuses.OUTCOME:
            return "the forecast has no outcome"
        case _:
            return f"Cannot predict: {one.reason}"
