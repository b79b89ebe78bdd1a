"""A step before it is numbered, and its position among steps that take effect together."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.contract.settings import Who
from holdfast.rollout.streams.steps.steps import Action


class Phase(StrEnum):
    """The order of steps within a batch."""

    CONFIGURE = "configure"
    PREPARE = "prepare"
    STOP = "stop"
    HAND_OVER = "hand over"
    START = "start"


@dataclass(frozen=True, slots=True)
class Draft:
    """A step without its number."""

    phase: Phase
    action: Action
    who: Who
    check_before: str
    check_after: str
    undo: str
    expect: str
