"""Applications that keep nothing on disk: a client generates a new process ID at each start, and comes back without any state."""

from dataclasses import replace

from holdfast.errors import CannotPredict
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.snapshot.snapshot import Snapshot, Stores
from holdfast.rollout.streams.snapshot.stores import stores_of


def as_stored(snapshot: Snapshot, change: Change) -> Change:
    """The same change; where stores are in memory, a client that restarts comes back under a new random process ID, with
    nothing."""
    if stores_of(snapshot) is not Stores.IN_MEMORY:
        return change
    return replace(change, events=tuple(item if isinstance(item, Then) else item.without_disk() for item in change.events))


def started_again(snapshot: Snapshot, change: Change) -> Change:
    """A written-out change in which every client starts again at once, each under a new process ID. Raise CannotPredict where
    others come and go with it."""
    all_clients = any(isinstance(item, Event) and item.ALL_DOWN for item in change.events)
    if not all_clients or stores_of(snapshot) is not Stores.IN_MEMORY:
        return change
    if len(change.events) > 1:
        raise CannotPredict(
            "All stores are in memory, so every client generates a new process ID at the common start. Other events in the same"
            " change are not modelled: forecast them one after the other."
        )
    back = (RestartClient(one.process_id, keeps_process_id=False, keeps_state=False) for one in snapshot.clients)
    return replace(change, events=(*change.events, *back))
