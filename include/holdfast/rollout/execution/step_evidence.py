"""What a new snapshot shows of a step: done, not done yet, or not visible to any broker."""

from enum import StrEnum

from holdfast.rollout.json.codec import NAME, TEXT, choice, items
from holdfast.rollout.json.record import codec_of, member, record, spread


class Shown(StrEnum):
    """What a snapshot says of a step."""

    HAPPENED = "happened"
    NOT_YET = "not yet"
    CONTRADICTED = "contradicted"
    CANNOT_SHOW = "cannot show"


@record(closed=False)
class Evidence:
    """`text`: what shows it, what is missing, what contradicts it, or why nothing can show it."""

    shown: Shown = member(choice(Shown))
    text: str = member(TEXT, name="evidence")


@record(closed=False)
class StepEvidence:
    """`step`: its number in the plan; `what`: what it does, in brief."""

    step: str = member(NAME)
    what: str = member(TEXT)
    evidence: Evidence = spread(codec_of(Evidence))


STEPS_SHOWN = items(codec_of(StepEvidence))
