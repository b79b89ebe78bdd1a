"""Whether a plan is still valid for the newest snapshot of its group in the lake; used by its page and when it is decided."""

from datetime import datetime

from holdfast.errors import HoldfastError
from holdfast.ports import Lake
from holdfast.rollout.execution.drift import Staleness
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.kinds.moving import move
from holdfast.rollout.kinds.registry import kind_of_both
from holdfast.workflows import snapshots


def held_against(plan: AnyPlan, fresh: AnySnapshot) -> Staleness:
    """Raise InvalidInput for a group that is of another kind now."""
    seen = move.seen_for(plan, fresh)
    return kind_of_both(plan, seen, "The newest snapshot is of another kind of group: create a new plan.").staleness(plan, seen)


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
