"""The effect of losing any consumer of a group whose broker assigns: it ends without leaving, and is not replaced, or it is
replaced at once.

Each case is a Change (`change_of`), and every figure is that of its forecast: the coordinator keeps the member, and its partitions,
until its session is over, and then gives them to others. A consumer in its place has a new random member ID, and the figures are
ranges over what these can lead to; a static one that is back within its session moves nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.events.remove_consumer import RemoveConsumer
from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.forecast.forecast import forecast, ground_of
from holdfast.rollout.broker_consumer.forecast.outcomes import GroupOutcome
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumer, BrokerConsumerSnapshot
from holdfast.rollout.contract.scenarios import NO_CLIENT_LEFT, TOO_LARGE, Scenario

MOST_FORECAST = 50_000_000
"""Consumers, times partitions and members: up to that (some minutes' work) every loss is forecast, in a larger group none."""
MOST_POSSIBILITIES = 20
"""Of the member ID of a consumer that replaces another one."""


@dataclass(frozen=True, slots=True)
class ConsumerLoss:
    """`reads`: the partitions that the consumer reads. `outcome` None: `reason` says why it is not forecast."""

    member: BrokerConsumer
    scenario: Scenario
    reads: int
    outcome: GroupOutcome | None
    reason: str | None = None


def losses(snapshot: BrokerConsumerSnapshot, only: slice = slice(None)) -> tuple[ConsumerLoss, ...]:
    """Of every consumer, in the order of the Snapshot, or of `only` these.

    Raise CannotPredict or Unsupported for a group of which no forecast can be made at all.
    """
    ground = ground_of(snapshot)
    partitions = sum(one.partitions for one in ground.group.topics)
    too_large = len(snapshot.members) * (partitions + len(snapshot.members)) > MOST_FORECAST
    reason = NO_CLIENT_LEFT if len(snapshot.members) == 1 else TOO_LARGE if too_large else None
    return tuple(loss for member in snapshot.members[only] for loss in _of(snapshot, member, reason))


def change_of(member: BrokerConsumer, scenario: Scenario) -> GroupChange:
    """The Change whose forecast this is."""
    if scenario is Scenario.NOT_REPLACED:
        return GroupChange((RemoveConsumer(member.member_id, leaves=False),))
    crash = {} if scenario is Scenario.SAME_ID else {"leaves": False}
    return GroupChange((RestartConsumer.codec().read({"member_id": member.member_id} | crash),))


def _of(snapshot: BrokerConsumerSnapshot, member: BrokerConsumer, reason: str | None) -> Iterator[ConsumerLoss]:
    """One that is not replaced, and one that is: a static one by itself, within its session; a dynamic one by a new one."""
    static = member.instance_id is not None
    reads = len(member.assignment or member.target or ())
    for scenario in (Scenario.NOT_REPLACED, Scenario.SAME_ID if static else Scenario.NEW_ID_LIKELIEST):
        if reason is not None and (scenario is Scenario.NOT_REPLACED or reason is TOO_LARGE):
            yield ConsumerLoss(member, scenario, reads, None, reason)
            continue
        try:
            outcome = forecast(snapshot, change_of(member, scenario), at_most=MOST_POSSIBILITIES).outcome
        except CannotPredict as refusal:
            yield ConsumerLoss(member, scenario, reads, None, str(refusal))
        else:
            yield ConsumerLoss(member, scenario, reads, outcome)
