"""Options with another result than requested: for reference only, never recommended."""

from collections.abc import Callable
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.streams.change.change import Change
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.options.rewrites.identities import best_seeds, moved_with
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot.groups import any_group_of
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.snapshot.stores import keeps_ids

COUNTS_MOST = 16
"""How many numbers of clients are looked at."""


def nothing_now(snapshot: Snapshot, change: Change) -> Change | None:
    """No event: what the next rebalance does anyway, whatever causes it."""
    return replace(change, events=()) if change.events and snapshot.clients else None


def doubled(snapshot: Snapshot, change: Change) -> Change | None:
    """Twice as many clients, where some are added."""
    return _to_count(snapshot, change, lambda now, requested: 2 * now if requested > now else None)


def halved(snapshot: Snapshot, change: Change) -> Change | None:
    """Half as many clients, where some are removed."""
    return _to_count(snapshot, change, lambda now, requested: now // 2 if requested < now and now % 2 == 0 else None)


def the_count_that_moves_least(snapshot: Snapshot, change: Change) -> Change | None:
    """As many clients as can be added or removed with the fewest tasks moved, between the requested number and twice or half of
    it."""

    def least(now: int, requested: int) -> int | None:
        counts = range(requested + 1, 2 * now + 1) if requested > now else range(max(1, now // 2), requested)
        looked_at = [*counts[:: max(1, -(-len(counts) // COUNTS_MOST))], *counts[-1:]]
        moved = _joining(snapshot) if requested > now else _leaving(snapshot)
        return min(looked_at, key=lambda count: (moved(count), abs(count - requested)), default=None)

    return _to_count(snapshot, change, least)


Counted = Callable[[int], int]
"""How many stateful tasks have another target with `clients` clients."""


def _joining(snapshot: Snapshot) -> Counted:
    def moved(count: int) -> int:
        try:
            return moved_with(snapshot, order.evenly_between(_last(snapshot), None, count - len(snapshot.clients)))
        except InvalidInput:
            return len(snapshot.tasks)

    return moved


def _leaving(snapshot: Snapshot) -> Counted:
    group = any_group_of(snapshot)
    before = dict(order.target(group))
    clients = sorted(group.clients, key=lambda client: client.process_id)

    def moved(count: int) -> int:
        after = order.target(replace(group, clients=tuple(clients[:count]), leader_process_id=None))
        return sum(before.get(task) != owner for task, owner in after)

    return moved


def _last(snapshot: Snapshot) -> ProcessId:
    return max(client.process_id for client in snapshot.clients)


def _to_count(snapshot: Snapshot, change: Change, wanted: Callable[[int, int], int | None]) -> Change | None:
    """Another number of clients than requested, where clients are only added, or only removed."""
    added = [item.client for item in change.events if isinstance(item, AddClient)]
    removed = [item for item in change.events if isinstance(item, RemoveClient)]
    others = [item for item in change.events if not isinstance(item, AddClient | RemoveClient | Then)]
    now = len(snapshot.clients)
    if others or bool(added) == bool(removed) or not keeps_ids(snapshot):
        return None
    requested = now + len(added) - len(removed)
    count = wanted(now, requested)
    if count is None or count in (now, requested) or count < 1:
        return None
    if added:
        seeds = best_seeds(snapshot, count - now)
        threads = added[0].threads or len(added[0].member_ids or ())
        like = NewClient(None, threads, None, None, ())
        return replace(change, events=tuple(AddClient(replace(like, process_id=seed)) for seed in seeds)) if seeds else None
    if count >= requested:
        return None
    gone = [item.process_id for item in removed]
    last_first = sorted((one.process_id for one in snapshot.clients if one.process_id not in gone), reverse=True)
    more = (RemoveClient(one, removed[0].leaves) for one in last_first[: requested - count])
    return replace(change, events=(*removed, *more))
