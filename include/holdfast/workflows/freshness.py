"""Whether a plan still holds, by the newest snapshot of its group in the lake: what its page says, and what answers are held to."""

from datetime import datetime

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.ports import Lake
from holdfast.rollout.consumer.plan.plan import ConsumerPlan
from holdfast.rollout.consumer.snapshot.snapshot import ConsumerSnapshot
from holdfast.rollout.kinds.any_kind import AnyPlan, AnySnapshot
from holdfast.rollout.streams.execution.staleness import Staleness, is_stale
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.workflows import consumer_groups, snapshots


def held_against(plan: AnyPlan, fresh: AnySnapshot) -> Staleness:
    """Raise InvalidInput for a group that is of another kind now."""
    if isinstance(plan, ConsumerPlan) and isinstance(fresh, ConsumerSnapshot):
        return consumer_groups.drifts(plan, fresh)
    if isinstance(plan, Plan) and isinstance(fresh, Snapshot):
        return is_stale(plan, fresh)
    raise InvalidInput("The group is of another kind in its newest snapshot: make a new plan.")


def is_over(plan: AnyPlan, now: datetime) -> bool:
    return datetime.fromisoformat(plan.expires_at) < now


def drifted(lake: Lake, plan: AnyPlan) -> tuple[str, ...]:
    """How the newest snapshot shows another group than the plan was made for, a sentence each; none: it does not, or there is none
    that can be read."""
    try:
        newest = snapshots.latest(lake, plan.basis.cluster, plan.basis.group_id)
        if newest is None:
            return ()
        found = held_against(plan, snapshots.load(lake, newest))
    except HoldfastError:
        return ()
    return tuple(one.found for one in found.drifts if one.matters)
