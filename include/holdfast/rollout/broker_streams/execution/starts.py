"""The clients that started since a plan was made, with the IDs that they really got.

Every start makes new member IDs. The recorded targets show them in the order of the starts; the group itself shows those that are
there now.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations, product
from typing import NamedTuple

from holdfast.rollout.broker_streams.change.change import BrokerChange, BrokerItem
from holdfast.rollout.broker_streams.events.event import BrokerEvent
from holdfast.rollout.broker_streams.snapshot.recorded import RecordedTarget
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.contract.batches import Then
from holdfast.rollout.contract.group_state import EMPTY


@dataclass(slots=True)
class Start:
    """A client that started: the members of its threads, in the order in which they joined. `first_alone`: its first thread made a
    target without the others. `after`: the members of the target before it."""

    process_id: str
    member_ids: list[str]
    first_alone: bool = False
    after: frozenset[str] = frozenset()


def since(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], fresh: StreamsGroupSnapshot) -> list[Start]:
    """In the order in which they were first seen. `items`: of the plan."""
    planned = _of_crashed(basis, items) if _whole(basis, fresh) else {}
    known = {one.member_id for one in basis.members}
    found: list[Start] = []
    newest: dict[str, Start] = {}
    there = frozenset(one.member_id for one in basis.members)
    listed = {one.member_id: number for number, one in enumerate(fresh.members)}
    for members in _seen(basis, fresh):
        before = {id(one): len(one.member_ids) for one in found}
        for member_id, process_id in members.items():
            if member_id in known:
                continue
            known.add(member_id)
            start = newest.get(process_id)
            full = start is not None and process_id in planned and len(start.member_ids) >= planned[process_id][0]
            if start is None or full or any(one not in members for one in start.member_ids):
                if start is not None and process_id in planned:
                    planned[process_id] = planned[process_id][1:] or planned[process_id]
                start = newest[process_id] = Start(process_id, [], after=there)
                found.append(start)
            start.member_ids.append(member_id)
        for start in found:
            had = before.get(id(start), 0)
            start.first_alone = start.first_alone or had == 1 < len(start.member_ids)
            # A member that joins is listed before those that share its place in the coordinator's table.
            start.member_ids[had:] = sorted(start.member_ids[had:], key=lambda one: -listed.get(one, -1))
        there = frozenset(members)
    return found


def _of_crashed(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem]) -> dict[str, list[int]]:
    """The threads of each start of a client that an event ends without leaving: its members are listed still when it comes back."""
    events = [item for item in items if not isinstance(item, Then)]
    crashed = {process_id for event in events if event.unnoticed() for process_id in event.stops()}
    found: dict[str, list[int]] = {}
    for number, event in enumerate(events):
        if (process_id := brought(event)) is not None and process_id in crashed:
            found.setdefault(process_id, []).append(threads_of(basis, events[:number], event))
    return found


def threads_of(basis: StreamsGroupSnapshot, earlier: Sequence[BrokerEvent], event: BrokerEvent) -> int:
    """How many threads the client has that an event starts, after the earlier events of a plan."""
    comes = event.comes()
    assert comes is not None, "it starts a client"
    client, old = comes
    if given := client.threads or len(client.member_ids or ()):
        return given
    before = next((at for at in reversed(range(len(earlier))) if old is not None and brought(earlier[at]) == old), None)
    return threads_in(basis, old) if before is None else threads_of(basis, earlier[:before], earlier[before])


def threads_in(snapshot: StreamsGroupSnapshot, process_id: str | None) -> int:
    """How many threads a client has; one where it is not there."""
    return sum(one.process_id == process_id for one in snapshot.members) or 1


def _seen(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> Iterator[Mapping[str, str]]:
    """The members of each target since the plan, and of the group now: their process IDs, by member ID."""
    for target in recorded_since(basis, fresh):
        yield {one.member_id: one.process_id for one in target.members if one.process_id is not None}
    yield {one.member_id: one.process_id for one in fresh.members if one.process_id is not None}


def recorded_since(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> tuple[RecordedTarget, ...]:
    """The targets that the coordinator recorded after the one of the plan, oldest first."""
    epoch = basis.assignment_epoch
    return () if epoch is None else tuple(one for one in fresh.recorded_targets if one.assignment_epoch > epoch)


def each_shows(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> bool:
    """Whether `since` has every start. Static members take the places of those before them, without a target of their own."""
    static = any(one.instance_id is not None for snapshot in (basis, fresh) for one in snapshot.members)
    return not static and _whole(basis, fresh)


MOST_ORDERS, LEAST_ORDERS = 150, 8
MOST_WORK = 30_000
"""Orders, times the members and partitions of each."""


class JoinOrders(NamedTuple):
    """`all_of_them`: whether no other is possible."""

    changes: tuple[BrokerChange, ...]
    all_of_them: bool


class Named(NamedTuple):
    """A change with the IDs that its clients got. `missing`: the process IDs of those that have not started (None: a new random
    one). `unseen`: of those that later events have stopped, or started again, so that what is there does not show them."""

    change: BrokerChange
    missing: tuple[str | None, ...]
    unseen: tuple[str, ...]


def named(basis: StreamsGroupSnapshot, change: BrokerChange, fresh: StreamsGroupSnapshot) -> Named:
    """Which course the targets took, the records show; where they do not reach back to the plan it is the planned one."""
    free, gone = since(basis, change.events, fresh), _Gone(basis, fresh)
    known = {one.process_id for one in basis.members} | {one.process_id for one in change.starts()}
    events: list[BrokerItem] = []
    missing: list[str | None] = []
    unseen = {} if each_shows(basis, fresh) else _unseen(basis, change.events, free)
    for index, item in enumerate(map(gone.with_groups, change.events)):
        if index in unseen:
            events.append(item)
            continue
        comes = None if isinstance(item, Then) else item.comes()
        if isinstance(item, Then) or comes is None:
            events.append(item)
            continue
        wanted = comes[0].process_id
        start = next((one for one in free if _is_it(one, wanted, known)), None)
        if start is None:
            missing.append(wanted)
            continue
        free.remove(start)
        gone.started(start)
        ids = tuple(start.member_ids)
        client = replace(comes[0], process_id=start.process_id, threads=len(ids), member_ids=ids)
        whole = _whole(basis, fresh)
        alone = start.first_alone or (not whole and client.first_thread_alone)
        event = item.drawn(replace(client, first_thread_alone=alone))
        unnoticed = whole and start.after.intersection(gone.stopped)
        events.append(event.taken_within_interval() if unnoticed else event)
    return Named(replace(change, events=tuple(events)), tuple(missing), tuple(dict.fromkeys(unseen.values())))


def joined_in_any_order(basis: StreamsGroupSnapshot, named_change: BrokerChange, fresh: StreamsGroupSnapshot) -> JoinOrders:
    """The change with the members of each start in every order in which they may have joined, the one given first: only recorded
    targets show which was the first, and whether it was alone."""
    if _whole(basis, fresh):
        return JoinOrders((named_change,), all_of_them=True)
    size = len(fresh.members) + sum(one.partitions for one in fresh.topics)
    most = max(LEAST_ORDERS, min(MOST_ORDERS, MOST_WORK // (size or 1)))
    each = [tuple(islice(_orders(item), most + 1)) for item in named_change.events]
    found = tuple(replace(named_change, events=events) for events in islice(product(*each), most + 1))
    return JoinOrders(found[:most], all_of_them=len(found) <= most)


def _orders(item: BrokerItem) -> Iterator[BrokerItem]:
    comes = None if isinstance(item, Then) else item.comes()
    ids = () if comes is None else comes[0].member_ids or ()
    if isinstance(item, Then) or comes is None or len(ids) < 2:
        yield item
        return
    alone = comes[0].first_thread_alone
    for first_alone in (alone, not alone):
        for order in permutations(ids):
            yield item.drawn(replace(comes[0], member_ids=order, first_thread_alone=first_alone))


def brought(item: BrokerItem) -> str | None:
    """The process ID of the client that an event brings. None: a new random one, or no client."""
    comes = None if isinstance(item, Then) else item.comes()
    return None if comes is None else comes[0].process_id


def without_members(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], fresh: StreamsGroupSnapshot) -> bool:
    """Whether these events leave no client of the group, and it has none."""
    if fresh.group_state != EMPTY or fresh.members or basis.classic is not None:
        return False
    there = Counter(dict.fromkeys((one.process_id for one in basis.members), 1))
    for event in (item for item in items if not isinstance(item, Then)):
        there.subtract(event.stops())
        comes = event.comes()
        there.update(() if comes is None else (comes[0].process_id,))
    return not any(count > 0 for count in there.values())


def stopped_in(items: Sequence[BrokerItem], process_id: str) -> bool:
    """Whether one of these events stops a client with that process ID."""
    return any(process_id in item.stops() for item in items if not isinstance(item, Then))


def _unseen(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], seen: Sequence[Start]) -> dict[int, str]:
    """The places of the events whose clients later events have stopped, with their process IDs. Where records are missing, only
    the latest start of a client was seen; where it has other threads than that one, it was an earlier one."""
    places: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        if (process_id := brought(item)) is not None:
            places.setdefault(process_id, []).append(index)
    found: dict[int, str] = {}
    for process_id, indices in places.items():
        its = [len(one.member_ids) for one in seen if one.process_id == process_id]
        if not its or its[-1] == _threads_at(basis, items, indices[-1]):
            earlier = indices[: max(0, len(indices) - len(its))]
            found |= {index: process_id for index in earlier if stopped_in(items[index + 1 :], process_id)}
    return found


def _threads_at(basis: StreamsGroupSnapshot, items: Sequence[BrokerItem], index: int) -> int:
    event = items[index]
    assert not isinstance(event, Then), "a wait starts no client"
    return threads_of(basis, [item for item in items[:index] if not isinstance(item, Then)], event)


class _Gone:
    """In which groups the members of clients were gone, where the records show targets between them: those of the plan's snapshot,
    and those of clients that started since."""

    def __init__(self, basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> None:
        self.stopped: list[str] = []
        """The members of the client that the latest event stops. Others of it may be listed still, which ended before."""
        self._members: dict[str, list[str]] = {}
        for one in basis.members:
            self._members.setdefault(one.process_id or "", []).append(one.member_id)
        self._seen: list[Collection[str]] = []
        if _whole(basis, fresh):
            self._seen = [{one.member_id for one in basis.members}, *(members.keys() for members in _seen(basis, fresh))]

    def started(self, start: Start) -> None:
        self._members[start.process_id] = list(start.member_ids)

    def with_groups(self, item: BrokerItem) -> BrokerItem:
        """The same where they were gone at once, or not all of them are."""
        self.stopped = []
        if isinstance(item, Then) or len(item.stops()) != 1:
            return item
        there = self.stopped = self._members.pop(item.stops()[0], [])
        groups: list[tuple[str, ...]] = []
        joined = next((number for number, members in enumerate(self._seen) if all(one in members for one in there)), 0)
        for members in self._seen[joined:]:
            if gone := tuple(one for one in there if one not in members):
                groups.append(gone)
                there = [one for one in there if one in members]
        return item.gone_apart(tuple(groups)) if len(groups) > 1 and not there else item


def _whole(basis: StreamsGroupSnapshot, fresh: StreamsGroupSnapshot) -> bool:
    """Whether the records reach back to the plan's own target."""
    epoch = basis.assignment_epoch
    return epoch is not None and any(one.assignment_epoch <= epoch for one in fresh.recorded_targets)


def _is_it(start: Start, wanted: str | None, known: Collection[str | None]) -> bool:
    """Whether this is the client that is to start under that process ID; None: under a random one, which the plan does not know."""
    return start.process_id == wanted if wanted is not None else start.process_id not in known
