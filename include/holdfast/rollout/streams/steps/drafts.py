"""A step before it is numbered, and its position among steps that take effect together."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.streams.steps.steps import Action


class StepOrder(StrEnum):
    """The order of steps within a batch."""

    CONFIGURE = "configure"
    PREPARE = "prepare"
    STOP = "stop"
    HAND_OVER = "hand over"
    START = "start"


@dataclass(frozen=True, slots=True)
class Pace:
    """How many clients of a rolling restart are down at once, and what the next ones wait for."""

    at_once: int = 1
    wait: Wait = Wait.STABLE

    def to_do(self, clients: int, as_what: str = "") -> str:
        """`Restart one client, wait until the group is stable, then the next.`"""
        if self.at_once >= clients > 1:
            return f"Restart all {clients} clients{as_what} together."
        until = "until the group is stable" if self.wait is Wait.STABLE else "for a rebalance"
        if self.at_once == 1:
            return f"Restart one client{as_what}, wait {until}, then the next."
        return f"Restart {self.at_once} clients{as_what} together, wait {until}, then the next {self.at_once}."

    def expected(self, clients: int) -> str:
        if self.at_once >= clients > 1:
            return "all together"
        return "one after the other" if self.at_once == 1 else f"{self.at_once} at a time"


ONE_BY_ONE = Pace()


@dataclass(frozen=True, slots=True)
class Draft:
    """A step without its number."""

    phase: StepOrder
    action: Action
    who: Who
    check_before: str
    check_after: str
    undo: str
    expect: str
