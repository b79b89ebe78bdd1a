"""Two snapshots of a group, or two plans for one, as the page that compares them reads them."""

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import InvalidInput
from holdfast.rollout.group.difference import GroupDifference
from holdfast.rollout.kinds import any_difference
from holdfast.web import overview
from holdfast.workflows import plan as plans

MOST_LINES = 500


def compared(place: LakeAddress, before: str, after: str) -> GroupDifference:
    """Of the IDs of two plans, or of two snapshots. Raise InvalidInput for anything else, StatePathTrouble where there is none."""
    if plans.is_id(before) != plans.is_id(after):
        raise InvalidInput("Only one of the two IDs is a plan: give two plans or two snapshots.")
    if plans.is_id(before):
        lake = FsspecLake(place)
        return any_difference.of_plans(plans.load(lake, before), plans.load(lake, after))
    return any_difference.of_snapshots(overview.snapshot(place, before), overview.snapshot(place, after))
