"""Whether a plan is still valid for the group, and if not, why. No clock: the time is the new snapshot's."""

from holdfast.rollout.broker_consumer.execution import drift
from holdfast.rollout.broker_consumer.plan.plan import GroupPlan
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.group.staleness import staleness


def is_stale(plan: GroupPlan, fresh: BrokerConsumerSnapshot) -> Staleness:
    """Whether the plan still holds for the group now."""
    return staleness(plan, fresh, drift.drifts(plan.basis, fresh))
