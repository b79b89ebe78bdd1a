"""Whether a plan is still valid for the group, and if not, why. No clock: the time is the new snapshot's."""

from holdfast.rollout.broker_streams.execution import drift
from holdfast.rollout.broker_streams.plan.plan import BrokerPlan
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.group.staleness import staleness


def is_stale(plan: BrokerPlan, fresh: StreamsGroupSnapshot) -> Staleness:
    """Whether the plan still holds for the group now."""
    return staleness(plan, fresh, drift.drifts(plan.basis, fresh))
