"""Whether a plan is still valid for the group, and if not, why. No clock: the time is the new snapshot's."""

from datetime import datetime

from holdfast.rollout.consumer.execution import drift
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.execution.drift import Drift, Kind, Staleness


def is_stale(plan: ConsumerPlan, fresh: ConsumerSnapshot) -> Staleness:
    """Whether the plan still holds for the group as it is now."""
    found = list(drift.drifts(plan.basis, fresh))
    late = fresh.captured_at is not None and datetime.fromisoformat(fresh.captured_at) > datetime.fromisoformat(plan.expires_at)
    if late:
        sentence = f"The plan was valid until {plan.expires_at}; the snapshot was taken at {fresh.captured_at}."
        found.append(Drift(Kind.TIME, sentence, True, "The policy was checked for an earlier time."))
    return Staleness(plan.plan_id, tuple(sorted(found, key=lambda one: not one.matters)))
