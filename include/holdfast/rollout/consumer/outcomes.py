"""What the Forecast of a plain group consists of. Values only; `forecast` makes them."""

from dataclasses import dataclass

from holdfast.kafka.consumer.group import Assignment, LeaderFailure, Member
from holdfast.rollout.consumer.change import ConsumerChange
from holdfast.rollout.outcomes import Trigger
from holdfast.rollout.snapshot import Unknown


@dataclass(frozen=True, slots=True)
class ConsumerRound:
    """One rebalance. `stopped`: partitions that somebody read before and that stand still while the members join (None: not known);
    `unread`: partitions that nobody reads when it is over, because they are withheld."""

    trigger: Trigger
    at_seconds: float
    decision: Assignment | LeaderFailure
    stopped: int | None
    unread: int


@dataclass(frozen=True, slots=True)
class ConsumerSummary:
    """`partitions`: those that are subscribed to at the end. `moved`: those that another member reads than before; `needless`: the
    same between members that were there all the time and did not restart. `stops`: how often a partition stands still, over all
    rounds. None: who read what before is not known, or the group does not settle."""

    partitions: int
    moved: int | None
    needless: int | None
    rebalances: int
    stops: int | None
    seconds_to_stable: float | None


@dataclass(frozen=True, slots=True)
class ConsumerOutcome:
    """What comes about. `members`: what they would report after it."""

    stable: bool
    rounds: tuple[ConsumerRound, ...]
    summary: ConsumerSummary
    members: tuple[Member, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConsumerForecast:
    change: ConsumerChange
    outcome: ConsumerOutcome
    unknown: tuple[Unknown, ...] = ()
