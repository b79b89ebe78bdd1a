"""Whether a plan is still valid for the group, and if not, why. No clock: the time is the new snapshot's."""

from holdfast.rollout.consumer.execution import drift
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.group.staleness import staleness


def is_stale(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> Staleness:
    """Whether the plan still holds for the group now."""
    return staleness(plan, fresh, drift.drifts(plan.basis, fresh))
