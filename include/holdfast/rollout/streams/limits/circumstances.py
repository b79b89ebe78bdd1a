"""The inputs of policy rules other than the forecast."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.policy.policy import LEAST_REBALANCES, LEAST_SECONDS


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What rules need in addition to the forecast: when the plan is made (with its time zone), the group's clients with their
    hosts, and what a group of that size and the requested change need anyway."""

    now: datetime
    hosts: tuple[tuple[ProcessId, str | None], ...] = ()
    asked_rebalances: int | None = None
    """Those that the requested change causes by itself, one an act. None: those that each option's own steps cause."""
    rebalances_most: int = LEAST_REBALANCES
    """Where the policy states none."""
    seconds_most: int = LEAST_SECONDS
    """The same of the time until rebalancing ends."""
