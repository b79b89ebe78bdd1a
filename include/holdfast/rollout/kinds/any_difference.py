"""Two snapshots of a group, or two plans for it, compared, for any kind of group."""

from holdfast.rollout.group.difference import GroupDifference, between_plans, between_snapshots
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.kinds.registry import kind_of_both

_TWO_KINDS = "one is of {}, the other of {}: give two of one group"


def of_plans(before: AnyPlan, after: AnyPlan) -> GroupDifference:
    """Raise InvalidInput for plans of two groups, or of two kinds."""
    return between_plans(before, after, kind_of_both(before, after, _TWO_KINDS).plan_lines(before, after))


def of_snapshots(before: AnySnapshot, after: AnySnapshot) -> GroupDifference:
    """Raise InvalidInput for snapshots of two groups, or of two kinds."""
    return between_snapshots(before, after, kind_of_both(before, after, _TWO_KINDS).snapshot_lines(before, after))
