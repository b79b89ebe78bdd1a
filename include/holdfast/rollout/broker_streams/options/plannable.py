"""The states in which a change to a streams group whose broker assigns can be planned."""

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.broker_streams.target.group import NOT_READY
from holdfast.rollout.contract.group_state import EMPTY, STABLE, without_members
from holdfast.rollout.text.format import printable


def refuse_unsettled(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> None:
    """Raise CannotPredict for a group that is handing tasks over, and for one without members that the change gives none. What a
    topology lacks the forecast says."""
    group, state = f"Group '{printable(snapshot.group_id)}'", snapshot.group_state
    if not snapshot.members and not change.starts():
        raise without_members(snapshot.group_id, state)
    if state not in (None, STABLE, EMPTY, NOT_READY):
        raise CannotPredict(
            f"{group} was {printable(str(state))}, not {STABLE}: tasks were being handed over. Take a new snapshot when it is"
            " stable."
        )
