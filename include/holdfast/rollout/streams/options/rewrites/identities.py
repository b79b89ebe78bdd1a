"""Options in which clients start under other process IDs, or with other disks."""

from collections.abc import Iterable
from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.cost import cost
from holdfast.rollout.streams.events import batches
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.options.rewrites import Rewrite, each_event, each_statement
from holdfast.rollout.streams.process_ids import order, relabelling
from holdfast.rollout.streams.scene.reports import Reports
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot.groups import any_group_of, group_of, of_a_release
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.snapshot.stores import keeps_ids

GAPS_MOST = 16
"""How many ranks in process-ID order are tried for clients that are added."""


def with_old_id(snapshot: Snapshot, change: Change) -> Change | None:
    """Replaced and restarted clients keep the process ID that would be lost."""
    if not keeps_ids(snapshot):
        return None
    return each_statement(change, lambda item: item.keeping_id())


def with_old_disk(snapshot: Snapshot, change: Change) -> Change | None:
    """The same, and the state comes along."""
    if not keeps_ids(snapshot):
        return None
    return each_statement(change, lambda item: item.keeping_disk())


def with_seeds(snapshot: Snapshot, change: Change) -> Change | None:
    """New clients get new random IDs: in the place of the one they replace, or where an additional one moves the fewest tasks."""
    if not keeps_ids(snapshot):
        return None
    ids = tuple(client.process_id for client in snapshot.clients)
    added = sum(isinstance(item, AddClient) for item in change.events)
    best = best_seeds(snapshot, added) if added else ()
    seeds = iter(best)

    def seeded(item: Item) -> Item:
        match item:
            case ReplaceClient() if item.by.process_id != item.process_id:
                return replace(item, by=replace(item.by, process_id=order.seed_in_place_of(item.process_id, ids)))
            case RestartClient(keeps_process_id=False):
                return replace(item, new_process_id=order.seed_in_place_of(item.process_id, ids))
            case AddClient() if best:
                return replace(item, client=replace(item.client, process_id=next(seeds)))
            case _:
                return item

    return each_event(change, seeded)


def best_seeds(snapshot: Snapshot, count: int) -> tuple[ProcessId, ...]:
    """IDs for `count` more clients, all in the gap where the fewest stateful tasks migrate; the last such gap."""
    gaps = order.gaps(client.process_id for client in snapshot.clients)
    stride = -(-len(gaps) // GAPS_MOST)
    best: tuple[int, tuple[ProcessId, ...]] | None = None
    for lower, upper, _ in (*gaps[:-1:stride], gaps[-1]):
        try:
            seeds = order.evenly_between(lower, upper, count)
        except InvalidInput:
            continue
        moved = moved_with(snapshot, seeds)
        if best is None or moved <= best[0]:
            best = (moved, seeds)
    return best[1] if best else ()


def moved_with(snapshot: Snapshot, joined: Iterable[ProcessId]) -> int:
    """How many stateful tasks have another target once these have joined, with nothing on their disks."""
    group = any_group_of(snapshot)
    before = dict(order.target(group))
    threads = max(len(client.consumers) for client in snapshot.clients)
    more = tuple(cost.empty_client(snapshot.group_id, one, threads) for one in joined)
    after = order.target(replace(group, clients=(*group.clients, *more)))
    return sum(before.get(task) != owner for task, owner in after)


def relabelled(snapshot: Snapshot, change: Change) -> Change | None:
    """Clients that restart anyway come back, together, under one another's process IDs: so that the least state moves."""
    restarts = [item for item in change.events if isinstance(item, RestartClient) and item.keeps_state and not item.within_session]
    ids = [item.process_id for item in restarts]
    if len(ids) < 2 or len(dict.fromkeys(ids)) < len(ids) or not keeps_ids(snapshot) or change.new_random_ids():
        return None
    if any(isinstance(item, RollingRestart) for item in change.events):
        return None
    kept = replace(change, events=tuple(item.keeping_id() for item in change.statements()))
    try:
        known = of_a_release(snapshot)
        group = group_of(known)
        (batch,) = kept.numbered_batches()
        scene = batches.apply(Scene.of(known), batch, Reports.of(known, group, change.assume))
        after = replace(group, clients=scene.clients, tasks=scene.tasks, leader_process_id=None)
        found = relabelling.relabel(after, ids)
    except (CannotPredict, InvalidInput, Unsupported):
        return None
    if not found.worth_it:
        return None
    labels = dict(found.labels)

    def labelled(item: Item) -> Item:
        if not isinstance(item, RestartClient) or labels.get(item.process_id, item.process_id) == item.process_id:
            return item
        return replace(item, keeps_process_id=False, new_process_id=labels[item.process_id])

    return each_event(kept, labelled)


def where_a_disk_is_lost(rewrite: Rewrite) -> Rewrite:
    """Only where a client leaves permanently or comes back with nothing."""

    def only_then(snapshot: Snapshot, change: Change) -> Change | None:
        lost = any(item.loses_disk() for item in change.statements())
        return rewrite(snapshot, change) if lost else None

    return only_then


def where_ids_are_kept(rewrite: Rewrite) -> Rewrite:
    """Only where a client that restarts comes back under the process ID it had."""

    def only_then(snapshot: Snapshot, change: Change) -> Change | None:
        return rewrite(snapshot, change) if keeps_ids(snapshot) else None

    return only_then


def where_the_count_changes(rewrite: Rewrite) -> Rewrite:
    """Only where tasks must move whatever the order is: clients are added or removed."""

    def only_then(snapshot: Snapshot, change: Change) -> Change | None:
        must_move = any(isinstance(item, AddClient | RemoveClient) for item in change.events)
        return rewrite(snapshot, change) if must_move else None

    return only_then
