"""Whether a group is at rest: its coordinator has computed the target of its epoch, and every member has what that gives it."""

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.group_state import STABLE, without_members
from holdfast.rollout.coordinated.targets import pending
from holdfast.rollout.text.format import printable

_WHY = {
    "Assigning": "its group epoch has increased, and the target of that epoch is not computed yet. Take a new snapshot when"
    " it is stable",
    "Reconciling": "its members do not have yet what their target gives them. Take a new snapshot when it is stable",
    "NotReady": "its topology is not ready: topics are missing, or have other numbers of partitions than it needs, and its"
    " coordinator assigns nothing. Create or repair them, and take a new snapshot",
}


def refuse_unsettled(snapshot: StreamsGroupSnapshot) -> None:
    """Raise CannotPredict for a group without members, and for one that is assigning, reconciling or not ready."""
    group, state = f"Group '{printable(snapshot.group_id)}'", snapshot.group_state
    if not snapshot.members:
        raise without_members(snapshot.group_id, state)
    if state is None and pending(snapshot.group_epoch, snapshot.assignment_epoch):
        state = "Assigning"
    if state not in (None, STABLE):
        why = _WHY.get(state, "its coordinator says nothing of it that holds. Take a new snapshot when it is stable")
        raise CannotPredict(f"{group} was {printable(state)}, not {STABLE}: {why}.")
