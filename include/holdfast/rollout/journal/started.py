"""What a run noted of the clients that a plan's steps started, when it compared the group with the forecast."""

from holdfast.rollout.json.codec import BOOLEAN, NAME
from holdfast.rollout.json.record import member, record


@record
class Started:
    """One that came in `step`."""

    step: str = member(NAME, "The step in which it started.")
    member_id: str = member(NAME, "The ID of the member that it is since.")
    fast: bool = member(BOOLEAN, "Whether it was back before the coordinator had computed a target without it.")
