"""Static members that return in time: what that leaves open, and what takes effect at the next rebalance."""

from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

WAITS = (
    "{} takes effect only with the next rebalance, and static members that return in time cause none. The option"
    " then-a-rebalance triggers one."
)


def may_return(snapshot: Snapshot, change: Change) -> tuple[Unknown, ...]:
    """A static member that comes back in time gets its old assignment without a rebalance, whatever its process ID and disk."""
    back = [item.comes_back() for item in change.events if isinstance(item, Event) and item.session_ends()]
    static = [
        client.process_id
        for client in snapshot.clients
        if client.process_id in back and any(consumer.group_instance_id is not None for consumer in client.consumers)
    ]
    return tuple(
        Unknown(
            "group_instance_id",
            f"the members of {process_id} are static: if they return with the same instance IDs within the session timeout, no"
            " rebalance happens then, and the next one, whatever triggers it, is the one forecast here",
        )
        for process_id in static
    )
