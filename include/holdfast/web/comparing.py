"""Two snapshots of a group, or two plans for one, as the page that compares them reads them."""

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.rollout.group.difference import GroupDifference
from holdfast.rollout.kinds import any_difference
from holdfast.rollout.teams.sight import Sight
from holdfast.web import theirs
from holdfast.workflows import plan as plans

MOST_LINES = 500


def compared(place: LakeAddress, before: str, after: str, sight: Sight) -> GroupDifference:
    """Of the IDs of two plans, or of two snapshots. Raise InvalidInput for anything else, StatePathTrouble where there is none, or
    none that this user sees."""
    if plans.is_id(before) != plans.is_id(after):
        raise InvalidInput("Only one of the two IDs is a plan: give two plans or two snapshots.")
    if plans.is_id(before):
        if not all(theirs.sees_plan(sight, place, one) for one in (before, after)):
            raise StatePathTrouble("there is no such plan, or the user does not see its group")
        lake = FsspecLake(place)
        return any_difference.of_plans(plans.load(lake, before), plans.load(lake, after))
    return any_difference.of_snapshots(theirs.snapshot(sight, place, before), theirs.snapshot(sight, place, after))
