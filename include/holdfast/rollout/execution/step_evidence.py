"""What a new snapshot shows of a step: done, not done yet, or not visible to any broker."""

from dataclasses import dataclass
from enum import StrEnum


class Shown(StrEnum):
    """What a snapshot says of a step."""

    HAPPENED = "happened"
    NOT_YET = "not yet"
    CONTRADICTED = "contradicted"
    CANNOT_SHOW = "cannot show"


@dataclass(frozen=True, slots=True)
class Evidence:
    """`text`: what shows it, what is missing, what contradicts it, or why nothing can show it."""

    shown: Shown
    text: str


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """`step`: its number in the plan; `what`: what it does, in brief."""

    step: str
    what: str
    evidence: Evidence
