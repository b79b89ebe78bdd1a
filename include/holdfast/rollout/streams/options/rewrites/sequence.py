"""Options with another order, other batch sizes, no rebalance, or cleared state."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.batches import Then, Wait
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.change.change import Change, Item
from holdfast.rollout.streams.events.add_client import AddClient
from holdfast.rollout.streams.events.add_partitions import AddPartitions
from holdfast.rollout.streams.events.event import Statement
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.events.set_release import SetRelease
from holdfast.rollout.streams.events.set_threads import SetThreads
from holdfast.rollout.streams.events.set_topology import SetTopology
from holdfast.rollout.streams.events.stop_application import StopApplication
from holdfast.rollout.streams.options.rewrites import each_event, each_statement
from holdfast.rollout.streams.scene.static_members import all_static, is_static
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot

OfAClient = AddClient | RemoveClient | ReplaceClient | RestartClient | SetThreads


def rolled_out(snapshot: Snapshot, change: Change) -> Change:
    """The same with every setting and release rolled out by a rolling restart, before what takes effect with it.

    Where all clients restart or are replaced with it anyway, at once or one after the other, they take it along: nothing is
    different then.
    """
    if not any(isinstance(item, SetConfig | SetRelease) for item in change.events):
        return change
    items: list[Item] = []
    batches = list(_batches(change))
    while batches:
        taken, one = _in_turn(snapshot, batches)
        (batch, marker), batches = batches[taken - 1], batches[taken:]
        carried = _carried(batch)
        if one is not None:
            items.append(one)
        elif not carried or _all_clients_restart(snapshot, batch):
            items += batch
        else:
            items.append(roll(snapshot, *_contents(carried)))
            rest = [item for item in batch if item not in carried]
            items += [Then(Wait.STABLE), *rest] if rest else []
        items += [marker] if marker else []
    return replace(change, events=tuple(items))


def _in_turn(snapshot: Snapshot, batches: list[tuple[list[Statement], Then | None]]) -> tuple[int, RollingRestart | None]:
    """How many batches from the first on are one roll-out, so that no step restarts a client once more; and that roll-out.

    All clients restart in them, each once and alike, and settings or a release come with one of the batches.
    """
    restarts: list[RestartClient] = []
    carried: list[Statement] = []
    for number, (batch, marker) in enumerate(batches, start=1):
        restarting = [item for item in batch if isinstance(item, RestartClient)]
        here = _carried(batch)
        if not restarting or len(restarting) + len(here) < len(batch) or (here and carried):
            break
        restarts, carried = [*restarts, *restarting], [*carried, *here]
        if _all_clients_restart(snapshot, list(restarts)):
            waits = {one.wait for _, one in batches[: number - 1] if one is not None}
            sizes = [sum(isinstance(item, RestartClient) for item in each) for each, _ in batches[:number]]
            even = all(size == sizes[0] for size in sizes[:-1]) and sizes[-1] <= sizes[0]
            one = _as_one_roll(restarts, carried, sizes[0], *waits) if carried and even and len(waits) < 2 else None
            return (1, None) if one is None else (number, one)
        if marker is None:
            break
    return 1, None


def _as_one_roll(
    restarts: list[RestartClient], carried: list[Statement], at_once: int, wait: Wait = Wait.STABLE
) -> RollingRestart | None:
    """None: they do not restart alike, or one of them restarts twice."""
    first = restarts[0]
    alike = {replace(item, process_id=first.process_id) for item in restarts}
    process_ids = tuple(item.process_id for item in restarts)
    if len(alike) > 1 or len(set(process_ids)) < len(process_ids):
        return None
    if first.threads is not None or first.member_ids is not None or first.new_process_id is not None:
        return None
    settings, release = _contents(carried)
    return RollingRestart(
        process_ids=process_ids,
        at_once=at_once,
        wait=wait,
        keeps_process_id=first.keeps_process_id,
        keeps_state=first.keeps_state,
        settings=settings,
        kafka_release=release,
        within_session=first.within_session,
        late=first.late,
    )


def _carried(batch: list[Statement]) -> list[Statement]:
    """What takes effect with a restart."""
    return [item for item in batch if isinstance(item, SetConfig | SetRelease)]


def _contents(carried: list[Statement]) -> tuple[tuple[tuple[str, ConfigValue], ...], str | None]:
    """The settings and the release of them; of each key the last value."""
    settings = {key: value for item in carried if isinstance(item, SetConfig) for key, value in item.settings}
    return tuple(settings.items()), next((item.kafka_release for item in reversed(carried) if isinstance(item, SetRelease)), None)


def roll(snapshot: Snapshot, settings: tuple[tuple[str, ConfigValue], ...], release: str | None = None) -> RollingRestart:
    """Every client restarts with these, one after the other: static members without a rebalance."""
    unnoticed = all_static(snapshot.clients) and release is None
    return RollingRestart(settings=settings, kafka_release=release, within_session=unnoticed or None)


def one_at_a_time(snapshot: Snapshot, change: Change) -> Change | None:  # noqa: ARG001 - as every rewrite
    """Each client waits until the group is stable after the one before."""
    items: list[Item] = []
    for batch, marker in _batches(change):
        if sum(isinstance(item, OfAClient) for item in batch) > 1:
            for number, item in enumerate(batch):
                items += [Then(Wait.STABLE), item] if number and isinstance(item, OfAClient) else [item]
        else:
            items += batch
        items += [marker] if marker else []
    return _if_other(change, items)


def all_together(snapshot: Snapshot, change: Change) -> Change | None:  # noqa: ARG001 - as every rewrite
    """What was sequential now happens at once; what is rolled out, and what all clients stop for, stays separate."""
    if any(isinstance(item, RollingRestart | StopApplication | SetTopology | AddPartitions) for item in change.events):
        return None
    named = [one for item in change.events if isinstance(item, OfAClient) for one in _old_ids(item)]
    if len(dict.fromkeys(named)) < len(named):
        return None
    return _if_other(change, [item for item in change.events if not isinstance(item, Then)])


def in_waves(snapshot: Snapshot, change: Change) -> Change | None:
    """Clients that restart one by one do so in three waves."""
    restarts = [index for index, item in enumerate(change.events) if isinstance(item, RestartClient)]
    alone = all(isinstance(item, RestartClient | Then) for item in change.events)
    at_once = -(-len(snapshot.clients) // 3)
    if not alone or len(restarts) < 4 or at_once < 2:
        return None
    items: list[Item] = []
    for number, index in enumerate(restarts):
        items += [Then(Wait.STABLE), change.events[index]] if number and number % at_once == 0 else [change.events[index]]
    return _if_other(change, items)


def reverse(snapshot: Snapshot, change: Change) -> Change | None:  # noqa: ARG001 - as every rewrite
    """The last first: of changes in which every step is one client's, and waits for the one before."""
    batches = [batch for batch, _ in _batches(change)]
    waits = dict.fromkeys(item.wait for item in change.events if isinstance(item, Then))
    if len(batches) < 2 or len(waits) != 1 or not all(isinstance(item, OfAClient) for batch in batches for item in batch):
        return None
    items: list[Item] = []
    for batch in reversed(batches):
        items += [Then(*waits), *batch] if items else batch
    return _if_other(change, items)


def without_a_rebalance(snapshot: Snapshot, change: Change) -> Change | None:
    """Static members that restart return before their session times out."""
    static = {client.process_id for client in snapshot.clients if _static(snapshot, client.process_id)}

    def returning(item: Item) -> Item:
        returns = isinstance(item, RestartClient) and item.process_id in static and not item.late
        if isinstance(item, RestartClient) and returns and item.threads is None and item.member_ids is None:
            return replace(item, within_session=True)
        return item

    return each_event(change, returning)


def then_a_rebalance(snapshot: Snapshot, change: Change) -> Change | None:
    """Static members come back with other settings, and no rebalance goes by those: in the end one of them stays away for longer
    than its session lasts, the one that runs the fewest stateful tasks."""
    settings = [
        item for item in change.events if isinstance(item, SetConfig) or (isinstance(item, RollingRestart) and item.settings)
    ]
    silent = all(
        (isinstance(item, RestartClient | RollingRestart) and item.within_session)
        or isinstance(item, SetConfig)
        or (isinstance(item, Then) and item.wait is Wait.STABLE)
        for item in change.events
    )
    if not settings or not silent or not any(isinstance(item, RestartClient | RollingRestart) for item in change.events):
        return None
    stateful = {task.id for task in snapshot.tasks if task.stateful}
    runs = Counter(owner for task, owner in ownership.owners(snapshot) if task in stateful)
    ids = {_comes_back_as(item) for item in change.events if isinstance(item, RestartClient)}
    present = [client.process_id for client in snapshot.clients if not ids or client.process_id in ids]
    if len(snapshot.clients) < 2 or not present:
        return None
    last = min(present, key=lambda process_id: (runs[process_id], process_id))
    return replace(change, events=(*change.events, Then(Wait.STABLE), RestartClient(last, late=True)))


def _comes_back_as(item: RestartClient) -> ProcessId | None:
    return item.process_id if item.keeps_process_id else item.new_process_id


def becoming_static(snapshot: Snapshot, change: Change) -> Change | None:
    """Unchanged: where every client restarts anyway, none of them static, this time as a static member."""
    batch = [item for item in change.events if not isinstance(item, Then)]
    static = any(_static(snapshot, client.process_id) for client in snapshot.clients)
    return change if not static and len(snapshot.clients) > 1 and _all_clients_restart(snapshot, batch) else None


def cleared(snapshot: Snapshot, change: Change) -> Change | None:
    """With the change every other client restarts too, its state deleted: no client is ahead, so all tasks go where they belong."""
    if any(isinstance(item, Then | RollingRestart | SetTopology | StopApplication) for item in change.events):
        return None
    named = {one for item in change.events if isinstance(item, OfAClient) for one in _old_ids(item)}
    wiped = each_statement(change, lambda item: item.wiped())
    others = [RestartClient(one.process_id, keeps_state=False) for one in snapshot.clients if one.process_id not in named]
    if not others or not any(task.stateful for task in snapshot.tasks):
        return None
    return replace(change, events=(*(wiped or change).events, *others))


def _batches(change: Change) -> Iterator[tuple[list[Statement], Then | None]]:
    """What takes effect together, and the marker after it."""
    batch: list[Statement] = []
    for item in change.events:
        if isinstance(item, Then):
            yield batch, item
            batch = []
        else:
            batch.append(item)
    if batch:
        yield batch, None


def _if_other(change: Change, items: list[Item]) -> Change | None:
    return None if tuple(items) == change.events else replace(change, events=tuple(items))


def _old_ids(item: OfAClient) -> tuple[object, ...]:
    return () if isinstance(item, AddClient) else (item.process_id,)


def _all_clients_restart(snapshot: Snapshot, batch: list[Statement]) -> bool:
    restarted = {item.process_id for item in batch if isinstance(item, RestartClient | ReplaceClient)}
    return all(client.process_id in restarted for client in snapshot.clients)


def _static(snapshot: Snapshot, process_id: ProcessId) -> bool:
    client = snapshot.client(process_id)
    return client is not None and is_static(client)
