"""The states in which a change to a consumer group whose broker assigns can be planned."""

from holdfast.errors import CannotPredict
from holdfast.rollout.broker_consumer.change.change import GroupChange
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.group_state import EMPTY, STABLE, without_members
from holdfast.rollout.text.format import printable


def refuse_unsettled(snapshot: BrokerConsumerSnapshot, change: GroupChange) -> None:
    """Raise CannotPredict for a group that is handing partitions over, and for one without members that the change gives none."""
    group, state = f"Group '{printable(snapshot.group_id)}'", snapshot.group_state
    if not snapshot.members and not change.starts():
        raise without_members(snapshot.group_id, state)
    if state not in (None, STABLE, EMPTY):
        raise CannotPredict(
            f"{group} was {printable(str(state))}, not {STABLE}: partitions were being handed over. Take a new snapshot when it is"
            " stable."
        )
