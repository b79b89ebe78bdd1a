"""Changes in which all clients stop before one starts: the coordinator then assigns from nothing, in the order of process IDs."""

from collections.abc import Collection
from dataclasses import replace

from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.events.restart_client import RestartClient
from holdfast.rollout.broker_streams.snapshot.processes import static_clients
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot


def is_one(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> bool:
    """Whether the first batch of events stops every client, or the group has none."""
    batches = change.numbered_batches()
    if not batches or not batches[0].events or static_clients(snapshot):  # static members stay while they are stopped
        return False
    there = {one.process_id for one in snapshot.members}
    events = [event for _, event in batches[0].events]
    if any(event.in_interval() or event.unnoticed() for event in events):
        return False
    return there <= {process_id for event in events for process_id in event.stops()}


def starts_together(change: BrokerChange, acts: Collection[str] | None = None) -> int:
    """The most clients that start in one batch of events. `acts`: only those that are started by one of these actions."""
    return max((sum(_starts(event, acts) for _, event in batch.events) for batch in change.numbered_batches()), default=0)


def _starts(event: BrokerEvent, acts: Collection[str] | None) -> bool:
    return event.comes() is not None and (acts is None or any(action in acts for action in event.ACTIONS))


def with_old_ids(change: BrokerChange) -> BrokerChange | None:
    """The same with clients that come back under the process IDs that they had. None: all do."""
    events = tuple(_kept(item) for item in change.events)
    return None if events == change.events else replace(change, events=events)


def _kept(item: BrokerItem) -> BrokerItem:
    if isinstance(item, RestartClient) and not item.keeps_process_id:
        return replace(item, keeps_process_id=True, new_process_id=None)
    return item
