"""The parts of a consumer group's Forecast: the values. `forecast` computes them."""

from dataclasses import dataclass

from holdfast.kafka.consumer.config import ConsumerConfig
from holdfast.kafka.consumer.group import Assignment, LeaderFailure, Member
from holdfast.rollout.backtest.forecast_past import ForecastPast
from holdfast.rollout.consumer.change.change import ConsumerChange
from holdfast.rollout.consumer.events.parts.timing import SPAN, Span
from holdfast.rollout.contract.rebalances import Trigger
from holdfast.rollout.contract.times import TimedBatch
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.notes import Note
from holdfast.rollout.json.codec import COUNT, SECONDS, nullable
from holdfast.rollout.json.record import member, record
from holdfast.rollout.offsets.positions import OffsetWarning, Positions


@dataclass(frozen=True, slots=True)
class ConsumerRound:
    """One rebalance. `stopped`: partitions that a member read before and that are unavailable while the members join (None:
    unknown); `unread`: partitions that no member reads when it is over, because they are withheld. `noticed_s`: how long it took
    the group to notice what brought it about; `lasts`: how long it takes in seconds."""

    trigger: Trigger
    at_seconds: float
    decision: Assignment | LeaderFailure
    stopped: int | None
    unread: int
    noticed_s: float
    lasts: Span


@record
class ConsumerSummary:
    """`partitions`: those that are subscribed to at the end. `moved`: those that another consumer reads than before (one that
    restarts is the same); `needless`: the same between consumers that the change does not touch. `stops`: how often a partition is
    unavailable, over all rounds. None: who read what before is unknown, or the group does not settle.

    `longest_stop`: how long one partition is unavailable at a time, in seconds; `partition_seconds`: all of them together.
    """

    partitions: int = member(COUNT, "That a consumer subscribes to at the end.")
    moved: int | None = member(nullable(COUNT), "That another member reads than before.")
    needless: int | None = member(nullable(COUNT), "The same between members that were there all the time.")
    rebalances: int = member(COUNT)
    stops: int | None = member(nullable(COUNT), "Interruptions of partitions, over all rounds.")
    seconds_to_stable: float | None = member(nullable(SECONDS))
    longest_stop: Span | None = member(
        nullable(SPAN), "How long one partition is unavailable at a time.", name="longest_stop_seconds"
    )
    partition_seconds: Span | None = member(nullable(SPAN), "All of them together.", name="stopped_partition_seconds")


@dataclass(frozen=True, slots=True)
class ConsumerOutcome:
    """What comes about. `members`: what they would report after it; `warnings`: what a reader has to see first."""

    stable: bool
    rounds: tuple[ConsumerRound, ...]
    summary: ConsumerSummary
    members: tuple[Member, ...]
    positions: Positions
    config: ConsumerConfig
    warnings: tuple[OffsetWarning, ...] = ()
    notes: tuple[Note, ...] = ()
    unsettled: str | None = None
    """Why it is not stable; None: it is."""
    acts: tuple[TimedBatch, ...] = ()
    """What is done, batch by batch, as it takes time."""

    @property
    def rebalances_most(self) -> int:
        """The rounds, and those that come between them where members are slow.

        A member that must revoke partitions joins again as soon as it has. Another one whose SyncGroup comes later than that is
        answered REBALANCE_IN_PROGRESS (`GroupCoordinator.doSyncGroup`): it joins with what it owned before, and revokes only after
        the next round. So each follow-up round has as many as there are members that revoke, at most.
        """
        follow_ups = zip(self.rounds, self.rounds[1:], strict=False)
        return len(self.rounds) + sum(
            max(0, _revoking(before.decision) - 1) for before, after in follow_ups if after.trigger is Trigger.IMMEDIATE
        )


def _revoking(decision: Assignment | LeaderFailure) -> int:
    return sum(bool(one.revoked) for one in decision.members) if isinstance(decision, Assignment) else 0


@dataclass(frozen=True, slots=True)
class ConsumerForecast:
    change: ConsumerChange
    outcome: ConsumerOutcome
    unknown: tuple[Unknown, ...] = ()
    past: ForecastPast | None = None
