"""Process IDs for a classic group that becomes a streams group: with them the first target places tasks where their state is.

The coordinator assigns from nothing then, and goes through the processes in the hash order of their IDs. Which client gets which
share is therefore free: new IDs, no two of which share a bucket of the coordinator's map, are given to the clients so that the
least is restored. Shares depend on the number of threads, so that an ID is only good for clients with as many.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from holdfast.errors import CannotPredict, Unsupported
from holdfast.kafka import java_hash
from holdfast.kafka.coordinator.streams.group import Task, each_task
from holdfast.rollout.broker_streams.change.change import BrokerChange
from holdfast.rollout.broker_streams.events.start_moved_client import StartMovedClient
from holdfast.rollout.broker_streams.forecast import restoring
from holdfast.rollout.broker_streams.forecast.course import Ground
from holdfast.rollout.broker_streams.forecast.disks import Disks
from holdfast.rollout.broker_streams.forecast.forecast import forecast, ground_of
from holdfast.rollout.broker_streams.forecast.outcomes import BrokerOutcome
from holdfast.rollout.broker_streams.snapshot.snapshot import StreamsGroupSnapshot
from holdfast.rollout.facts.refusals import Refusal, Refuses

MOST_CLIENTS = 200
"""Above it the shares are given away one by one, the best first."""
Cost = tuple[int, int]
"""Copies that are restored in full, and records (0: unknown)."""


def seeded(snapshot: StreamsGroupSnapshot, change: BrokerChange) -> BrokerChange | Refusal | None:
    """The change in which clients start under such IDs, which are written while they are stopped. None: nothing can be predicted of
    it anyway, as the baseline says."""
    if snapshot.classic is None or not snapshot.classic.keeps_process_ids:
        return Refusal(Refuses.STATE_IN_MEMORY)
    starts = [one for one in change.statements() if isinstance(one, StartMovedClient)]
    new = dict(zip((one.process_id for one in starts), _apart(snapshot.group_id, len(starts)), strict=True))
    try:
        ground, before = ground_of(snapshot), forecast(snapshot, change, most=1).outcome
        shares = forecast(snapshot, _with_ids(change, new), most=1).outcome
    except (CannotPredict, Unsupported):
        return None
    if not before.targets or not shares.targets:
        return None
    stock = _Stock(ground, change)
    threads = {one.process_id: one.threads or 0 for one in starts}
    given = _shares(shares)
    chosen: dict[str, str] = {}
    for count in dict.fromkeys(threads.values()):
        clients = [one for one in threads if threads[one] == count]
        costs = [[stock.cost(client, given.get(new[other], ((), ()))) for other in clients] for client in clients]
        chosen |= {client: new[clients[at]] for client, at in zip(clients, _matched(costs), strict=True)}
    if _total(stock, given, chosen) >= _total(stock, _shares(before), _ids_of(change, before)):
        return Refusal(Refuses.NO_BETTER_IDS)
    return _with_ids(change, chosen)


def _with_ids(change: BrokerChange, ids: Mapping[str, str]) -> BrokerChange:
    return replace(
        change,
        events=tuple(
            replace(item, keeps_process_id=False, new_process_id=ids[item.process_id])
            if isinstance(item, StartMovedClient)
            else item
            for item in change.events
        ),
    )


def _apart(group_id: str, count: int) -> list[str]:
    """IDs as `java.util.UUID.randomUUID` makes them, no two of which share a bucket of a map that has room for them."""
    size = 1
    while size < count:
        size *= 2
    found: dict[int, str] = {}
    number = 0
    while len(found) < count:
        digest = sha256(f"moved/{group_id}/{number}".encode("utf-8", "surrogatepass")).digest()[:16]
        made = str(uuid.UUID(bytes=digest, version=4))
        found.setdefault(java_hash.spread(made) & (size - 1), made)
        number += 1
    return list(found.values())


_Share = tuple[Sequence[Task], Sequence[Task]]


def _shares(outcome: BrokerOutcome) -> Mapping[str, _Share]:
    """What the last target gives each process: active and standby tasks."""
    target = outcome.targets[-1]
    processes = dict(target.processes)
    found: dict[str, tuple[list[Task], list[Task]]] = {}
    for one in target.assignment.members:
        active, standby = found.setdefault(processes[one.member_id], ([], []))
        active += each_task(one.active)
        standby += each_task(one.standby)
    return found


def _ids_of(change: BrokerChange, outcome: BrokerOutcome) -> Mapping[str, str]:
    """By client of the classic group: the ID that it has in that outcome."""
    came = outcome.process_ids
    known = {one.process_id: one.process_id if one.keeps_process_id else one.new_process_id for one in _starts(change)}
    free = iter([one for one in came if one not in known.values()])
    return {client: one if one is not None else next(free) for client, one in known.items()}


def _starts(change: BrokerChange) -> list[StartMovedClient]:
    return [one for one in change.statements() if isinstance(one, StartMovedClient)]


def _total(stock: "_Stock", given: Mapping[str, _Share], ids: Mapping[str, str]) -> Cost:
    costs = [stock.cost(client, given.get(process, ((), ()))) for client, process in ids.items()]
    return sum(one for one, _ in costs), sum(records for _, records in costs)


class _Stock:
    """What the disks of the classic clients have."""

    def __init__(self, ground: Ground, change: BrokerChange) -> None:
        self._stateful = frozenset(one.id for one in ground.group.subtopologies if one.stateful)
        self._disks = Disks(ground.snapshot, change, self._stateful)
        self._changelogs = restoring.changelogs_of(ground)

    def cost(self, client: str, share: _Share) -> Cost:
        cold = records = 0
        for task in (one for tasks in share for one in tasks if one.subtopology in self._stateful):
            cold += not self._disks.has(client, task)
            if task in self._changelogs:
                records += self._disks.lacking(client, task, self._changelogs[task])
        return cold, records


def _matched(costs: Sequence[Sequence[Cost]]) -> list[int]:
    """By row its column, so that the sum is the least (many rows: about the least)."""
    return _greedy(costs) if len(costs) > MOST_CLIENTS else _hungarian(costs)


def _greedy(costs: Sequence[Sequence[Cost]]) -> list[int]:
    free, found = set(range(len(costs))), [0] * len(costs)
    for row, _ in sorted(enumerate(costs), key=lambda each: min(each[1])):
        found[row] = min(free, key=lambda column: (costs[row][column], column))
        free.discard(found[row])
    return found


def _hungarian(costs: Sequence[Sequence[Cost]]) -> list[int]:
    """The Hungarian method, with potentials. Executors have the standard library only."""
    most = 1 + sum(records for row in costs for _, records in row)
    flat = [[cold * most + records for cold, records in row] for row in costs]
    count, endless = len(flat), 1 + 2 * sum(map(sum, flat))
    rows, columns, of_column = [0] * (count + 1), [0] * (count + 1), [0] * (count + 1)
    for row in range(1, count + 1):
        of_column[0] = row
        column, least, before, used = 0, [endless] * (count + 1), [0] * (count + 1), [False] * (count + 1)
        while of_column[column]:
            used[column] = True
            at, step, following = of_column[column], endless, 0
            for other in range(1, count + 1):
                if used[other]:
                    continue
                reduced = flat[at - 1][other - 1] - rows[at] - columns[other]
                if reduced < least[other]:
                    least[other], before[other] = reduced, column
                if least[other] < step:
                    step, following = least[other], other
            for other in range(count + 1):
                if used[other]:
                    rows[of_column[other]] += step
                    columns[other] -= step
                else:
                    least[other] -= step
            column = following
        while column:
            earlier = before[column]
            of_column[column], column = of_column[earlier], earlier
    found = [0] * count
    for column in range(1, count + 1):
        found[of_column[column] - 1] = column - 1
    return found
