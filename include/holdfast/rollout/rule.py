"""One rule of a policy as it was judged, and what judging needs in addition to the forecast."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import limits
from holdfast.rollout.policy import Policy


class Status(StrEnum):
    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Rule:
    """What one rule found. `blocking`: a failure stops the plan."""

    name: str
    found: str
    limit: str
    status: Status
    blocking: bool


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What rules need in addition to the forecast: when the plan is made (with its time zone), the group's clients with their
    hosts, and what a group of that size and the requested change need anyway."""

    now: datetime
    hosts: tuple[tuple[ProcessId, str | None], ...] = ()
    asked_rebalances: int | None = None
    """Those that the requested change causes by itself, one an act. None: those that each option's own steps cause."""
    rebalances_most: int = limits.LEAST_REBALANCES
    """Where the policy states none."""
    seconds_most: int = limits.LEAST_SECONDS
    """The same of the time until rebalancing ends."""


def made(name: str, found: str, limit: str, status: Status, policy: Policy) -> Rule:
    """Whether it blocks is the policy's to say."""
    return Rule(name, found, limit, status, blocking=name in policy.blocking)
